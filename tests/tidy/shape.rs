//! What a file may look like: its length, and what is never left in it.

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

/// Far above what a file should have (100 to 250 lines): here it must be split.
const MAX_LINES: usize = 400;

fn too_long(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.is_rust())
        .map(|source| (source, source.text.lines().count()))
        .filter(|(_, lines)| *lines > MAX_LINES)
        .map(|(source, lines)| format!("{}: {lines} lines, more than {MAX_LINES}", source.path))
        .collect()
}

fn lines_with(pattern: &str, what: &str, path: &str, text: &str) -> Vec<String> {
    let pattern = Regex::new(pattern).unwrap();
    text.lines()
        .enumerate()
        .filter(|(_, line)| pattern.is_match(line))
        .map(|(number, _)| format!("{path}:{}: {what}", number + 1))
        .collect()
}

fn unfinished(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| !source.path.starts_with("tests/tidy/"))
        .flat_map(|source| {
            let pattern = r"\b(TODO|FIXME|XXX)\b";
            lines_with(pattern, "unfinished work", &source.path, &source.text)
        })
        .collect()
}

fn ignored_tests(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.is_rust() && !source.path.starts_with("tests/tidy/"))
        .flat_map(|source| {
            lines_with(
                r"#\[ignore",
                "a test that never runs",
                &source.path,
                &source.text,
            )
        })
        .collect()
}

fn undocumented_modules(sources: &[Source]) -> Vec<String> {
    sources
        .iter()
        .filter(|source| source.is_shipped() && !source.text.starts_with("//!"))
        .map(|source| format!("{}: no module documentation", source.path))
        .collect()
}

#[test]
fn no_file_is_longer_than_the_limit() {
    assert_none(&too_long(&sources::all()));
}

#[test]
fn nothing_is_left_unfinished() {
    assert_none(&unfinished(&sources::all()));
}

#[test]
fn no_test_is_switched_off() {
    assert_none(&ignored_tests(&sources::all()));
}

#[test]
fn every_module_says_what_it_is_for() {
    assert_none(&undocumented_modules(&sources::all()));
}

#[test]
fn each_check_can_fail() {
    let path = "edge-node/src/http/mod.rs";
    let text = "fn f() {\n    // TODO later\n}\n";
    let source = [Source::new(path, text)];
    assert_eq!(unfinished(&source), [format!("{path}:2: unfinished work")]);
    assert_eq!(undocumented_modules(&source).len(), 1);

    let long = [Source::new(path, &"\n".repeat(MAX_LINES + 1))];
    assert_eq!(
        too_long(&long),
        [format!("{path}: 401 lines, more than 400")]
    );

    let ignored = [Source::new(
        "tests/api/flags.rs",
        "#[test]\n#[ignore]\nfn f() {}\n",
    )];
    assert_eq!(
        ignored_tests(&ignored),
        ["tests/api/flags.rs:2: a test that never runs"]
    );
}
