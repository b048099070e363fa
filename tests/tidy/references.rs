//! References that a reader can follow: no numbers of chapters that the repository does not hold.

use std::sync::LazyLock;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

/// `decisions 2.5`, `decisions, chapter 9`, `chapter 7`, `contract chapter`, and in comments `(11.2)`.
static NUMBER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r#"(?i)\bdecisions?,? (?:chapters? )?[0-9]|\bchapters? ["0-9]|\bcontract chapter|//.*\([0-9]{1,2}\.[0-9]{1,2}\)"#,
    )
    .unwrap()
});

fn numbered(source: &Source) -> Vec<String> {
    let path = &source.path;
    source
        .text
        .lines()
        .enumerate()
        .filter(|(_, line)| NUMBER.is_match(line))
        .map(|(number, line)| {
            let line = line.trim();
            format!(
                "{path}:{}: say what it means, or link to a file of docs/decisions: {line}",
                number + 1
            )
        })
        .collect()
}

#[test]
fn nobody_refers_to_chapters_of_something_else() {
    let mut sources = sources::all();
    sources.extend(sources::documents());
    sources.retain(|source| !source.path.starts_with("tests/tidy/"));
    let complaints: Vec<_> = sources.iter().flat_map(numbered).collect();
    assert_none(&complaints);
}

#[test]
fn the_check_can_fail() {
    let path = "edge-node/src/keys.rs";
    let text = "//! Keys (decisions 2.5).\n//! decisions, chapter 9\n/// Contract chapter, item 8.\n/// See Chapter 7 (11.2).\n\
                /// chapter \"Results\"\n// Told (11.7).\n";
    let found = numbered(&Source::new(path, text));
    assert_eq!(found.len(), 6, "{found:#?}");
    assert!(found[0].starts_with("edge-node/src/keys.rs:1: "));

    let text = "//! The decision of 2026; RFC 5321, 4.2.3; see docs/decisions/mail.md.\nlet half = f(0.5); // 1.5 (of 2)\n";
    assert_none(&numbered(&Source::new(path, text)));
}
