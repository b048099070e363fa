//! The previous release, as `deploy/previous-release` names it: what it froze, and that migrations since then let it go on working.

use std::collections::BTreeSet;
use std::env;
use std::process::Command;
use std::sync::LazyLock;

use harness::places;
use protocol::wire::message::ALPN;
use regex::Regex;

use crate::{assert_none, sources};

/// Databases, edges and SDKs rely on these.
const FROZEN: [&str; 3] = [
    "migrations/*.sql",
    "protocol/conformance/*.json",
    "protocol/tests/golden",
];

/// Statements that are agreed upon, with the reason why the previous release works on.
const AGREED: [(&str, &str); 1] = [(
    "20261126100200_approval_notes.sql: address_mails ADD CONSTRAINT",
    "it permits more than the constraint that it replaces",
)];

/// What git says of the commit of the previous release; `None` on a machine without it.
fn git(arguments: &[&str]) -> Option<String> {
    if env::var_os("HALYARD_WITHOUT_PREVIOUS").is_some() {
        eprintln!("not checked: HALYARD_WITHOUT_PREVIOUS is set");
        return None;
    }
    let output = Command::new("git")
        .arg("-C")
        .arg(places::repository())
        .args(arguments)
        .output();
    let output = output.expect("git runs");
    assert!(
        output.status.success(),
        "git {arguments:?}: {}\na shallow clone lacks the previous release: `git fetch --unshallow --tags` gets it, \
         HALYARD_WITHOUT_PREVIOUS=1 leaves its tests out",
        String::from_utf8_lossy(&output.stderr)
    );
    Some(String::from_utf8(output.stdout).expect("files of ours are text"))
}

/// A file as the previous release had it.
pub fn file(path: &str) -> Option<String> {
    let (_, commit) = places::previous_release();
    git(&["show", &format!("{commit}:{path}")])
}

/// The names of the migrations of the previous release.
fn migrations() -> Option<BTreeSet<String>> {
    let (_, commit) = places::previous_release();
    let names = git(&["ls-tree", "--name-only", &format!("{commit}:migrations")])?;
    Some(names.lines().map(str::to_owned).collect())
}

/// The migrations made since then, each with its name.
fn later_migrations() -> Option<Vec<(String, String)>> {
    let before = migrations()?;
    let mut later = Vec::new();
    for entry in std::fs::read_dir(places::repository().join("migrations")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".sql") && !before.contains(&name) {
            later.push((sources::file(&format!("migrations/{name}")).text, name));
        }
    }
    Some(later)
}

/// What in a migration may hinder a build that does not know it, as `table statement`. Tables made since then are free.
fn hindrances(sql: &str, new_tables: &BTreeSet<String>) -> Vec<String> {
    static COMMENT: LazyLock<Regex> = LazyLock::new(|| Regex::new("--[^\n]*").unwrap());
    static TABLE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"^(?:ALTER TABLE|DROP TABLE|CREATE UNIQUE INDEX \w+ ON)(?: IF EXISTS)? (\w+)")
            .unwrap()
    });
    static HINDRANCE: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(
            r"^DROP TABLE|^CREATE UNIQUE INDEX|DROP COLUMN|RENAME|ALTER COLUMN \w+ (?:SET DATA )?TYPE|SET NOT NULL|ADD CONSTRAINT",
        )
        .unwrap()
    });

    let sql = COMMENT.replace_all(sql, "");
    let mut found = Vec::new();
    for statement in sql.split(';') {
        let statement = statement.split_whitespace().collect::<Vec<_>>().join(" ");
        let Some(table) = TABLE.captures(&statement).map(|found| found[1].to_owned()) else {
            continue;
        };
        if new_tables.contains(&table) {
            continue;
        }
        let of_it = HINDRANCE.find_iter(&statement);
        found.extend(of_it.map(|found| format!("{table} {}", found.as_str())));
        let columns = statement.split("ADD COLUMN ").skip(1);
        let unfilled =
            columns.filter(|column| column.contains(" NOT NULL") && !column.contains("DEFAULT"));
        found.extend(unfilled.map(|column| {
            let name = column.split(' ').next().unwrap_or_default();
            format!("{table} ADD COLUMN {name} NOT NULL")
        }));
    }
    found
}

fn tables_made(sql: &str) -> Vec<String> {
    static MADE: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"(?m)^CREATE TABLE (\w+)").unwrap());
    let made = MADE.captures_iter(sql).map(|found| found[1].to_owned());
    made.collect()
}

/// Fails for what was found and is not agreed, and for what is agreed and not found; with the reasons of what is agreed.
pub(crate) fn assert_agreed(found: &[String], agreed: &[(&str, &str)]) {
    let is_agreed = |one: &&String| agreed.iter().any(|(row, _)| row == one);
    let others: Vec<_> = found
        .iter()
        .filter(|one| !is_agreed(one))
        .cloned()
        .collect();
    assert_none(&others);
    for (row, reason) in agreed {
        assert!(
            found.iter().any(|one| one == row),
            "no longer there: {row} ({reason})"
        );
    }
}

#[test]
fn the_tag_of_the_previous_release_names_its_commit() {
    let (tag, commit) = places::previous_release();
    let Some(tags) = git(&["tag", "--list", &tag]) else {
        return;
    };
    // Clones for continuous integration may have no tags.
    if !tags.is_empty() {
        let named = git(&["rev-parse", &format!("{tag}^{{commit}}")]);
        assert_eq!(named.as_deref().map(str::trim), Some(commit.as_str()));
    }
}

#[test]
fn the_changelog_says_what_an_upgrade_takes() {
    let changelog = sources::file("CHANGELOG.md").text;
    let mut sections = changelog.split("\n## [").skip(1);
    let unreleased = sections.next().expect("a section");
    let released = sections.next().expect("a section");
    let (tag, _) = places::previous_release();
    assert!(released.starts_with(&format!("{}] - ", &tag[1..])), "{tag}");
    if let Some(later) = later_migrations() {
        let changes = if later.is_empty() { "no" } else { "yes" };
        let link = ALPN.map(String::from_utf8_lossy).join(", ");
        let line =
            format!("Unreleased]\n\nSchema changes: {changes}. Link: {link}. Restart order: ");
        assert!(unreleased.starts_with(&line), "CHANGELOG.md: {line}");
    }
}

#[test]
fn what_the_previous_release_froze_stays_as_it_is() {
    let (_, commit) = places::previous_release();
    let mut arguments = vec!["diff", "--name-only", "--diff-filter=DMRT", &commit, "--"];
    arguments.extend(FROZEN);
    let changed = git(&arguments).unwrap_or_default();
    assert_none(&changed.lines().map(str::to_owned).collect::<Vec<_>>());
}

#[test]
fn later_migrations_let_the_previous_release_go_on_working() {
    let Some(later) = later_migrations() else {
        return;
    };
    let new_tables: BTreeSet<_> = later.iter().flat_map(|(sql, _)| tables_made(sql)).collect();
    let found: Vec<_> = later
        .iter()
        .flat_map(|(sql, name)| {
            let found = hindrances(sql, &new_tables).into_iter();
            found.map(move |hindrance| format!("{name}: {hindrance}"))
        })
        .collect();
    assert_agreed(&found, &AGREED);
}

#[test]
fn the_check_can_fail() {
    let sql = "-- DROP TABLE a;\nDROP TABLE b;\nALTER TABLE c\n    ADD COLUMN d text,\n    ADD COLUMN e int NOT NULL DEFAULT 0,\n    \
               ADD COLUMN f int NOT NULL,\n    ALTER COLUMN g TYPE bigint,\n    ALTER COLUMN h SET NOT NULL,\n    DROP COLUMN i;\n\
               ALTER TABLE c RENAME TO j;\nCREATE UNIQUE INDEX k ON c (d);\nCREATE TABLE m (n int NOT NULL);\n\
               ALTER TABLE m ADD CONSTRAINT o CHECK (n > 0);\nALTER TABLE c DROP CONSTRAINT p;\n";
    let new_tables: BTreeSet<_> = tables_made(sql).into_iter().collect();
    let expected = [
        "b DROP TABLE",
        "c ALTER COLUMN g TYPE",
        "c SET NOT NULL",
        "c DROP COLUMN",
        "c ADD COLUMN f NOT NULL",
        "c RENAME",
        "c CREATE UNIQUE INDEX",
    ];
    assert_eq!(hindrances(sql, &new_tables), expected);
}
