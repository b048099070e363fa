//! The commands for flags as files, as programs see them: exit codes, what is written, and where.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

const FLAG: &str = "\
flag_type: boolean
environments:
  production:
    enabled: true
    rules:
      - {id: nl, conditions: [{attribute: country, operator: in, values: [NL]}]}
";

const CASES: &str = "\
- name: at home
  flag: a
  context: {key: ada, attributes: {country: NL}}
  expect: {value: true}
- name: abroad
  flag: a
  context: {key: ada, attributes: {country: DE}}
  expect: {reason: TARGETED}
";

fn folder(flag: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in [("flags/a.yaml", flag), ("tests/a.yaml", CASES)] {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// Runs a command in a folder: its exit code, standard output and standard error.
fn run(dir: &Path, words: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halyardctl"));
    let Output {
        status,
        stdout,
        stderr,
    } = command.args(words).current_dir(dir).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (status.code().unwrap(), text(stdout), text(stderr))
}

#[test]
fn valid_files_are_summed_up() {
    let dir = folder(FLAG);
    let summary = "1 flag, 0 segments, 1 environment and 2 tests are valid\n";
    let expected = (0, summary.to_owned(), String::new());
    assert_eq!(run(dir.path(), &["validate"]), expected);
    let path = dir.path().display().to_string();
    assert_eq!(run(Path::new("/"), &["validate", &path]), expected);
    assert_eq!(run(Path::new("/"), &["validate", "--dir", &path]), expected);
}

#[test]
fn problems_go_to_standard_error_and_fail() {
    let dir = folder(&FLAG.replace("operator: in", "operater: in"));
    let (code, out, err) = run(dir.path(), &["validate"]);
    assert_eq!((code, out.as_str()), (1, ""));
    let field = r#"flags/a.yaml:6:52: unknown field "operater", did you mean "operator"?"#;
    assert!(err.lines().any(|line| line == field), "{err}");
    let (code, out, err) = run(dir.path(), &["validate", "-o", "json"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(
        out.contains(r#""line": 6"#) && out.contains(r#""valid": false"#),
        "{out}"
    );
    assert_eq!(run(dir.path(), &["test"]).0, 1);
}

#[test]
fn warnings_fail_if_asked_to() {
    let dir = folder(&FLAG.replace("id: nl, ", "id: nl, segment_keys: [gone], "));
    let (code, out, err) = run(dir.path(), &["validate"]);
    assert_eq!(code, 0, "{out}{err}");
    assert!(err.starts_with("flags/a.yaml:6:"), "{err}");
    assert!(
        err.contains(": warning: ") && err.contains("no segment has the key gone"),
        "{err}"
    );
    assert_eq!(run(dir.path(), &["validate", "--strict"]).0, 1);
}

#[test]
fn tests_fail_with_a_reason_and_a_report() {
    let dir = folder(FLAG);
    let (code, out, err) = run(dir.path(), &["test", "--junit", "report.xml"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(
        out.starts_with("tests/a.yaml:5:3: failed: abroad\n"),
        "{out}"
    );
    assert!(
        out.contains("rule nl does not match: country is \"DE\", not in [NL]"),
        "{out}"
    );
    assert!(out.ends_with("1 of 2 tests failed\n"), "{out}");
    let report = fs::read_to_string(dir.path().join("report.xml")).unwrap();
    assert!(report.contains(r#"<testcase name="at home""#), "{report}");
    assert!(report.contains("<failure message="), "{report}");
    let one = run(dir.path(), &["test", "--filter", "home"]);
    assert_eq!(one, (0, "1 test passes\n".to_owned(), String::new()));
    let none = run(dir.path(), &["test", "--filter", "nowhere"]);
    assert_eq!(none.0, 1);
    assert!(
        none.2.contains("no test has \"nowhere\" in its name"),
        "{none:?}"
    );
}
