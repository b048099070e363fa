//! Data for property tests, much of it nasty.

use proptest::prelude::*;
use serde_json::Number;

use crate::node::Node;

/// Pieces of which texts are made that readers of YAML stumble over.
const PIECES: &[&str] = &[
    "a",
    "key",
    " ",
    "  ",
    "\n",
    "\n\n",
    "\t",
    "\r\n",
    ":",
    ": ",
    "#",
    " #",
    "-",
    "- ",
    "---",
    "...",
    "\n---\n",
    "?",
    "? ",
    "|",
    ">",
    "'",
    "\"",
    "\\",
    "[",
    "]",
    "{",
    "}",
    ",",
    "&",
    "*",
    "!",
    "%",
    "@",
    "`",
    "~",
    "0",
    "1",
    "0x",
    "e",
    ".",
    "_",
    "+",
    "yes",
    "null",
    "true",
    "<<",
    "=",
    "ü",
    "日",
    "😀",
    "\u{85}",
    "\u{a0}",
    "\u{2028}",
    "\u{feff}",
    "\u{fffe}",
    "\u{0}",
    "\u{7f}",
    "\u{1ffff}",
    "\u{200d}",
    "\u{e000}",
    "\u{10ffff}",
];

pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => "[a-z]{1,8}",
        3 => prop::collection::vec(prop::sample::select(PIECES), 0..8).prop_map(|pieces| pieces.concat()),
        1 => any::<String>(),
        1 => prop::collection::vec("[ a-z#:-]{0,12}", 1..5).prop_map(|lines| lines.join("\n")),
    ]
}

fn scalar() -> impl Strategy<Value = Node> {
    prop_oneof![
        1 => Just(Node::Null),
        1 => any::<bool>().prop_map(Node::Bool),
        1 => any::<i64>().prop_map(|number| Node::Number(number.into())),
        1 => any::<u64>().prop_map(|number| Node::Number(number.into())),
        1 => any::<f64>().prop_map(|number| Number::from_f64(number).map_or(Node::Null, Node::Number)),
        6 => text().prop_map(Node::Text),
    ]
}

/// Any data, up to a few lists and maps deep.
pub(crate) fn node() -> impl Strategy<Value = Node> {
    scalar().prop_recursive(5, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Node::List),
            entries(inner).prop_map(Node::Map),
        ]
    })
}

fn entries(inner: impl Strategy<Value = Node>) -> impl Strategy<Value = Vec<(String, Node)>> {
    prop::collection::vec((text(), inner), 0..6).prop_map(|mut map| {
        let mut seen = std::collections::HashSet::new();
        map.retain(|(key, _)| seen.insert(key.clone()));
        map
    })
}
