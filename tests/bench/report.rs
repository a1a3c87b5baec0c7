// SPDX-License-Identifier: GPL-3.0-or-later
//! Figures with their bounds: a table to read, JSON to keep.

use std::fmt::Write;
use std::path::Path;
use std::time::Duration;

use serde::Serialize;

/// One measured figure.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// What was measured.
    pub name: String,
    /// How much it is.
    pub value: f64,
    /// Of what.
    pub unit: &'static str,
    /// How much it may be. `None`: shown so that another figure can be understood.
    pub bound: Option<f64>,
}

impl Figure {
    /// A figure that has no bound.
    pub fn shown(name: impl Into<String>, value: f64, unit: &'static str) -> Self {
        Self { name: name.into(), value, unit, bound: None }
    }

    /// A figure that may be `bound` at most.
    pub fn bounded(name: impl Into<String>, value: f64, unit: &'static str, bound: f64) -> Self {
        Self { bound: Some(bound), ..Self::shown(name, value, unit) }
    }

    /// Whether it is within its bound. A figure that could not be measured is not.
    fn verdict(&self) -> &'static str {
        match self.bound {
            None => "",
            Some(bound) if self.value <= bound => "ok",
            Some(_) => "OVER",
        }
    }
}

/// What a run found.
#[derive(Debug, Serialize)]
pub struct Report {
    machine: Machine,
    seconds: f64,
    figures: Vec<Figure>,
}

/// Where it ran.
#[derive(Debug, Serialize)]
struct Machine {
    processor: String,
    processors: usize,
    kernel: String,
    /// Processes that ran or wanted to, over the last minute, when the run began.
    load: f64,
}

impl Machine {
    fn look() -> Self {
        let read = |path| std::fs::read_to_string(path).unwrap_or_default();
        let cpuinfo = read("/proc/cpuinfo");
        let model = cpuinfo.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
        Self {
            processor: model.map_or_else(String::new, |(_, name)| name.to_owned()),
            processors: std::thread::available_parallelism().map_or(0, usize::from),
            kernel: read("/proc/sys/kernel/osrelease").trim().to_owned(),
            load: read("/proc/loadavg")
                .split(' ')
                .next()
                .and_then(|load| load.parse().ok())
                .unwrap_or(f64::NAN),
        }
    }
}

impl Report {
    pub fn new() -> Self {
        Self { machine: Machine::look(), seconds: 0.0, figures: Vec::new() }
    }

    pub fn add(&mut self, figures: Vec<Figure>, took: Duration) {
        print!("{}", table(&figures));
        self.figures.extend(figures);
        self.seconds += took.as_secs_f64();
    }

    pub fn all_within_bounds(&self) -> bool {
        self.figures.iter().all(|figure| figure.verdict() != "OVER")
    }

    /// Writes all as JSON.
    pub fn write(&self, file: &Path) {
        std::fs::write(file, serde_json::to_string_pretty(self).unwrap() + "\n").unwrap();
    }

    /// All figures as a table in Markdown.
    pub fn markdown(&self) -> String {
        let mut table = "| | value | at most | |\n|---|--:|--:|---|\n".to_owned();
        for figure in &self.figures {
            let bound = figure.bound.map(number).unwrap_or_default();
            let (name, unit, verdict) = (&figure.name, figure.unit, figure.verdict());
            let value = number(figure.value);
            let _ = writeln!(table, "| {name} | {value} {unit} | {bound} | {verdict} |");
        }
        table
    }

    /// The page about this version.
    pub fn page(&self) -> String {
        include_str!("performance.md")
            .replace("{version}", env!("CARGO_PKG_VERSION"))
            .replace("{machine}", &self.footer())
            .replace("{table}", self.markdown().trim_end())
    }

    /// In a line: where it ran and how long it took.
    pub fn footer(&self) -> String {
        let Machine { processor, processors, kernel, load } = &self.machine;
        format!(
            "{:.0} s on {processors} × {processor}, Linux {kernel}, load at the beginning {load}",
            self.seconds
        )
    }
}

const NAME: usize = 70;

pub fn heading() -> String {
    format!("{:NAME$} {:>12} {:>10}\n", "", "value", "at most")
}

fn table(figures: &[Figure]) -> String {
    let mut table = String::new();
    for figure in figures {
        let value = format!("{} {}", number(figure.value), figure.unit);
        let bound = figure.bound.map(number).unwrap_or_default();
        let line = format!("{:NAME$} {value:>12} {bound:>10} {}", figure.name, figure.verdict());
        let _ = writeln!(table, "{}", line.trim_end());
    }
    table
}

fn number(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// The value in the middle; of an even count the upper of two. NaN of none.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.get(sorted.len() / 2).copied().unwrap_or(f64::NAN)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_is_in_the_middle() {
        assert!((median(&[3.0, 1.0, 2.0]) - 2.0).abs() < f64::EPSILON);
        assert!(median(&[]).is_nan());
    }

    #[test]
    fn over_and_unmeasured_are_not_within_bounds() {
        let verdict = |value| Figure::bounded("", value, "", 1.3).verdict();
        assert_eq!([1.3, 1.31, f64::NAN].map(verdict), ["ok", "OVER", "OVER"]);
        assert_eq!(Figure::shown("", 9.0, "").verdict(), "");
    }

    #[test]
    fn the_page_has_a_row_for_each_figure() {
        let mut report = Report::new();
        report.figures = vec![Figure::bounded("one", 2.0, "ms", 1.0), Figure::shown("two", 1.5, "")];
        let page = report.page();
        assert!(page.contains("| one | 2 ms | 1 | OVER |\n| two | 1.50  |  |  |\n"), "{page}");
        assert!(!page.contains('{'), "{page}");
    }
}
