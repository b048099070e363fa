//! The threat model names tests that there are: functions that run as tests, or tests in a browser by their titles.

use std::fs;

use regex::Regex;

use crate::{
    assert_none, paths,
    sources::{self, Source},
};

/// How the tables of threats begin; other tables name tests or none.
const HEAD: &str = "| May try |";

/// Whether a file has a test of this name. Those behind each proxy are made by a macro.
fn has_test(text: &str, name: &str) -> bool {
    let name = regex::escape(name);
    let function = r"#\[(?:tokio::)?test(?:\([^\]]*\))?\]\s+(?:#\[[^\]]*\]\s+)*(?:async )?fn ";
    let forms = format!(r"{function}{name}\(|behind_each!\([^)]*\b{name}\b|\btest\('{name}'");
    Regex::new(&forms).unwrap().is_match(text)
}

fn untested(document: &Source) -> Vec<String> {
    let test = Regex::new(r"`([\w./-]+)::([^`]+)`").unwrap();
    let path = &document.path;
    let mut complaints = Vec::new();
    for named in test.captures_iter(&document.text) {
        let files = paths::named(document, &named[1]);
        let mut texts = files
            .iter()
            .filter_map(|file| fs::read_to_string(file).ok());
        if !texts.any(|text| has_test(&text, &named[2])) {
            complaints.push(format!("{path}: there is no test {}", &named[0]));
        }
    }
    let tables = document.text.split("\n\n");
    let rows: Vec<_> = tables
        .filter(|table| table.starts_with(HEAD))
        .flat_map(|table| table.lines().skip(2))
        .collect();
    if rows.is_empty() {
        complaints.push(format!("{path}: there are no threats"));
    }
    for row in rows {
        let cells: Vec<_> = row.trim_matches('|').split('|').collect();
        if cells.len() != 3 || !test.is_match(cells[2]) {
            complaints.push(format!("{path}: no test for: {}", cells[0].trim()));
        }
    }
    complaints
}

#[test]
fn every_threat_names_a_test_that_there_is() {
    assert_none(&untested(&sources::file("docs/security.md")));
}

#[test]
fn the_check_can_fail() {
    let model = |shown_by: &str| {
        let text =
            format!("{HEAD} What | Shown by |\n|---|---|---|\n| to enter | a door | {shown_by} |");
        untested(&Source::new("docs/security.md", &text))
    };
    for there_is in [
        "`tidy/threats.rs::the_check_can_fail`",
        "`api/conventions.rs::a_token_that_is_none_is_refused`",
        "`e2e/proxies/mod.rs::each_client_has_rates_of_its_own`",
        "`dashboard/signin.spec.ts::after a sign-in nobody is led elsewhere`",
    ] {
        assert_none(&model(there_is));
    }
    for there_is_none in [
        "`tidy/threats.rs::has_test`",
        "`tidy/threats.rs::the_check_can`",
        "`api/conventions.rs::the_check_can_fail`",
        "`dashboard/signin.spec.ts::after a sign-in`",
        "`dashboard/none.spec.ts::after a sign-in nobody is led elsewhere`",
    ] {
        let expected = format!("docs/security.md: there is no test {there_is_none}");
        assert_eq!(model(there_is_none), [expected]);
    }
    let expected = "docs/security.md: no test for: to enter";
    for cell in [
        "",
        "`tidy/threats.rs`",
        "a | `tidy/threats.rs::the_check_can_fail`",
    ] {
        assert_eq!(model(cell), [expected], "{cell}");
    }
    let none = untested(&Source::new("docs/security.md", "Text."));
    assert_eq!(none, ["docs/security.md: there are no threats"]);
}
