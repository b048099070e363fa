use serde_json::json;

use super::*;

fn parse(text: &str) -> Value {
    let document = Document::parse(text).unwrap_or_else(|problems| panic!("{text}: {problems:?}"));
    document.value().clone()
}

fn problems(text: &str) -> Vec<String> {
    let problems = Document::parse_named("f", text).map(|document| document.value().clone());
    let problems = problems.expect_err(text);
    problems.iter().map(ToString::to_string).collect()
}

fn place(document: &Document, path: &str) -> (u32, u32) {
    let place = document.place(&path.parse().unwrap());
    (place.line, place.column)
}

#[test]
fn plain_scalars_mean_what_the_core_schema_says() {
    for (text, value) in [
        ("~", json!(null)),
        ("", json!(null)),
        ("Null", json!(null)),
        ("TRUE", json!(true)),
        ("tRUE", json!("tRUE")),
        ("yes", json!("yes")),
        ("off", json!("off")),
        ("12", json!(12)),
        ("+12", json!(12)),
        ("-12", json!(-12)),
        ("0x1F", json!(31)),
        ("0o17", json!(15)),
        ("0b1", json!("0b1")),
        ("18446744073709551615", json!(u64::MAX)),
        ("-9223372036854775808", json!(i64::MIN)),
        ("1.5", json!(1.5)),
        (".5", json!(0.5)),
        ("5.", json!(5.0)),
        ("1e3", json!(1000.0)),
        ("-1.0E-2", json!(-0.01)),
        ("1e", json!("1e")),
        (".", json!(".")),
        ("1_000", json!("1_000")),
        ("2026-01-02", json!("2026-01-02")),
        ("1.2.3", json!("1.2.3")),
        ("\"12\"", json!("12")),
        ("'true'", json!("true")),
        ("!!str 12", json!("12")),
        ("!!float 12", json!(12.0)),
        ("!!int 12", json!(12)),
        ("!!map {}", json!({})),
    ] {
        assert_eq!(parse(text), value, "{text}");
    }
}

#[test]
fn json_is_read_as_json() {
    let text = "{\n\t\"a\": [1, 2.5e3, true, null, {}],\n\t\"\\u00fc\\/\": \"\\ud83d\\ude00\\n\", \"b\":\"c:d\"}\n";
    assert_eq!(parse(text), serde_json::from_str::<Value>(text).unwrap());
}

#[test]
fn what_files_may_not_hold_is_refused_where_it_stands() {
    for (text, problem) in [
        (
            "a: 1\nb:\n  c: &x 1\n",
            "f:3:9: an anchor: write out what refers to it",
        ),
        ("a: !mine 1\n", "f:1:10: the tag !mine is not known here"),
        ("a: !!set {b}\n", "f:1:10: the tag !!set is not known here"),
        ("a: !!int x\n", "f:1:10: \"x\" is no !!int"),
        (
            "a: 1\n---\nb: 1\n",
            "f:2:1: a second document: a file holds one",
        ),
        (
            "a: 1\nb: 2\na: 3\n",
            "f:3:1: the key \"a\" stands here twice: first in line 1",
        ),
        ("a:\n  1: x\n", "f:2:3: a key must be text: write \"1\""),
        ("true: x\n", "f:1:1: a key must be text: write \"true\""),
        (
            "? [a]\n: x\n",
            "f:1:3: a key must be text, not a list or a map",
        ),
        (
            "a: .nan\n",
            "f:1:4: .nan is no number that JSON can hold: write \".nan\" if it is text",
        ),
        (
            "a: 1e999\n",
            "f:1:4: 1e999 is no number that JSON can hold: write \"1e999\" if it is text",
        ),
        (
            "a: 007\n",
            "f:1:4: 007 has leading zeros: write \"007\" if it is text",
        ),
        (
            "a: 18446744073709551616\n",
            "f:1:4: 18446744073709551616 does not fit into 64 bits: write \"18446744073709551616\" if it is text, 18446744073709551616.0 if it may be rounded",
        ),
    ] {
        assert_eq!(problems(text), [problem], "{text}");
    }
}

#[test]
fn all_that_is_wrong_is_said_at_once() {
    let found = problems("a: &x 1\nb: *x\nc: 1\nc: 2\n1: 2\n");
    let places: Vec<_> = found.iter().map(|problem| &problem[..6]).collect();
    assert_eq!(places, ["f:1:7:", "f:2:4:", "f:4:1:", "f:5:1:"]);
}

#[test]
fn errors_of_syntax_have_their_place() {
    for (text, place) in [
        ("a: [1, 2\nb: 1\n", "f:2:"),
        ("a: 1\n b: 2\n", "f:2:"),
        ("a:\n\tb: 1\n", "f:2:"),
        ("{\"a\": \"x}", "f:1:"),
        ("%YAML 1.1\n---\na: yes\n", "f:1:1:"),
    ] {
        let found = problems(text);
        assert_eq!(found.len(), 1);
        assert!(found[0].starts_with(place), "{found:?}");
    }
}

#[test]
fn sizes_and_depths_are_bounded() {
    let large = "a".repeat(MAX_BYTES + 1);
    assert_eq!(
        problems(&large),
        ["f: has 1048577 bytes, more than 1048576"]
    );
    assert!(Document::parse(&large[1..]).is_ok());
    let nested = |depth| "[".repeat(depth) + &"]".repeat(depth);
    let mixed = |depth| "- ".repeat(40) + &nested(depth - 40);
    for text in [nested(MAX_DEPTH), "- ".repeat(MAX_DEPTH), mixed(MAX_DEPTH)] {
        assert!(Document::parse(&text).is_ok());
    }
    for text in [
        nested(MAX_DEPTH + 1),
        "- ".repeat(MAX_DEPTH + 1),
        mixed(MAX_DEPTH + 1),
        "[".repeat(MAX_BYTES),
        "- ".repeat(MAX_BYTES / 2),
        "{a: ".repeat(MAX_BYTES / 4),
    ] {
        let found = problems(&text);
        assert_eq!(found.len(), 1);
        let message = ": more than 64 lists and maps in one another";
        assert!(found[0].ends_with(message), "{found:?}");
    }
}

#[test]
fn places_are_those_of_values_or_of_keys_whose_values_begin_later() {
    let text = "\
# flags
key: checkout
rules:
  - key: größe
    values: [a, \"b\"]
    text: |
      long
  - {key: c}
";
    let document = Document::parse(text).unwrap();
    for (path, at) in [
        ("", (2, 1)),
        ("key", (2, 6)),
        ("rules", (3, 1)),
        ("rules[0]", (4, 5)),
        ("rules[0].key", (4, 10)),
        ("rules[0].values", (5, 13)),
        ("rules[0].values[1]", (5, 17)),
        ("rules[0].text", (6, 11)),
        ("rules[1].key", (8, 11)),
        ("rules[0].values[2]", (5, 13)),
        ("rules[7].key", (3, 1)),
        ("nowhere.at.all", (2, 1)),
    ] {
        assert_eq!(place(&document, path), at, "{path}");
    }
    let key = document.key_place(&"rules[0].values".parse().unwrap());
    assert_eq!((key.line, key.column), (5, 5));
    let of_umlauts = Document::parse("\"größe\": 1").unwrap();
    assert_eq!(place(&of_umlauts, "größe"), (1, 10));
}

#[test]
fn a_block_of_text_stands_where_its_sign_does() {
    let text = "\
a: |- # a | b
  text
b:
  - >

    folded

  - |
  -
    |
    text
c: |
d: 1
";
    let document = Document::parse(text).unwrap();
    for (path, at) in [
        ("a", (1, 4)),
        ("b[0]", (4, 5)),
        ("b[1]", (8, 5)),
        ("b[2]", (10, 5)),
        ("c", (12, 4)),
        ("d", (13, 4)),
    ] {
        assert_eq!(place(&document, path), at, "{path}");
    }
}

#[test]
fn problems_are_told_up_to_a_number() {
    assert_eq!(problems(&"- *x\n".repeat(1_000)).len(), 100);
    assert_eq!(problems(&"- 007\n".repeat(1_000)).len(), 100);
}

#[test]
fn a_text_of_nothing_is_null() {
    for text in ["", "\n\n", "# nothing\n", "---\n"] {
        assert_eq!(parse(text), Value::Null);
    }
    assert_eq!(parse("\u{feff}a: 1\r\nb: 2\r\n"), json!({"a": 1, "b": 2}));
}

#[test]
fn keys_keep_the_order_of_the_text() {
    let document = Document::parse("c: 1\na: {z: 1, b: 2}\nb: 3\n").unwrap();
    assert_eq!(document.keys(&Path::root()), ["c", "a", "b"]);
    let written = serde_json::to_string(&document.to_node()).unwrap();
    assert_eq!(written, r#"{"c":1,"a":{"z":1,"b":2},"b":3}"#);
}
