//! Generated accessors: as the files in `generated`, and as the compilers and formatters of their languages take them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "generate/languages.rs"]
mod languages;
#[path = "generate/rust.rs"]
mod rust;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

/// Each language, and the ending of its files.
const LANGUAGES: [(&str, &str); 4] = [
    ("typescript", "ts"),
    ("python", "py"),
    ("go", "go"),
    ("rust", "rs"),
];

fn generated() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/generated")
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

fn with_manifest(text: &str) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("flags.json"), text).unwrap();
    dir
}

#[test]
fn a_manifest_becomes_the_files_that_are_here() {
    for (language, ending) in LANGUAGES {
        let made = run(
            &generated(),
            &["generate", language, "--manifest", "flags.json"],
        );
        let file = format!("flags.{ending}");
        let there = fs::read_to_string(generated().join(&file)).unwrap();
        assert!(
            made == (0, there, String::new()),
            "tests/generated/{file} differs: `halyardctl generate {language} --manifest flags.json --out {file}`\n{}",
            made.2
        );
    }
}

#[test]
fn a_file_is_compared_and_not_written() {
    let text = r#"{"flags": {"a": {"flagType": "boolean", "defaultValue": true}}}"#;
    let dir = with_manifest(text);
    let words = [
        "generate",
        "go",
        "--manifest",
        "flags.json",
        "--out",
        "f.go",
    ];
    let check = [&words[..], &["--check"]].concat();
    let differs = "f.go is not what it should be; run `halyardctl generate go --manifest flags.json \
                   --package-name openfeature --out f.go`\n";
    assert_eq!(
        run(dir.path(), &check),
        (2, String::new(), differs.to_owned())
    );
    assert_eq!(run(dir.path(), &words).0, 0);
    assert_eq!(run(dir.path(), &check), (0, String::new(), String::new()));
    fs::write(dir.path().join("flags.json"), text.replace("true", "false")).unwrap();
    let before = fs::read_to_string(dir.path().join("f.go")).unwrap();
    assert_eq!(run(dir.path(), &check).0, 2);
    assert_eq!(fs::read_to_string(dir.path().join("f.go")).unwrap(), before);
}

#[test]
fn everything_that_is_wrong_with_a_manifest_is_told_at_once() {
    let dir = with_manifest(
        r#"{
  "flags": {
    "a": {"flagType": "bolean", "defaultValue": true},
    "b": {"flagType": "integer", "defaultValue": 1.5},
    "c": {"flagType": "string"},
    "d": true,
    "e": {"flagType": "object", "defaultValue": "x", "description": 5},
    "": {"flagType": "boolean", "defaultValue": false}
  }
}"#,
    );
    let (code, out, err) = run(
        dir.path(),
        &["generate", "rust", "--manifest", "flags.json"],
    );
    assert_eq!((code, out.as_str()), (1, ""));
    let told: Vec<_> = err.lines().collect();
    let expected = [
        r#"flags.json:3:23: flagType must be one of boolean, string, integer, float, object, did you mean "boolean"?"#,
        "flags.json:4:50: defaultValue must be an integer of 64 bits, as the flag is",
        "flags.json:5:10: defaultValue is required",
        "flags.json:6:10: expected flagType and defaultValue",
        "flags.json:7:49: defaultValue must be an object or an array, as the flag is",
        "flags.json:7:69: description must be text",
        "flags.json:8:9: a flag needs a key",
        "7 problems",
    ];
    assert_eq!(told, expected);
}

#[test]
fn keys_that_would_be_called_the_same_are_refused() {
    let flag = r#"{"flagType": "boolean", "defaultValue": true}"#;
    let dir = with_manifest(&format!(
        "{{\"flags\": {{\n\"new-checkout\": {flag},\n\"new.checkout\": {flag},\n\"new-checkout-details\": {flag}\n}}}}"
    ));
    let problems = |language: &str| {
        let words = ["generate", language, "--manifest", "flags.json"];
        let (code, out, err) = run(dir.path(), &words);
        assert_eq!((code, out.as_str()), (1, ""), "{err}");
        err
    };
    let told = problems("python");
    assert_eq!(
        told,
        "flags.json:3:1: flags \"new-checkout\" and \"new.checkout\" would both be called new_checkout\n\
         flags.json:4:1: flags \"new-checkout\" and \"new-checkout-details\" would both be called new_checkout_details\n\
         2 problems\n"
    );
    assert!(problems("typescript").contains("newCheckoutDetails"));
    assert_eq!(problems("go").lines().count(), 2);
}

#[test]
fn defaults_that_the_sdk_for_rust_cannot_hold_are_refused_for_it_alone() {
    let dir = with_manifest(
        r#"{"flags": {"a": {"flagType": "object", "defaultValue": [1]}, "b": {"flagType": "object", "defaultValue": {"x": null}}}}"#,
    );
    for (language, _) in LANGUAGES {
        let words = ["generate", language, "--manifest", "flags.json"];
        let (code, _, err) = run(dir.path(), &words);
        assert_eq!(code, i32::from(language == "rust"), "{err}");
        assert_eq!(err.lines().count(), if language == "rust" { 3 } else { 0 });
    }
}

#[test]
fn flags_as_files_become_accessors_and_a_manifest() {
    let dir = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file(
        "flags/dark-mode.yaml",
        "flag_type: boolean\ndescription: Dark.\n",
    );
    file("flags/limit.yaml", "flag_type: number\ndefault_value: 5\n");
    file(
        "flags/theme.yaml",
        "flag_type: json\ndefault_value: {a: [1]}\n",
    );
    file("flags/colour.yaml", "flag_type: ab\ndefault_value: red\n");
    file("flags/old.yaml", "flag_type: boolean\narchived: true\n");
    let made = run(dir.path(), &["generate", "manifest", "--dir", "."]);
    let manifest: serde_json::Value = serde_json::from_str(&made.1).unwrap();
    assert_eq!(
        manifest["flags"],
        serde_json::json!({
            "colour": {"flagType": "string", "defaultValue": "red"},
            "dark-mode": {"flagType": "boolean", "defaultValue": false, "description": "Dark."},
            "limit": {"flagType": "float", "defaultValue": 5},
            "theme": {"flagType": "object", "defaultValue": {"a": [1]}},
        })
    );
    file("flags.json", &made.1);
    let python = |from: &[&str]| {
        let (code, out, err) = run(dir.path(), &[&["generate", "python"], from].concat());
        assert_eq!((code, err.as_str()), (0, ""));
        out.split_once('\n').unwrap().1.to_owned()
    };
    assert_eq!(
        python(&["--dir", "."]),
        python(&["--manifest", "flags.json"])
    );
    file("flags/dark.mode.yaml", "flag_type: boolean\n");
    let (code, _, err) = run(dir.path(), &["generate", "python", "--dir", "."]);
    assert_eq!(code, 1);
    assert!(
        err.starts_with("flags/dark.mode.yaml: flags \"dark-mode\" and \"dark.mode\" would both"),
        "{err}"
    );
}
