// SPDX-License-Identifier: GPL-3.0-or-later
//! What the checks have found, line by line.

use anyhow::Error;

#[derive(Debug, Default)]
pub struct Report {
    passed: usize,
    failed: usize,
}

impl Report {
    pub fn passed(&mut self, check: &str) {
        self.passed += 1;
        println!("ok      {check}");
    }

    /// A check that waits for a part of the panel.
    pub fn postponed(check: &str) {
        println!("later   {check}");
    }

    /// `evidence` is what a person needs to see why.
    pub fn failed(&mut self, check: &str, error: &Error, evidence: &str) {
        self.failed += 1;
        println!("FAILED  {check}: {error:#}\n{}", indented(evidence));
    }

    /// Prints the closing line; true when there were checks and none has failed.
    pub fn close(&self) -> bool {
        println!("{} passed, {} failed", self.passed, self.failed);
        self.failed == 0 && self.passed > 0
    }
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("        {line}")).collect::<Vec<_>>().join(
        "
",
    )
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::Report;

    #[test]
    fn one_failure_fails_all() {
        let mut report = Report::default();
        report.passed("one");
        assert!(report.close());
        report.failed("two", &anyhow!("why"), "");
        assert!(!report.close());
    }

    #[test]
    fn no_check_at_all_is_no_success() {
        assert!(!Report::default().close());
    }
}
