// SPDX-License-Identifier: GPL-3.0-or-later
//! What connecting and disconnecting make of given texts: each expected text written by hand.

use std::path::Path;

use dasbo_core::install::{Change, Entries, Error, Hook, Intent, Journal, Status, plan, status, undo};

const A: &str = "exec '/o/dasbo-hook' claude notify A";
const B: &str = "exec '/o/dasbo-hook' claude ask B";

fn hook(event: &str, command: &str, timeout: Option<u32>) -> Hook {
    Hook { event: event.to_owned(), command: command.to_owned(), timeout }
}

/// Two events: `A` tells, `B` asks.
fn both() -> Entries {
    Entries { agent: "claude".to_owned(), hooks: vec![hook("A", A, None), hook("B", B, Some(9))] }
}

/// `A` alone.
fn one() -> Entries {
    Entries { agent: "claude".to_owned(), hooks: vec![hook("A", A, None)] }
}

fn connected(before: &str, entries: &Entries) -> String {
    let plan = plan(Some(before), entries).unwrap();
    let back = undo(Some(&plan.after), "claude", Some(&journal(Some(before), entries))).unwrap();
    assert_eq!(back.as_deref(), Some(before), "the way back");
    plan.after
}

fn journal(before: Option<&str>, entries: &Entries) -> Journal {
    let mut journal = Journal::new("claude", Path::new("/settings.json"));
    journal.record(before, &plan(before, entries).unwrap());
    Journal::parse(&journal.to_text()).unwrap()
}

/// Our group on one line, spaced and not.
const SPACED: &str = r#"{"hooks": [{"type": "command", "command": "exec '/o/dasbo-hook' claude notify A"}]}"#;
const TIGHT: &str = r#"{"hooks":[{"type":"command","command":"exec '/o/dasbo-hook' claude notify A"}]}"#;

#[test]
fn a_missing_file_is_written_whole() {
    let plan = plan(None, &both()).unwrap();
    let expected = r#"{
  "hooks": {
    "A": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "exec '/o/dasbo-hook' claude notify A"
          }
        ]
      }
    ],
    "B": [
      {
        "hooks": [
          {
            "type": "command",
            "command": "exec '/o/dasbo-hook' claude ask B",
            "timeout": 9
          }
        ]
      }
    ]
  }
}
"#;
    assert_eq!(plan.after, expected);
    assert_eq!(undo(Some(expected), "claude", Some(&journal(None, &both()))).unwrap(), None);
}

#[test]
fn an_empty_file_gets_the_same_text() {
    let whole = plan(None, &both()).unwrap().after;
    assert_eq!(connected("", &both()), whole);
    assert_eq!(connected("\n", &both()), whole);
    assert_eq!(connected("\u{feff}", &both()), format!("\u{feff}{whole}"));
    assert_eq!(connected("// mine", &both()), format!("// mine\n{whole}"));
}

#[test]
fn a_new_hooks_object_goes_behind_the_last_key_with_tabs_and_crlf() {
    let before = "{\r\n\t\"model\": \"opus\"\r\n}\r\n";
    let expected = "{\r\n\t\"model\": \"opus\",\r\n\t\"hooks\": {\r\n\t\t\"A\": [\r\n\t\t\t{\r\n\t\t\t\t\"hooks\": [\r\n\
        \t\t\t\t\t{\r\n\t\t\t\t\t\t\"type\": \"command\",\r\n\
        \t\t\t\t\t\t\"command\": \"exec '/o/dasbo-hook' claude notify A\"\r\n\
        \t\t\t\t\t}\r\n\t\t\t\t]\r\n\t\t\t}\r\n\t\t]\r\n\t}\r\n}\r\n";
    assert_eq!(connected(before, &one()), expected);
}

#[test]
fn a_lone_carriage_return_is_a_line_ending_too() {
    let after = connected("{\r \"a\": 1\r}", &one());
    assert!(after.starts_with("{\r \"a\": 1,\r \"hooks\": {\r  \"A\": [\r   {\r"), "{after:?}");
    assert!(!after.contains('\n'));
}

#[test]
fn minified_stays_minified() {
    let expected = format!(r#"{{"a":1,"hooks":{{"A":[{TIGHT}]}}}}"#);
    assert_eq!(connected(r#"{"a":1}"#, &one()), expected);
}

#[test]
fn one_line_with_blanks_stays_so() {
    let expected = format!(r#"{{ "a": 1, "hooks": {{"A": [{SPACED}]}} }}"#);
    assert_eq!(connected(r#"{ "a": 1 }"#, &one()), expected);
}

#[test]
fn four_blanks_are_followed_in_an_event_of_others() {
    let before = r#"{
    "hooks": {
        "A": [
            { "hooks": [] }
        ]
    },
    "z": 1
}
"#;
    let expected = r#"{
    "hooks": {
        "A": [
            { "hooks": [] },
            {
                "hooks": [
                    {
                        "type": "command",
                        "command": "exec '/o/dasbo-hook' claude notify A"
                    }
                ]
            }
        ]
    },
    "z": 1
}
"#;
    assert_eq!(connected(before, &one()), expected);
}

#[test]
fn comments_stay_with_what_they_are_about() {
    let before = "{\"hooks\":{\"A\": [\n  1 // about one\n  // the end\n]}}";
    let after = connected(before, &one());
    assert!(after.starts_with("{\"hooks\":{\"A\": [\n  1, // about one\n  // the end\n  {"), "{after}");
    assert!(after.ends_with("}\n]}}"), "{after}");
}

#[test]
fn a_trailing_comma_serves_as_the_separator() {
    let expected = format!(r#"{{"hooks":{{"A":[1, /* x */{TIGHT}]}}}}"#);
    assert_eq!(connected(r#"{"hooks":{"A":[1, /* x */]}}"#, &one()), expected);
}

#[test]
fn only_what_is_missing_is_added() {
    let before = format!(r#"{{"hooks":{{"A":[{TIGHT}],"B":[]}}}}"#);
    let after = plan(Some(&before), &both()).unwrap().after;
    let b = r#"{"hooks":[{"type":"command","command":"exec '/o/dasbo-hook' claude ask B","timeout":9}]}"#;
    assert_eq!(after, format!(r#"{{"hooks":{{"A":[{TIGHT}],"B":[{b}]}}}}"#));
    assert_eq!(status(Some(&before), &both()).unwrap(), Status::Partly);
    assert_eq!(status(Some(&after), &both()).unwrap(), Status::Connected);
    assert_eq!(status(Some("{}"), &both()).unwrap(), Status::NotConnected);
    assert!(plan(Some(&after), &both()).unwrap().is_empty());
}

#[test]
fn an_entry_with_another_path_is_corrected_in_place() {
    let before = format!(r#"{{"hooks":{{"A":[{}]}}}}"#, TIGHT.replace("/o/", "/old/"));
    let after = plan(Some(&before), &one()).unwrap().after;
    assert_eq!(after, format!(r#"{{"hooks":{{"A":[{TIGHT}]}}}}"#));
}

#[test]
fn without_a_journal_ours_are_found_by_their_command() {
    let foreign = r#"{"hooks":[{"type":"command","command":"x"}]}"#;
    for (now, expected) in [
        (format!(r#"{{"a":1,"hooks":{{"A":[{TIGHT}]}}}}"#), r#"{"a":1}"#.to_owned()),
        (
            format!(r#"{{"hooks":{{"Gone":[{TIGHT}, {foreign}]}}}}"#),
            format!(r#"{{"hooks":{{"Gone":[{foreign}]}}}}"#),
        ),
        (format!(r#"{{"hooks":{{"A":[{TIGHT}],"B":[]}}}}"#), r#"{"hooks":{"B":[]}}"#.to_owned()),
        (format!("{{\n  // mine\n  \"hooks\": {{\"A\": [{TIGHT}]}}\n}}"), "{\n  // mine\n}".to_owned()),
        (
            format!("{{\"hooks\": {{\"A\": [{TIGHT} /* mine */]}}}}"),
            "{\"hooks\": {\"A\": [ /* mine */]}}".to_owned(),
        ),
        (r#"{"a":1}"#.to_owned(), r#"{"a":1}"#.to_owned()),
    ] {
        assert_eq!(undo(Some(&now), "claude", None).unwrap().as_deref(), Some(expected.as_str()));
    }
    assert_eq!(undo(None, "claude", None).unwrap(), None);
}

#[test]
fn a_command_of_ours_among_others_goes_alone() {
    let ours = r#"{"type":"command","command":"exec '/o/dasbo-hook' claude notify A"}"#;
    let now = format!(r#"{{"hooks":{{"A":[{{"matcher":"Bash","hooks":[{{"command":"x"}}, {ours}]}}]}}}}"#);
    let expected = r#"{"hooks":{"A":[{"matcher":"Bash","hooks":[{"command":"x"}]}]}}"#;
    assert_eq!(undo(Some(&now), "claude", None).unwrap().as_deref(), Some(expected));
}

#[test]
fn a_comment_never_swallows_what_follows() {
    let now = format!("{{\"hooks\": {{\"A\": [ // note\n {TIGHT}, 1]}}}}");
    let expected = "{\"hooks\": {\"A\": [ // note\n 1]}}";
    assert_eq!(undo(Some(&now), "claude", None).unwrap().as_deref(), Some(expected));
}

#[test]
fn containers_that_were_there_stay() {
    let before = "{\"hooks\": {\"A\": []}}";
    let after = connected(before, &both());
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(&after).unwrap());
    let back = undo(Some(&pretty.unwrap()), "claude", Some(&journal(Some(before), &both()))).unwrap();
    let back: serde_json::Value = serde_json::from_str(&back.unwrap()).unwrap();
    assert_eq!(back, serde_json::json!({"hooks": {"A": []}}));
}

#[test]
fn a_created_file_goes_though_it_was_printed_anew() {
    let after = plan(None, &both()).unwrap().after;
    let value: serde_json::Value = serde_json::from_str(&after).unwrap();
    let back = undo(Some(&value.to_string()), "claude", Some(&journal(None, &both()))).unwrap();
    assert_eq!(back, None);
}

#[test]
fn two_connects_are_taken_back_to_the_byte() {
    let before = "{\n  \"a\": 1\n}";
    let mut journal = Journal::new("claude", Path::new("/settings.json"));
    let first = plan(Some(before), &one()).unwrap();
    journal.record(Some(before), &first);
    let second = plan(Some(&first.after), &both()).unwrap();
    journal.record(Some(&first.after), &second);
    assert_eq!(undo(Some(&second.after), "claude", Some(&journal)).unwrap().as_deref(), Some(before));
}

/// What stands around our comma stands around one in a comment, too. (The file changed since, so it is searched for.)
#[test]
fn a_comma_in_a_comment_is_not_ours() {
    let note = "/* the same again, for somebody else: ";
    let before = format!(r#"{{"hooks":{{"A":[0{note}{{"hooks":{{"A":[0,{note}*/]}}}}"#);
    let after = connected(&before, &one());
    let journal = journal(Some(&before), &one());
    for (head, tail) in [("", "\n"), ("\n", ""), ("\n", "\n"), ("// new\n", "\n// new\n")] {
        let now = format!("{head}{after}{tail}");
        let back = undo(Some(&now), "claude", Some(&journal)).unwrap();
        assert_eq!(back, Some(format!("{head}{before}{tail}")));
    }
}

#[test]
fn what_cannot_be_read_for_sure_is_refused() {
    let refused = |text: &str| plan(Some(text), &one()).unwrap_err();
    for text in [
        "{",
        "{\"a\":1 \"b\":2}",
        "{'a':1}",
        "{a:1}",
        "{\"a\":+1}",
        "{} {}",
        "{\"a\":\"\n\"}",
        "{\u{a0}}",
        "{,}",
    ] {
        assert!(matches!(refused(text), Error::Invalid { .. }), "{text:?}");
    }
    assert!(matches!(refused("\n{\"a\": tru}"), Error::Invalid { line: 2, column: 7 }));
    let wrong = |text, place: &str| matches!(refused(text), Error::WrongType { at, .. } if at == place);
    assert!(wrong("[]", "") && wrong("1", ""));
    assert!(wrong("{\"hooks\":[]}", "hooks") && wrong("{\"hooks\":null}", "hooks"));
    assert!(wrong("{\"hooks\":{\"A\":{}}}", "hooks.A"));
    let twice = |text, place: &str| matches!(refused(text), Error::Duplicate(at) if at == place);
    assert!(twice("{\"hooks\":{},\"hooks\":{}}", "hooks"));
    assert!(twice("{\"hooks\":{},\"\\u0068ooks\":{}}", "hooks"));
    assert!(twice("{\"hooks\":{\"A\":[],\"A\":[]}}", "hooks.A"));
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(refused(&deep), Error::Invalid { .. }));
}

#[test]
fn what_is_not_on_our_way_may_be_odd() {
    connected("{\"a\":1,\"a\":2,\"hooks\":{\"Z\":1,\"Z\":2}}", &both());
    connected("{\"hooks\":{\"A\":[null, {\"hooks\":7}, {\"hooks\":[null, {\"command\":[]}]}]}}", &both());
}

#[test]
fn the_diff_shows_what_is_written() {
    let before = "{\n  \"a\": 1\n}";
    let plan = plan(Some(before), &one()).unwrap();
    let change = Change {
        path: "/h/settings.json".into(),
        before: Some(before.to_owned()),
        after: Some(plan.after.clone()),
        intent: Intent::Connect(plan),
    };
    let expected = r#"--- /h/settings.json
+++ /h/settings.json
@@ -1,3 +1,15 @@
 {
-  "a": 1
+  "a": 1,
+  "hooks": {
+    "A": [
+      {
+        "hooks": [
+          {
+            "type": "command",
+            "command": "exec '/o/dasbo-hook' claude notify A"
+          }
+        ]
+      }
+    ]
+  }
 }
\ No newline at end of file
"#;
    assert_eq!(change.diff(), expected);
}
