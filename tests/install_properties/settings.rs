// SPDX-License-Identifier: GPL-3.0-or-later
//! Settings files as people, editors and agents write them, made from a list of choices.

/// Decisions taken one byte at a time. When they run out all are 0, the plainest.
pub struct Choices<'a>(pub &'a [u8]);

impl Choices<'_> {
    pub fn below(&mut self, count: usize) -> usize {
        let Some((first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(*first) % count
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == count - 1
    }
}

/// Commands of ours that an earlier or other Dasbo wrote.
pub const OLD: [&str; 3] = [
    "[ ! -x '/old/dasbo-hook' ] || exec '/old/dasbo-hook' claude notify Stop",
    "exec '/old/dasbo-hook' claude ask Stop",
    "exec '/home/it'\\''s/dasbo-hook' claude notify Forgotten",
];

const KEYS: [&str; 8] =
    ["model", "env", "permissions", "sta\\tus", "\\u00e9t\\u00e9", "日本", "a/*b*/c", "with \\\"quotes\\\""];
const STRINGS: [&str; 10] = [
    "",
    "opus",
    "// no comment",
    "/* nor */ this",
    "{\\\"a\\\":[1,]}",
    "\\ud83d\\ude00 😀",
    "back\\\\slash\\\\",
    "new\\nline",
    "],}",
    "é\\u0000\\/",
];
const NUMBERS: [&str; 6] = ["0", "-1", "3.50", "1e9", "-2.5E-3", "12345678901234"];
const FOREIGN: [&str; 4] = [
    "echo done",
    "'/opt/my-dasbo-hook' claude notify Stop",
    "'/opt/dasbo-hook' codex notify Stop",
    "'/opt/dasbo-hook' claude notify Stop; true",
];
const EVENTS: [&str; 6] =
    ["Stop", "PreToolUse", "PermissionRequest", "Forgotten", "FileChanged", "Elicitation"];

/// One text in the making.
#[expect(clippy::struct_excessive_bools, reason = "each is a manner of its own")]
struct Writer<'a, 'c> {
    choices: &'a mut Choices<'c>,
    text: String,
    newline: &'static str,
    /// `None`: all on one line.
    unit: Option<&'static str>,
    colon: &'static str,
    comments: bool,
    trailing_commas: bool,
    wild_blanks: bool,
    old: bool,
}

/// A whole settings file. `strict`: as JSON proper, without comments and trailing commas.
pub fn settings(choices: &mut Choices, strict: bool, old: bool) -> String {
    let newline = choices.pick(&["\n", "\n", "\r\n"]);
    let unit = choices.pick(&[Some("  "), Some("    "), Some("\t"), None, Some(""), Some("   ")]);
    let colon = choices.pick(&[": ", ":", " : ", ":\t"]);
    let comments = !strict && choices.one_in(2);
    let trailing_commas = !strict && choices.one_in(2);
    let wild_blanks = choices.one_in(4);
    let text = if choices.one_in(6) { "\u{feff}".to_owned() } else { String::new() };
    let mut writer =
        Writer { choices, text, newline, unit, colon, comments, trailing_commas, wild_blanks, old };
    writer.file();
    writer.text
}

impl Writer<'_, '_> {
    fn put(&mut self, parts: &[&str]) {
        self.text.extend(parts.iter().copied());
    }

    fn file(&mut self) {
        self.blanks(0);
        if !self.choices.one_in(20) {
            self.root();
        }
        self.blanks(0);
        if self.choices.below(3) < 2 {
            self.text += self.newline;
        }
    }

    fn root(&mut self) {
        let mut keys: Vec<String> = (0..self.choices.below(5)).map(|n| self.key(n)).collect();
        if self.choices.below(4) > 0 {
            keys.insert(self.choices.below(keys.len() + 1), self.hooks_key());
        }
        self.list('{', '}', keys.len(), 1, |writer, index| {
            writer.name(&keys[index]);
            if keys[index].ends_with("ooks") {
                writer.hooks();
            } else {
                writer.value(2);
            }
        });
    }

    fn hooks_key(&mut self) -> String {
        self.choices.pick(&["hooks", "hooks", "hooks", "\\u0068ooks"]).to_owned()
    }

    fn key(&mut self, number: usize) -> String {
        format!("{}{number}", self.choices.pick(&KEYS))
    }

    fn name(&mut self, name: &str) {
        self.put(&["\"", name, "\"", self.colon]);
        if self.comments && self.choices.one_in(16) {
            self.text += "/* : */ ";
        }
    }

    fn hooks(&mut self) {
        let first = self.choices.below(EVENTS.len());
        let count = self.choices.below(4);
        self.list('{', '}', count, 2, |writer, index| {
            writer.name(EVENTS[(first + index) % EVENTS.len()]);
            let groups = writer.choices.below(4);
            writer.list('[', ']', groups, 3, |writer, _| writer.group());
        });
    }

    fn group(&mut self) {
        let matcher = self.choices.one_in(2);
        let commands = self.choices.below(3);
        self.list('{', '}', 1 + usize::from(matcher), 4, |writer, index| {
            if index == 1 {
                writer.name("matcher");
                return writer.string();
            }
            writer.name("hooks");
            writer.list('[', ']', commands, 5, |writer, _| writer.command());
        });
    }

    fn command(&mut self) {
        let command = if self.old && self.choices.one_in(3) {
            self.choices.pick(&OLD).replace('\\', "\\\\")
        } else {
            self.choices.pick(&FOREIGN).to_owned()
        };
        self.list('{', '}', 2, 6, |writer, index| {
            writer.name(["type", "command"][index]);
            writer.put(&["\"", ["command", &command][index], "\""]);
        });
    }

    fn value(&mut self, depth: usize) {
        match self.choices.below(if depth > 5 { 4 } else { 6 }) {
            0 => self.text += self.choices.pick(&NUMBERS),
            1 => self.string(),
            2 => self.text += self.choices.pick(&["true", "false", "null"]),
            3 => self.text += self.choices.pick(&["{}", "[]", "{ }", "[ ]"]),
            4 => {
                let count = self.choices.below(4);
                self.list('[', ']', count, depth, |writer, _| writer.value(depth + 1));
            }
            _ => {
                let keys: Vec<_> = (0..self.choices.below(4)).map(|n| self.key(n)).collect();
                self.list('{', '}', keys.len(), depth, |writer, index| {
                    writer.name(&keys[index]);
                    writer.value(depth + 1);
                });
            }
        }
    }

    fn string(&mut self) {
        let string = self.choices.pick(&STRINGS);
        self.put(&["\"", string, "\""]);
    }

    fn list(
        &mut self,
        open: char,
        close: char,
        count: usize,
        depth: usize,
        mut child: impl FnMut(&mut Self, usize),
    ) {
        self.text.push(open);
        for index in 0..count {
            self.line(depth);
            child(self, index);
            if index + 1 < count || (self.trailing_commas && self.choices.one_in(2)) {
                if self.comments && self.choices.one_in(16) {
                    self.text += " /* , */ ";
                }
                self.text.push(',');
            }
            if self.comments && self.choices.one_in(8) {
                self.text += " // about this, {\"too\"}";
                self.text += self.newline;
            }
        }
        if count > 0 || self.choices.one_in(4) {
            self.line(depth - 1);
        }
        self.text.push(close);
    }

    /// What stands before a child or a closing bracket.
    fn line(&mut self, depth: usize) {
        match self.unit {
            _ if self.wild_blanks => self.text += self.choices.pick(&["", " ", "\n", "\r\n\t", "  \n "]),
            Some(unit) => self.put(&[self.newline, &unit.repeat(depth)]),
            None => {}
        }
        if self.comments && self.choices.one_in(8) {
            self.blanks(depth);
        }
    }

    fn blanks(&mut self, depth: usize) {
        let indent = self.unit.unwrap_or_default().repeat(depth);
        match self.choices.below(if self.comments { 6 } else { 3 }) {
            1 => self.text.push(' '),
            2 => self.text += self.newline,
            3 => self.put(&["/* block \" */", self.newline, &indent]),
            4 => self.put(&["// line \" {", self.newline, &indent]),
            5 => self.text += "/**/",
            _ => {}
        }
    }
}
