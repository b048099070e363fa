//! What is compared, what is sent, and where problems are placed.

use std::path::PathBuf;

use files::{content::Content, project::Project, tree::File};
use serde_json::{Value, json};
use time::{OffsetDateTime, macros::datetime};

use super::{
    body, changes::Changes, compare::compare, fetch::Found, folder::Local, keep, locate,
    projects::Of, show,
};

const NOW: OffsetDateTime = datetime!(2026-01-02 03:04:05 UTC);

const ENVIRONMENTS: &str = "- slug: dev\n- slug: production\n  protected: true\n";

const FLAG: &str = "\
flag_type: string
default_value: a
environments:
  dev:
    enabled: true
    rules:
      - segment_keys: [beta]
        value: b
  production:
    enabled: false
";

fn local(texts: &[(&str, &str)]) -> Local {
    let file = |(name, text): &(&str, &str)| File {
        name: (*name).to_owned(),
        text: (*text).to_owned(),
    };
    let files: Vec<_> = texts.iter().map(file).collect();
    let project = Project::of_files(&files, NOW).unwrap();
    let of = Of {
        slug: "shop".to_owned(),
        dir: PathBuf::from("."),
        name: None,
        is_new: None,
    };
    Local {
        content: Content::from(&project),
        of,
        files,
        project,
    }
}

/// What a service has after it took the files.
fn stored(texts: &[(&str, &str)]) -> Found {
    let mut content = local(texts).content;
    for flag in content.flags.values_mut() {
        for state in flag.states.values_mut() {
            for (place, rule) in state.rules.iter_mut().enumerate() {
                rule.id = format!("id-{place}");
            }
        }
    }
    Found {
        version: 7,
        content,
    }
}

fn compared(texts: &[(&str, &str)], found: &Found, prune: bool) -> Changes {
    compare(&local(texts), found, prune, NOW).unwrap()
}

fn sent(changes: &Changes) -> Value {
    body::request("shop", changes)
        .sent()
        .cloned()
        .unwrap_or_default()
}

const BOTH: [(&str, &str); 2] = [("environments.yaml", ENVIRONMENTS), ("flags/a.yaml", FLAG)];

#[test]
fn what_is_stored_as_it_is_written_is_not_sent() {
    let changes = compared(&BOTH, &stored(&BOTH), true);
    assert!(changes.is_empty(), "{changes:?}");
    assert_eq!(show::of_project(&changes), "nothing to change\n");
}

#[test]
fn only_what_differs_is_sent() {
    let edited = FLAG
        .replace("value: b", "value: c")
        .replace("default_value: a", "name: A");
    let changes = compared(&[BOTH[0], ("flags/a.yaml", &edited)], &stored(&BOTH), true);
    let rule = json!({"id": "", "priority": 0, "description": "", "conditions": [], "segment_keys": ["beta"],
        "percentage": 10000, "value": "c", "match_type": "all"});
    assert_eq!(
        sent(&changes),
        json!({"flags": [{"key": "a", "name": "A", "default_value": "", "states": {"dev": {"rules": [rule]}}}]})
    );
    assert_eq!(changes.counts(), [0, 2, 0]);
}

#[test]
fn what_is_new_is_created_as_it_is_written() {
    let changes = compared(&BOTH, &Found::default(), false);
    let sent = sent(&changes);
    assert_eq!(sent["environments"][1]["slug"], "production");
    assert_eq!(sent["environments"][1]["protected"], true);
    assert_eq!(
        sent["flags"][0]["states"]["production"],
        json!({"enabled": false})
    );
    assert_eq!(sent["flags"][0]["states"]["dev"]["enabled"], true);
    assert_eq!(sent["flags"][0].get("archived"), None);
    let told = show::of_project(&changes);
    let end = "\
+ flag a (flags/a.yaml)
  + dev
    ~ Switched on
    + Rule 1 added at place 1: in the segment beta; serves \"b\"
  + production
5 to create, 0 to change, 0 to remove
";
    assert!(told.ends_with(end), "{told}");
}

#[test]
fn what_files_do_not_have_is_removed_only_if_that_is_asked_for() {
    let other = ("flags/b.yaml", "flag_type: boolean\n");
    let found = stored(&[BOTH[0], BOTH[1], other]);
    let shorter = FLAG.split("  production").next().unwrap();
    let dev = [
        ("environments.yaml", "- slug: dev\n"),
        ("flags/a.yaml", shorter),
    ];
    let changes = compared(&dev, &found, false);
    assert!(changes.is_empty());
    assert!(show::of_project(&changes).starts_with(
        "not in the files, and left alone without --prune: environment production, flag b\n"
    ));
    let changes = compared(&dev, &found, true);
    assert_eq!(
        sent(&changes),
        json!({"remove": {"environments": ["production"], "flags": ["b"]}})
    );
    // Without a list of environments none goes, and a state that is not written is set back.
    let unlisted = FLAG.replace(
        "  dev:\n    enabled: true\n    rules:\n      - segment_keys: [beta]\n        value: b\n",
        "",
    );
    let changes = compared(&[("flags/a.yaml", &unlisted), other], &found, true);
    assert_eq!(
        sent(&changes),
        json!({"flags": [{"key": "a", "states": {"dev": {"enabled": false, "rules": []}}}]})
    );
}

#[test]
fn a_schedule_that_is_over_has_happened() {
    let scheduled = FLAG.replace(
        "    enabled: false\n",
        "    enabled: false\n    scheduled_enable_at: 2026-01-01T00:00:00Z\n",
    );
    let written = [BOTH[0], ("flags/a.yaml", scheduled.as_str())];
    let mut found = stored(&written);
    assert!(
        compared(&written, &found, false).is_empty(),
        "it is about to happen"
    );
    let state = found
        .content
        .flags
        .get_mut("a")
        .unwrap()
        .states
        .get_mut("production")
        .unwrap();
    (state.enabled, state.scheduled_enable_at) = (true, None);
    assert!(
        compared(&written, &found, false).is_empty(),
        "it has happened"
    );
    let state = found
        .content
        .flags
        .get_mut("a")
        .unwrap()
        .states
        .get_mut("production")
        .unwrap();
    state.enabled = false;
    let changes = compared(&written, &found, false);
    assert_eq!(
        sent(&changes)["flags"][0]["states"]["production"],
        json!({"enabled": true})
    );
    assert!(changes.list[0].needs_approval);
}

#[test]
fn what_cannot_be_applied_has_its_place_in_the_files() {
    let found = stored(&BOTH);
    let typed = FLAG.replace("flag_type: string", "flag_type: ab");
    let told = |texts: &[(&str, &str)]| {
        let problems = compare(&local(texts), &found, false, NOW).unwrap_err();
        problems.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    assert_eq!(
        told(&[("flags/a.yaml", &typed)]),
        ["flags/a.yaml:1:12: flag_type cannot be changed: it is string"]
    );
    let elsewhere = FLAG.replace("  dev:", "  nowhere:");
    assert_eq!(
        told(&[("flags/a.yaml", &elsewhere)]),
        [
            "flags/a.yaml:4:3: the project has no environment nowhere; list it in environments.yaml to create it"
        ]
    );
}

#[test]
fn problems_of_the_service_are_placed_in_files() {
    let whole = "environments:\n  - slug: dev\nsegments:\n  s.t:\n    rules: []\n";
    let dotted = "flag_type: string\nenvironments:\n  dev:\n    rules:\n      - value: b\n";
    let local = local(&[
        ("all.yaml", whole),
        ("flags/a.b.yaml", dotted),
        ("flags/a.yaml", "flag_type: ab\n"),
    ]);
    let told = |place: &str, message: &str| locate::problem(&local, place, message).to_string();
    assert_eq!(told("flags.a.b.flag_type", "no"), "flags/a.b.yaml:1:12: no");
    assert_eq!(told("flags.a", "no"), "flags/a.yaml:1:1: no");
    assert_eq!(
        told(
            "flags.a.b.states.dev.rules",
            "rules[0].value must be a number"
        ),
        "flags/a.b.yaml:5:16: rules[0].value must be a number"
    );
    assert_eq!(
        told("segments.s.t.rules", "too many"),
        "all.yaml:5:12: too many"
    );
    assert_eq!(
        told("environments.dev.slug", "taken"),
        "all.yaml:2:11: taken"
    );
    assert_eq!(told("flags.c", "no"), "flags.c: no");
}

#[test]
fn files_that_say_the_same_are_kept() {
    let found = stored(&BOTH).content;
    let of_flag = |text: &str| keep::is_same(&local(&[("flags/a.yaml", text)]).content, &found);
    assert!(of_flag(FLAG), "with ids that only the service has");
    assert!(
        of_flag(FLAG.split("  production").next().unwrap()),
        "a state that says nothing"
    );
    assert!(!of_flag(&FLAG.replace("value: b", "value: c")));
    assert!(!of_flag(&FLAG.replace("production:", "elsewhere:")));
    let listed = |text: &str| keep::is_same(&local(&[("environments.yaml", text)]).content, &found);
    assert!(listed(ENVIRONMENTS));
    assert!(!listed("- slug: dev\n"));
}
