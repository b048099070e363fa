use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::{arbitrary, document::Document};

fn yaml(value: Value) -> String {
    to_yaml(&Node::from(value))
}

fn read(text: &str) -> Node {
    match Document::parse(text) {
        Ok(document) => document.to_node(),
        Err(problems) => panic!("{problems:?} in\n{text}"),
    }
}

#[test]
fn a_flag_is_written_for_people() {
    let flag = r#"{
        "key": "checkout",
        "name": "Checkout: the new one",
        "description": "First line.\n\n  - indented\nlast line",
        "tags": ["payments", "q3", "on"],
        "variants": [{"key": "on", "value": true}, {"key": "off", "value": {}}],
        "environments": {
            "production": {
                "enabled": true,
                "rules": [
                    {
                        "conditions": [{"attribute": "email", "operator": "matches", "values": ["^.+@(a|b)\\.example$", "[a-z]\\d"]}],
                        "percentage": 12.5,
                        "groups": [[1, 2], [{"a": []}]]
                    }
                ],
                "notes": null
            }
        },
        "until": "2026-01-02",
        "text": "ends with a line\n"
    }"#;
    let node: Node = serde_json::from_str(flag).unwrap();
    let want = r#"key: checkout
name: "Checkout: the new one"
description: |-
  First line.

    - indented
  last line
tags: [payments, q3, "on"]
variants:
  - key: "on"
    value: true
  - key: "off"
    value: {}
environments:
  production:
    enabled: true
    rules:
      - conditions:
          - attribute: email
            operator: matches
            values: [^.+@(a|b)\.example$, '[a-z]\d']
        percentage: 12.5
        groups:
          - [1, 2]
          - - a: []
    notes: null
until: "2026-01-02"
text: |
  ends with a line
"#;
    assert_eq!(to_yaml(&node), want);
    assert_eq!(read(want), node);
}

#[test]
fn text_is_quoted_where_a_reader_could_take_it_for_something_else() {
    for plain in [
        "a",
        "a b",
        "a:b",
        "a#b",
        "https://a.example/x?y=1#z",
        "größe",
        "Ja, nein",
        "_x",
        "^a+$",
        "1st",
        "8f14e45f-ceea-4672-9c1b-3a4b5c6d7e8f",
        "it's",
        "日本 語",
        "nothing",
        "a\\d",
    ] {
        assert_eq!(yaml(json!(plain)), format!("{plain}\n"));
    }
    for quoted in [
        "",
        " a",
        "a ",
        "yes",
        "No",
        "ON",
        "off",
        "y",
        "N",
        "null",
        "NULL",
        "~",
        "true",
        "False",
        "1",
        "-1",
        "+1",
        "0x1f",
        "0o7",
        "0b1",
        "1_000",
        "1.5",
        ".5",
        ".inf",
        ".NaN",
        "1e3",
        "1.2.3",
        "12:30",
        "12:30:45",
        "2026-01-02",
        "2026-01-02T10:00:00Z",
        "a: b",
        "a #b",
        "#a",
        "a:",
        "- a",
        "-",
        "---",
        "...",
        "? a",
        ": a",
        "& a",
        "&a",
        "*a",
        "!a",
        "|",
        ">",
        "@a",
        "`a",
        "%a",
        "{a",
        "[a",
        "]a",
        ",a",
        "=",
        "<<",
    ] {
        assert_eq!(yaml(json!(quoted)), format!("\"{quoted}\"\n"));
    }
    assert_eq!(yaml(json!("'a")), "\"'a\"\n");
    assert_eq!(yaml(json!("[\"a\"]")), "'[\"a\"]'\n");
    assert_eq!(
        yaml(json!(["a,b", "a]", "a:b", "ab"])),
        "[\"a,b\", \"a]\", \"a:b\", ab]\n"
    );
}

#[test]
fn what_a_reviewer_would_not_see_is_escaped() {
    assert_eq!(
        yaml(json!("a\u{202e}b\u{200b}\t\u{7}")),
        "\"a\\u202eb\\u200b\\t\\u0007\"\n"
    );
    assert_eq!(
        yaml(json!("a\u{85}\u{2028}\u{feff}")),
        "\"a\\u0085\\u2028\\ufeff\"\n"
    );
    assert_eq!(yaml(json!("a \nb")), "\"a \\nb\"\n");
    assert_eq!(yaml(json!(" a\nb")), "\" a\\nb\"\n");
    assert_eq!(yaml(json!("a\n\n")), "\"a\\n\\n\"\n");
    assert_eq!(yaml(json!("\n")), "\"\\n\"\n");
}

#[test]
fn lists_of_scalars_stay_in_a_line_of_80_columns() {
    let list = |length: usize| json!({"values": [("a".repeat(length)), 1]});
    let line = yaml(list(67));
    assert_eq!(line.trim_end().len(), 80);
    assert_eq!(line.lines().count(), 1);
    assert_eq!(
        yaml(list(68)),
        format!("values:\n  - {}\n  - 1\n", "a".repeat(68))
    );
}

#[test]
fn numbers_are_numbers_to_all_readers() {
    assert_eq!(
        yaml(json!([1e300, 1.5e-9, -0.0, 1.0, u64::MAX])),
        "[1.0e+300, 1.5e-9, -0.0, 1.0, 18446744073709551615]\n"
    );
}

#[test]
fn long_keys_are_marked() {
    let node =
        Node::from(json!({"k".repeat(2_000): {"a": [{"b": 1}]}, "x": {"y".repeat(2_000): [1]}}));
    assert_eq!(read(&to_yaml(&node)), node);
}

#[test]
fn json_is_indented_and_keeps_its_order() {
    let node: Node = serde_json::from_str(r#"{"b": [1, {}], "a": "x"}"#).unwrap();
    assert_eq!(
        to_json(&node),
        "{\n  \"b\": [\n    1,\n    {}\n  ],\n  \"a\": \"x\"\n}\n"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_written_is_read_back(node in arbitrary::node()) {
        let text = to_yaml(&node);
        let document = Document::parse(&text);
        let document = document.map_err(|problems| TestCaseError::fail(format!("{problems:?} in\n{text}")))?;
        prop_assert_eq!(&document.to_node(), &node, "{}", text);
        prop_assert_eq!(document.value(), &node.to_value());
        prop_assert_eq!(to_yaml(&document.to_node()), text);
        let json = Document::parse(&to_json(&node)).map(|document| document.to_node());
        prop_assert_eq!(json, Ok(node));
    }
}
