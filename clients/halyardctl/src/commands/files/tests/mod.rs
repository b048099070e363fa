//! Folders of flags, checked and tested as the commands do it.

mod document;
mod schemas;

use std::{fs, time::Duration};

use time::{OffsetDateTime, macros::datetime};

use super::{
    cases::{
        junit,
        run::{Outcome, run},
    },
    project::{Loaded, load},
};

const NOW: OffsetDateTime = datetime!(2026-06-01 00:00 UTC);

const ENVIRONMENTS: &str = "- slug: production\n- slug: staging\n";

const CHECKOUT: &str = "\
flag_type: string
default_value: classic
environments:
  production:
    enabled: true
    rules:
      - id: nl
        conditions: [{attribute: country, operator: in, values: [NL]}]
        value: modern
  staging:
    enabled: false
    scheduled_enable_at: 2026-12-01T00:00:00Z
    default_value: modern
";

const QUARTER: &str = "\
flag_type: boolean
environments:
  production:
    enabled: true
    percentage_rollout: 2500
";

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = dir.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    dir
}

/// The flags above with a file of cases.
fn with_cases(cases: &str) -> tempfile::TempDir {
    folder(&[
        ("environments.yaml", ENVIRONMENTS),
        ("flags/checkout.yaml", CHECKOUT),
        ("flags/quarter.yaml", QUARTER),
        ("tests/all.yaml", cases),
    ])
}

fn loaded(dir: &tempfile::TempDir) -> Loaded {
    load(dir.path(), NOW).unwrap_or_else(|problems| panic!("{problems:?}"))
}

/// Each problem without the folder.
fn problems(dir: &tempfile::TempDir) -> Vec<String> {
    let Err(problems) = load(dir.path(), NOW) else {
        panic!("nothing is wrong");
    };
    let folder = format!("{}/", dir.path().display());
    let each = problems
        .iter()
        .map(|problem| problem.to_string().replace(&folder, ""));
    each.collect()
}

/// The cases that fail: the name, what was got, and the first line of why.
fn failures(cases: &str) -> Vec<(String, String, String)> {
    let loaded = loaded(&with_cases(cases));
    let all: Vec<_> = loaded.cases.iter().collect();
    let outcomes = run(&loaded.project, &all, NOW).unwrap();
    assert_eq!(outcomes.len(), all.len());
    let failed = outcomes
        .into_iter()
        .filter_map(|Outcome { case, failure, .. }| {
            let failure = failure?;
            let why = failure.why.first().cloned().unwrap_or_default();
            Some((case.name.clone(), failure.got, why))
        });
    failed.collect()
}

#[test]
fn cases_that_hold_pass() {
    let failed = failures(
        "\
flag: checkout
environment: production
tests:
  - context: {key: ada, attributes: {country: NL}}
    expect: {value: modern, reason: TARGETED, variant: ''}
  - contexts:
      - bob
      - {key: eve, attributes: {country: NL}, expect: {value: modern}}
    expect: {value: classic}
  - share: {flag: quarter, value: true, percent: 25}
  - share: {contexts: 50, attributes: {country: NL}, value: modern, percent: 100, within: 0}
  - environment: staging
    context: ada
    expect: {reason: DISABLED}
  - environment: staging
    at: 2026-12-01T00:00:00Z
    context: ada
    expect: {value: modern, reason: FALLTHROUGH}
",
    );
    assert_eq!(failed, []);
}

#[test]
fn cases_that_do_not_hold_say_what_the_engine_did() {
    let failed = failures(
        "\
environment: production
tests:
  - name: from abroad
    flag: checkout
    context: {key: ada, attributes: {country: DE}}
    expect: {value: modern}
  - name: reasons
    flag: checkout
    contexts:
      - {key: ada, attributes: {country: NL}}
    expect: {value: modern, reason: ROLLOUT}
  - name: half
    share: {flag: quarter, contexts: 1000, value: true, percent: 50}
",
    );
    let names: Vec<_> = failed.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["from abroad", "reasons: ada", "half"]);
    assert_eq!(failed[0].1, r#"value "classic", reason FALLTHROUGH"#);
    assert_eq!(failed[0].2, "nothing more specific decided");
    assert_eq!(failed[1].1, r#"value "modern", reason TARGETED"#);
    let rule = "a rule matches and admits the context: rule nl (bucket ";
    assert!(failed[1].2.starts_with(rule), "{:?}", failed[1]);
    assert!(failed[2].1.starts_with("2"), "{:?}", failed[2]);
    assert!(
        failed[2].2.ends_with(" got false (FALLTHROUGH)"),
        "{:?}",
        failed[2]
    );
}

#[test]
fn everything_wrong_with_cases_has_its_place() {
    let dir = with_cases(
        "\
environment: prod
tests:
  - flag: chekout
    context: ada
    expect: {value: 1}
  - flag: checkout
    context: {key: 5}
    expect: {valeu: modern}
  - flag: checkout
    environment: production
    context: ada
    expect: {value: true, reason: targeted}
  - share: {flag: quarter, percent: 101, value: true}
  - context: ada
    expect: {value: true}
  - flag: checkout
    context: ada
    contexts: [ada]
    expect: {value: modern}
  - at: yesterday
    flag: checkout
    context: ada
",
    );
    let expected = [
        r#"tests/all.yaml:1:14: there is no environment "prod", did you mean "production"?"#,
        r#"tests/all.yaml:3:11: no flag has the key "chekout", did you mean "checkout"?"#,
        "tests/all.yaml:7:20: key must be text",
        "tests/all.yaml:8:13: one of `value`, `reason` and `variant` is required",
        r#"tests/all.yaml:8:14: unknown field "valeu", did you mean "value"?"#,
        "tests/all.yaml:12:21: value must be a string, as the flag is",
        "tests/all.yaml:12:35: no such reason, there are: NOT_FOUND, DISABLED, MUTUALLY_EXCLUDED, \
         PREREQUISITE_FAILED, TARGETED, ROLLOUT, VARIANT, FALLTHROUGH, ERROR",
        "tests/all.yaml:13:37: percent must be a number from 0 to 100",
        "tests/all.yaml:14:5: flag is required, here or at the top of the file",
        "tests/all.yaml:16:5: a case has one of `context`, `contexts` and `share`",
        "tests/all.yaml:20:5: expect is required",
        "tests/all.yaml:20:9: at must be an RFC 3339 date-time",
    ];
    assert_eq!(problems(&dir), expected);
}

#[test]
fn an_environment_is_needed_where_there_are_several() {
    let cases = "- {flag: checkout, context: ada, expect: {value: classic}}\n";
    let several = with_cases(cases);
    assert_eq!(
        problems(&several),
        ["tests/all.yaml:1:3: environment is required, one of: production, staging"]
    );
    let one = folder(&[
        ("flags/quarter.yaml", QUARTER),
        (
            "tests/t.yaml",
            "- {flag: quarter, context: ada, expect: {reason: ROLLOUT}}\n",
        ),
    ]);
    assert_eq!(loaded(&one).cases[0].environment, "production");
}

#[test]
fn problems_of_flags_come_with_the_folder_and_all_at_once() {
    let dir = folder(&[
        ("flags/a.yaml", "flag_type: bolean\nname: 5\n"),
        (
            "flags/b.yaml",
            "flag_type: boolean\ncolour: red\nenvironments: {p: {enabled: yes}}\n",
        ),
    ]);
    let Err(found) = load(dir.path(), NOW) else {
        panic!("nothing is wrong");
    };
    let begins = format!("{}/flags/a.yaml:", dir.path().display());
    assert!(found[0].to_string().starts_with(&begins), "{found:?}");
    let files: Vec<_> = found
        .iter()
        .map(|one| (one.file.ends_with("b.yaml"), one.line))
        .collect();
    assert!(
        files.contains(&(true, 2)) && files.contains(&(true, 3)),
        "{found:?}"
    );
}

#[test]
fn warnings_have_places_in_folders_and_in_single_files() {
    let flag = "\
flag_type: boolean
environments:
  production:
    enabled: true
    rules:
      - segment_keys: [betta]
";
    let nested: String = flag.lines().map(|line| format!("    {line}\n")).collect();
    let whole = format!("flags:\n  a:\n{nested}");
    for (name, text, line) in [("flags/a.yaml", flag, 6), ("all.yaml", &whole, 8)] {
        let dir = folder(&[(name, text)]);
        let path = if name == "all.yaml" {
            dir.path().join(name)
        } else {
            dir.path().to_owned()
        };
        let loaded = load(&path, NOW).unwrap_or_else(|problems| panic!("{problems:?}"));
        let [warning] = &loaded.warnings[..] else {
            panic!("{:?}", loaded.warnings);
        };
        assert_eq!(warning.file, dir.path().join(name).display().to_string());
        assert_eq!(warning.line, line);
        assert!(
            warning.message.ends_with("no segment has the key betta"),
            "{warning}"
        );
    }
}

#[test]
fn an_empty_folder_and_a_missing_one_are_told() {
    let dir = folder(&[("README.md", "#")]);
    let found = problems(&dir);
    assert!(found[0].ends_with("has no flags/*.yaml, segments/*.yaml or environments.yaml"));
    let missing = dir.path().join("missing");
    let Err(found) = load(&missing, NOW) else {
        panic!("nothing is wrong");
    };
    assert_eq!(found[0].file, missing.display().to_string());
}

#[test]
fn a_report_escapes_what_names_hold() {
    let cases = "\
- name: \"a <b> & \\\"c\\\" \\e[31m]]>\"
  flag: checkout
  environment: production
  context: ada
  expect: {value: modern}
";
    let loaded = loaded(&with_cases(cases));
    let all: Vec<_> = loaded.cases.iter().collect();
    let outcomes = run(&loaded.project, &all, NOW).unwrap();
    let report = junit::report(&outcomes, Duration::from_millis(5)).unwrap();
    assert!(report.contains(r#"failures="1""#), "{report}");
    assert!(
        report.contains("a &lt;b&gt; &amp; &quot;c&quot;"),
        "{report}"
    );
    assert!(!report.contains('\u{1b}'), "{report}");
}
