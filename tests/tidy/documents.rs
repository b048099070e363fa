//! Documents: settings, links, lengths, decisions, the tests of faults. Paths have a file of their own.

use std::collections::BTreeSet;

use regex::Regex;

use crate::{
    assert_none,
    sources::{self, Source},
};

const MAX_README_LINES: usize = 150;
const INDEX: &str = "docs/decisions/README.md";
const MAX_DECISION: usize = 300;
/// The head of a table of figures, which come from a command and not from tests.
const FIGURES: &str = "| Abuse |";

/// The names in the first column of tables of settings.
fn documented(document: &str) -> BTreeSet<String> {
    let row = Regex::new(r"(?m)^\| (`[A-Z][A-Z_]+`(?:, `[A-Z][A-Z_]+`)*) \|").unwrap();
    let name = Regex::new("[A-Z][A-Z_]+").unwrap();
    row.captures_iter(document)
        .flat_map(|row| name.find_iter(row.get(1).unwrap().as_str()))
        .map(|name| name.as_str().to_owned())
        .collect()
}

/// The names that shipped code asks a `Reader` for.
fn read(sources: &[Source]) -> BTreeSet<String> {
    // One word alone may be anything, unless it is asked for.
    let literal =
        Regex::new(r#""([A-Z][A-Z]+(?:_[A-Z]+)+)"|\breader\s*\.\w+\(\s*"([A-Z]+)""#).unwrap();
    let mut names = BTreeSet::new();
    for source in sources.iter().filter(|source| source.is_shipped()) {
        let code = source.shipped_code();
        if code.contains("Reader") && !source.path.contains("serving/src/settings/") {
            names.extend(
                literal
                    .captures_iter(&code)
                    .filter_map(|found| found.get(1).or(found.get(2)))
                    .map(|name| name.as_str().to_owned()),
            );
        }
    }
    names
}

fn compare(documented: &BTreeSet<String>, read: &BTreeSet<String>) -> Vec<String> {
    let missing = read.difference(documented);
    let stale = documented.difference(read);
    missing
        .map(|name| format!("docs/settings.md does not explain {name}"))
        .chain(stale.map(|name| format!("docs/settings.md explains {name}, which nothing reads")))
        .collect()
}

/// Settings that a file for hosts gives, also those commented out.
fn given(file: &str) -> BTreeSet<String> {
    let line = Regex::new("(?m)^#?(?:Environment=)?([A-Z][A-Z_]+)=").unwrap();
    let names = line.captures_iter(file);
    names.map(|found| found[1].to_owned()).collect()
}

fn broken_links(document: &str, text: &str) -> Vec<String> {
    let link = Regex::new(r"\]\(([^)#:]+)(?:#[^)]*)?\)").unwrap();
    let path = sources::root().join(document);
    let folder = path.parent().expect("a document lies in a folder");
    link.captures_iter(text)
        .filter(|found| !folder.join(&found[1]).exists())
        .map(|found| format!("{document}: {} does not exist", &found[1]))
        .collect()
}

/// Rows of faults whose last cell names no test.
fn untested(faults: &Source) -> Vec<String> {
    let test = Regex::new(
        r"`(?:api|e2e|tests|[\w-]+/(?:\w+/)*(?:src|tests))/[^`]+\.(?:rs(?:::\w+)?|(?:test|spec)\.ts)`",
    )
    .unwrap();
    let tables = faults.text.split("\n\n");
    let rows: Vec<Vec<_>> = tables
        .filter(|table| !table.starts_with(FIGURES))
        .flat_map(|table| table.lines().filter(|line| line.starts_with("| ")))
        .filter(|line| !line.starts_with("| Fault"))
        .map(|line| line.split('|').map(str::trim).collect())
        .collect();
    let path = &faults.path;
    if rows.is_empty() || rows.iter().any(|cells| cells.len() != 6) {
        return vec![format!("{path}: a row does not have four cells")];
    }
    rows.iter()
        .filter(|cells| !test.is_match(cells[4]))
        .map(|cells| format!("{path}: no test for: {}", cells[1]))
        .collect()
}

/// Rows of decisions that do not have three cells, or are too long.
fn malformed(decisions: &Source) -> Vec<String> {
    let rows = decisions.text.lines().filter(|line| line.starts_with("| "));
    rows.filter(|row| row.matches('|').count() != 4 || row.chars().count() > MAX_DECISION)
        .map(|row| format!("{}: not three short cells: {row}", decisions.path))
        .collect()
}

/// Files of decisions that the index does not link to.
fn unlisted(index: &str, files: &[Source]) -> Vec<String> {
    let name = |file: &Source| file.path.rsplit('/').next().unwrap_or_default().to_owned();
    files
        .iter()
        .map(name)
        .filter(|name| !index.contains(&format!("]({name})")))
        .map(|name| format!("{INDEX} does not list {name}"))
        .collect()
}

fn decisions() -> Vec<Source> {
    let mut files = sources::documents();
    files.retain(|file| file.path.starts_with("docs/decisions/") && file.path != INDEX);
    files
}

fn document(path: &str) -> String {
    sources::file(path).text
}

#[test]
fn exactly_the_settings_that_are_read_are_explained() {
    assert_none(&compare(
        &documented(&document("docs/settings.md")),
        &read(&sources::all()),
    ));
}

#[test]
fn files_for_hosts_give_settings_that_there_are() {
    let known = documented(&document("docs/settings.md"));
    for file in [
        "halyard.env",
        "halyard-edge.env",
        "halyard.service",
        "halyard-edge.service",
    ] {
        let given = given(&document(&format!("deploy/systemd/{file}")));
        let unknown: Vec<_> = given.difference(&known).collect();
        assert!(unknown.is_empty(), "{file} gives {unknown:?}");
    }
}

#[test]
fn the_readme_stays_short() {
    let lines = document("README.md").lines().count();
    assert!(lines <= MAX_README_LINES, "README.md has {lines} lines");
}

#[test]
fn links_between_documents_lead_somewhere() {
    let complaints: Vec<_> = sources::documents()
        .iter()
        .flat_map(|document| broken_links(&document.path, &document.text))
        .collect();
    assert_none(&complaints);
}

#[test]
fn every_decision_is_a_short_row_of_three_cells() {
    let complaints: Vec<_> = decisions().iter().flat_map(malformed).collect();
    assert_none(&complaints);
}

#[test]
fn every_fault_names_a_test() {
    assert_none(&untested(&sources::file("docs/reliability.md")));
}

#[test]
fn every_file_of_decisions_is_in_the_index() {
    assert_none(&unlisted(&document(INDEX), &decisions()));
}

#[test]
fn the_operation_that_the_worked_example_shows_is_the_one_that_there_is() {
    let example = document("docs/adding-an-endpoint.md");
    let begin = example.find("/// Stores new segments").unwrap();
    let (shown, _) = example[begin..].split_once("```").unwrap();
    let code = document("control-plane/domain/src/segments/change.rs");
    assert!(code.contains(shown), "the code is no longer\n{shown}");
}

#[test]
fn each_check_can_fail() {
    let names = given("# Text.\n#APP_ENV=a\nEnvironment=JWT_SECRET=b\nType=notify\n");
    assert_eq!(names, ["APP_ENV", "JWT_SECRET"].map(str::to_owned).into());
    let settings = "| `APP_ENV`, `OLD_NAME` | `development` | |\n| `halyard` | |\n";
    let code = "//! Doc.\nfn load(r: &mut Reader<'_>) {\n    r.text(\"APP_ENV\", \"\");\n    r.text(\n        \"NEW_NAME\");\n}\n";
    let sources = [Source::new("edge-node/src/config.rs", code)];
    assert_eq!(
        compare(&documented(settings), &read(&sources)),
        [
            "docs/settings.md does not explain NEW_NAME",
            "docs/settings.md explains OLD_NAME, which nothing reads"
        ]
    );
    assert_eq!(
        broken_links("README.md", "[x](docs/none.md#y) [y](https://a.test/b)").len(),
        1
    );

    let faults = |row: &str| {
        let text = format!("| Fault | Seen | Until | Test |\n|---|---|---|---|\n{row}");
        untested(&Source::new("faults.md", &text))
    };
    assert_none(&faults(
        "| A | B | C | `tests/api/mail.rs::a`, `protocol/serving/src/body.rs` |",
    ));
    assert_none(&faults(
        "| A | B | C | `control-plane/dashboard/src/rules/notes.test.ts` |",
    ));
    assert_none(&faults("| A | B | C | `tests/dashboard/explain.spec.ts` |"));
    assert_none(&faults("| A | B | C | `e2e/outage.rs` |"));
    assert_eq!(
        faults("| A? | B | C | `tests/api` |"),
        ["faults.md: no test for: A?"]
    );
    for row in [
        "",
        "| A | B | `tests/a.rs` |",
        "| A | B | C | D | `tests/a.rs` |",
    ] {
        assert_eq!(faults(row), ["faults.md: a row does not have four cells"]);
    }

    let mail = |row: &str| Source::new("docs/decisions/mail.md", row);
    assert_none(&malformed(&mail("| A | B | C |\n|---|---|---|")));
    let long = format!("| A | B | {} |", "c".repeat(300));
    for row in ["| A | B |", "| A | B | C | D |", &long] {
        assert_eq!(malformed(&mail(row)).len(), 1, "{row}");
    }
    assert_eq!(
        unlisted("[http.md](http.md)", &[mail("")]),
        ["docs/decisions/README.md does not list mail.md"]
    );
}

/// The snippets of the page about SDKs are files, which `./dev ofrep` runs.
#[test]
fn snippets_are_printed_as_they_are_run() {
    let read = |path: &str| std::fs::read_to_string(sources::root().join(path)).unwrap();
    let page = read("docs/ofrep.md");
    let is_missing = |file: &&str| {
        let snippet = read(&format!("tests/ofrep/snippets/{file}"));
        !page.contains(&format!("\n{snippet}```"))
    };
    let missing = ["curl.sh", "node.mjs", "python.py", "web.mjs", "react.jsx"]
        .into_iter()
        .filter(is_missing)
        .map(|file| format!("docs/ofrep.md does not print {file} as it is"));
    assert_none(&missing.collect::<Vec<_>>());
}
