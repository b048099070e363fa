//! The JSON Schemas: as published, as narrow and as wide as what reads the files.

use std::{collections::BTreeSet, fs, path::Path};

use ::files::{Document, project::fields};
use serde_json::Value;

use super::{CHECKOUT, ENVIRONMENTS, QUARTER, document, folder};
use crate::{
    arguments::Kind,
    commands::files::{
        cases::read,
        project::load,
        schema::{of, text},
    },
};

fn published() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/schemas"))
}

/// What is wrong with a text by the schema of a kind.
fn wrong(kind: Kind, text: &str) -> Vec<String> {
    let document = Document::parse(text).unwrap();
    let validator = jsonschema::validator_for(&of(kind)).unwrap();
    let errors = validator.iter_errors(document.value());
    errors
        .map(|error| format!("{}: {error}", error.instance_path()))
        .collect()
}

fn kind_of(file: &str) -> Kind {
    match file.split('/').next().unwrap() {
        "flags" => Kind::Flag,
        "segments" => Kind::Segment,
        "tests" => Kind::Tests,
        _ => Kind::Environments,
    }
}

#[test]
fn the_published_schemas_are_those_that_the_command_prints() {
    for kind in Kind::ALL {
        let file = published().join(format!("{}.json", kind.name()));
        let committed = fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == text(kind),
            "{}: run `halyardctl schema --out docs/schemas`",
            file.display()
        );
    }
    assert_eq!(fs::read_dir(published()).unwrap().count(), Kind::ALL.len());
}

#[test]
fn valid_files_fit_their_schemas() {
    let mut all = document::files();
    all.push(("flags/checkout.yaml", CHECKOUT));
    all.push(("flags/quarter.yaml", QUARTER));
    all.push(("environments.yaml", ENVIRONMENTS));
    for (name, text) in &all {
        assert_eq!(wrong(kind_of(name), text), [""; 0], "{name}");
    }
    assert_eq!(wrong(Kind::Project, &whole()), [""; 0]);
}

/// The files of the page in one.
fn whole() -> String {
    let indented = |text: &str, by: &str| -> String {
        text.lines().map(|line| format!("{by}{line}\n")).collect()
    };
    let files = document::files();
    let [(_, environments), (_, flag), (_, segment), (_, tests)] = files[..] else {
        panic!("{files:?}");
    };
    format!(
        "environments:\n{}flags:\n  new-checkout:\n{}segments:\n  testers:\n{}tests:\n{}",
        indented(environments, "  "),
        indented(flag, "    "),
        indented(segment, "    "),
        indented(tests, "  "),
    )
}

#[test]
fn one_file_with_everything_is_what_the_folder_is() {
    let dir = folder(&[("all.yaml", &whole())]);
    let loaded = load(&dir.path().join("all.yaml"), super::NOW);
    let loaded = loaded.unwrap_or_else(|problems| panic!("{problems:?}"));
    assert_eq!(loaded.cases.len(), 5);
    assert_eq!(loaded.project.flags.len(), 1);
}

#[test]
fn what_the_reader_refuses_does_not_fit() {
    let rule = |field: &str| {
        format!("flag_type: boolean\nenvironments: {{p: {{rules: [{{{field}: 1}}]}}}}\n")
    };
    let refused = [
        ("flags/a.yaml", "flag_type: bolean\n".to_owned()),
        ("flags/a.yaml", "colour: red\n".to_owned()),
        ("flags/a.yaml", "owner_id: me\n".to_owned()),
        ("flags/a.yaml", rule("percentge")),
        (
            "flags/a.yaml",
            "environments: {p: {variants: [{name: a}]}}\n".to_owned(),
        ),
        (
            "flags/a.yaml",
            "environments: {p: {percentage_rollout: 10001}}\n".to_owned(),
        ),
        ("segments/a.yaml", "name: A\n".to_owned()),
        (
            "segments/a.yaml",
            "rules: [{attribute: a, operator: eq, value: b}]\n".to_owned(),
        ),
        ("environments.yaml", "- name: Production\n".to_owned()),
        ("environments.yaml", "- {slug: p, colour: red}\n".to_owned()),
        (
            "tests/a.yaml",
            "- {flag: a, context: b, expect: {}}\n".to_owned(),
        ),
        (
            "tests/a.yaml",
            "- {flag: a, context: b, share: {value: 1, percent: 1}}\n".to_owned(),
        ),
        (
            "tests/a.yaml",
            "- {flag: a, share: {value: 1}}\n".to_owned(),
        ),
        (
            "tests/a.yaml",
            "- {flag: a, context: {name: b}, expect: {value: 1}}\n".to_owned(),
        ),
    ];
    for (name, text) in &refused {
        assert!(!wrong(kind_of(name), text).is_empty(), "{name}: {text}");
        let dir = folder(&[(name, text)]);
        assert!(load(dir.path(), super::NOW).is_err(), "{name}: {text}");
    }
}

fn properties(schema: &Value) -> BTreeSet<&str> {
    let own = schema["properties"].as_object();
    let own = own.into_iter().flatten().map(|(name, _)| name.as_str());
    let alternatives = ["oneOf", "anyOf"].map(|word| schema[word].as_array());
    let alternatives = alternatives.into_iter().flatten().flatten();
    own.chain(alternatives.flat_map(properties)).collect()
}

#[test]
fn the_fields_of_schemas_are_those_that_are_read() {
    let schema = of(Kind::Project);
    let parts = &schema["$defs"];
    let tests = of(Kind::Tests);
    let pairs: [(&Value, &[&str]); 14] = [
        (&schema, &fields::PROJECT),
        (&parts["Flag"], &fields::FLAG),
        (&parts["State"], &fields::STATE),
        (&parts["TargetingRuleInput"], &fields::RULE),
        (&parts["ConditionInput"], &fields::CONDITION),
        (&parts["VariantInput"], &fields::VARIANT),
        (&parts["Bucketing"], &fields::BUCKETING),
        (&parts["Segment"], &fields::SEGMENT),
        (&parts["Environment"], &fields::ENVIRONMENT),
        (&tests, &read::FILE),
        (&parts["Case"], &read::CASE),
        (&parts["ContextWithAnswer"], &read::CONTEXT),
        (&parts["Expect"], &read::EXPECT),
        (&parts["Share"], &read::SHARE),
    ];
    for (schema, read) in pairs {
        let read: BTreeSet<_> = read.iter().copied().collect();
        assert_eq!(properties(schema), read);
    }
}
