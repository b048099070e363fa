//! What a project of files is, and what is told of files that are wrong.

use definition::flags::model::FlagType;
use protocol::eval::Environment;
use time::{OffsetDateTime, macros::datetime};

use super::Project;
use crate::tree::File;

const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

fn read(files: &[(&str, &str)]) -> Result<Project, Vec<String>> {
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| File {
            name: (*name).to_owned(),
            text: (*text).to_owned(),
        })
        .collect();
    Project::of_files(&files, NOW)
        .map_err(|problems| problems.iter().map(ToString::to_string).collect())
}

const ENVIRONMENTS: &str =
    "- slug: dev\n- slug: production\n  name: Production\n  protected: true\n";

const CHECKOUT: &str = r#"
key: checkout
name: New checkout
flag_type: string
default_value: old
tags: [web]
environments:
  dev:
    enabled: true
  production:
    enabled: true
    rules:
      - conditions:
          - attribute: country
            operator: in
            values: [ch, at]
        value: new
      - id: staff
        segment_keys: [staff]
        value: newest
    percentage_rollout: 2500
"#;

const STAFF: &str = "name: Staff\nrules:\n  - attribute: email\n    operator: endsWith\n    values: ['@example.com']\n";

#[test]
fn a_folder_is_read_with_what_is_not_written() {
    let project = read(&[
        ("environments.yaml", ENVIRONMENTS),
        ("flags/checkout.yaml", CHECKOUT),
        ("segments/staff.yaml", STAFF),
    ])
    .unwrap();
    let slugs = project
        .environments
        .iter()
        .map(|one| one.made.slug.as_str());
    assert_eq!(slugs.collect::<Vec<_>>(), ["dev", "production"]);
    assert_eq!(project.environments[0].made.name, "dev");
    assert!(project.environments[1].made.protected);
    let flag = &project.flags["checkout"];
    assert_eq!(flag.flag.made.flag_type, FlagType::String);
    assert_eq!(flag.flag.file, "flags/checkout.yaml");
    let ids = flag.states["production"]
        .made
        .rules
        .iter()
        .map(|rule| rule.id.as_str());
    assert_eq!(ids.collect::<Vec<_>>(), ["1", "staff"]);
    assert_eq!(project.segments["staff"].made.name, "Staff");
    assert_eq!(project.warnings(), []);
}

#[test]
fn one_file_says_the_same_as_a_folder() {
    let indented = |text: &str| text.trim().replace('\n', "\n    ");
    let one = format!(
        "environments:\n  {}\nsegments:\n  staff:\n    {}\nflags:\n  checkout:\n    {}\n",
        ENVIRONMENTS.trim().replace('\n', "\n  "),
        indented(STAFF),
        indented(CHECKOUT)
    );
    let folder = read(&[
        ("environments.yaml", ENVIRONMENTS),
        ("flags/checkout.yaml", CHECKOUT),
        ("segments/staff.yaml", STAFF),
    ])
    .unwrap();
    let file = read(&[("all.yaml", &one)]).unwrap();
    for slug in ["dev", "production"] {
        let of = |project: &Project| project.snapshot(slug, 1, Vec::new(), NOW).unwrap();
        assert_eq!(of(&file), of(&folder));
    }
}

#[test]
fn a_flag_alone_is_enough() {
    let text =
        "flags:\n  beta:\n    environments:\n      live: {enabled: true, default_value: true}\n";
    let project = read(&[("flags.yaml", text)]).unwrap();
    let snapshot = project.snapshot("live", 7, Vec::new(), NOW).unwrap();
    assert_eq!(
        (snapshot.head.slug.as_str(), snapshot.head.version),
        ("live", 7)
    );
    assert!(Environment::prepare(&snapshot).is_ok());
    assert_eq!(project.snapshot("other", 7, Vec::new(), NOW), None);
}

#[test]
fn everything_that_is_wrong_is_told_at_its_place() {
    let flag = r#"
nam: x
flag_type: string
default_value: 5
tags: [a]
prerequisites: [wrong]
environments:
  dev:
    enabled: "yes"
  production:
    percentage_rollout: 10001
    rules:
      - percentage: 50
      - match_type: some
      - conditions:
          - attribute: a
            operator: is
    variants:
      - {key: a, weight: 5000}
  staging: {}
"#;
    let told = read(&[
        ("environments.yaml", "- slug: dev\n- slug: production\n"),
        ("flags/wrong.yaml", flag),
        ("segments/Odd name.yaml", "rules: []\n"),
        ("segments/staff.yaml", "rules: 5\n"),
    ])
    .unwrap_err();
    assert_eq!(
        told,
        [
            "flags/wrong.yaml:2:1: unknown field \"nam\", did you mean \"name\"?",
            "flags/wrong.yaml:4:16: default_value must be a string",
            "flags/wrong.yaml:6:16: a flag cannot be its own prerequisite",
            "flags/wrong.yaml:9:14: environments.dev.enabled: invalid type: string \"yes\", expected a boolean: write true or false",
            "flags/wrong.yaml:11:25: percentage_rollout must be an integer in basis points, 0 to 10000",
            "flags/wrong.yaml:14:21: rules[1].match_type must be all or any",
            "flags/wrong.yaml:17:23: rules[2].conditions[0].operator must be one of eq, neq, gt, gte, lt, lte, contains, notIn, in, regex, startsWith, endsWith, exists",
            "flags/wrong.yaml:18:5: variant weights must sum to 10000",
            "flags/wrong.yaml:20:3: there is no environment staging",
            "segments/Odd name.yaml:1:1: needs the field `key`: Odd name does not say it",
            "segments/staff.yaml:1:8: rules: invalid type: integer `5`, expected a sequence",
        ]
    );
}

#[test]
fn what_can_be_said_of_a_state_is_said_without_the_type_of_its_flag() {
    let state =
        "environments: {dev: {enabled: on, rules: [{percentge: 5}], percentage_rollout: 10001}}\n";
    let unknown = format!("flag_type: bool\n{state}");
    let told = read(&[
        ("flags/unknown.yaml", &unknown),
        ("flags/unlike.yaml", &format!("tags: 5\n{state}")),
    ])
    .unwrap_err();
    assert_eq!(
        told,
        [
            "flags/unknown.yaml:1:12: flag_type must be one of boolean, string, number, json, ab",
            "flags/unknown.yaml:2:31: environments.dev.enabled: invalid type: string \"on\", expected a boolean: write true or false",
            "flags/unknown.yaml:2:44: unknown field \"percentge\", did you mean \"percentage\"?",
            "flags/unlike.yaml:1:7: tags: invalid type: integer `5`, expected a sequence",
            "flags/unlike.yaml:2:31: environments.dev.enabled: invalid type: string \"on\", expected a boolean: write true or false",
            "flags/unlike.yaml:2:44: unknown field \"percentge\", did you mean \"percentage\"?",
        ]
    );
}

#[test]
fn keys_are_there_once_and_as_the_file_is_called() {
    let told = read(&[
        ("flags/a.yaml", "key: b\n"),
        ("flags/b.yaml", "{}"),
        ("flags/more/b.json", "{}"),
    ])
    .unwrap_err();
    assert_eq!(
        told,
        [
            "flags/a.yaml:1:6: key must be that of the file: b belongs to b",
            "flags/more/b.json:1:1: the flag b is in flags/b.yaml too",
        ]
    );
    let told = read(&[("environments.yaml", "- slug: dev\n- slug: dev\n")]).unwrap_err();
    assert_eq!(
        told,
        ["environments.yaml:2:9: the environment dev is listed twice"]
    );
    let told = read(&[
        ("environments.yaml", "- slug: dev\n"),
        ("flags/a.yaml", "environments:\n  live: {enabled: true}\n"),
    ])
    .unwrap_err();
    assert_eq!(told, ["flags/a.yaml:2:3: there is no environment live"]);
}

#[test]
fn prerequisites_form_no_circle() {
    let requires = |key: &str| format!("prerequisites: [{key}]\n");
    let told = read(&[
        ("flags/a.yaml", &requires("b")),
        ("flags/b.yaml", &requires("c")),
        ("flags/c.yaml", &requires("a")),
        ("flags/d.yaml", &requires("a")),
        ("flags/e.yaml", &requires("gone")),
    ])
    .unwrap_err();
    assert_eq!(
        told,
        ["flags/a.yaml:1:16: prerequisites must not form a cycle: a → b → c → a"]
    );
    // As long as there are flags, without a stack that overflows.
    let mut chain: Vec<_> = (0..5_000)
        .map(|number| {
            (
                format!("flags/f{number}.yaml"),
                requires(&format!("f{}", number + 1)),
            )
        })
        .collect();
    let of = |chain: &[(String, String)]| {
        let files: Vec<_> = chain
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
            .collect();
        read(&files).map(|project| project.flags.len())
    };
    assert_eq!(of(&chain), Ok(5_000));
    chain.push(("flags/f5000.yaml".to_owned(), requires("f0")));
    assert_eq!(of(&chain).unwrap_err().len(), 1);
}

#[test]
fn what_is_scheduled_has_happened_when_its_time_has_come() {
    let text = r#"
flags:
  sale:
    environments:
      live:
        enabled: false
        scheduled_enable_at: 2026-02-01T00:00:00Z
        scheduled_disable_at: 2026-03-01T00:00:00Z
"#;
    let project = read(&[("flags.yaml", text)]).unwrap();
    let is_on = |now| {
        let snapshot = project.snapshot("live", 1, Vec::new(), now).unwrap();
        snapshot.flags[0].state.as_ref().unwrap().enabled
    };
    assert_eq!(
        project.next_due("live", NOW),
        Some(datetime!(2026-02-01 0:00 UTC))
    );
    assert!(!is_on(NOW));
    assert!(is_on(datetime!(2026-02-01 0:00 UTC)));
    assert_eq!(
        project.next_due("live", datetime!(2026-02-01 0:00 UTC)),
        Some(datetime!(2026-03-01 0:00 UTC))
    );
    assert!(!is_on(datetime!(2026-03-01 0:00 UTC)));
    assert_eq!(
        project.next_due("live", datetime!(2026-03-01 0:00 UTC)),
        None
    );
}

#[test]
fn archived_flags_are_kept_and_not_served() {
    let text = "flags:\n  old: {archived: true, environments: {live: {enabled: true}}}\n  new: {environments: {live: {}}}\n";
    let project = read(&[("flags.yaml", text)]).unwrap();
    assert!(project.flags["old"].archived);
    let served = project.snapshot("live", 1, Vec::new(), NOW).unwrap();
    let keys: Vec<_> = served.flags.iter().map(|flag| flag.key.as_str()).collect();
    assert_eq!(keys, ["new"]);
}

#[test]
fn equal_files_compile_to_equal_bytes() {
    let of = || read(&[("flags/checkout.yaml", CHECKOUT)]).unwrap();
    let snapshot = |project: &Project| project.snapshot("production", 1, Vec::new(), NOW).unwrap();
    assert_eq!(snapshot(&of()), snapshot(&of()));
}

#[test]
fn what_looks_like_a_mistake_is_told_and_accepted() {
    let text = "flags:\n  a:\n    prerequisites: [gone]\n    environments:\n      live: {percentage_rollout: 25, rules: [{segment_keys: [none]}]}\n";
    let project = read(&[("flags.yaml", text)]).unwrap();
    let words: Vec<_> = project
        .warnings()
        .into_iter()
        .map(|(file, words)| format!("{file}: {words}"))
        .collect();
    assert_eq!(
        words,
        [
            "flags.yaml: environments.live.percentage_rollout: 25 is 0.25 %, and 2500 is 25 %",
            "flags.yaml: environments.live.rules[0].segment_keys: no segment has the key none",
            "flags.yaml: prerequisites: no flag has the key gone",
        ]
    );
}
