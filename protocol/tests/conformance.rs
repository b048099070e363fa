//! Runs every case in `conformance/` through `evaluate` and `explain`. `conformance/README.md` describes the format.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod vectors;

use std::{collections::HashMap, fs, path::Path};

use protocol::{
    eval::{Context, Environment, Evaluation, Scratch, evaluate, explain},
    snapshot::Snapshot,
};
use serde_json::Value;

use self::vectors::{Case, Expected, Vectors, compile, same_json};

/// Every file in the folder, with the number of its cases.
macro_rules! files {
    ($($name:ident: $cases:literal,)*) => {
        const FILES: &[(&str, usize)] = &[$((stringify!($name), $cases)),*];

        $(#[test]
        fn $name() {
            run(stringify!($name), $cases);
        })*
    };
}

files! {
    arrays: 21,
    buckets: 24,
    kept_buckets: 266,
    limits_and_cycles: 17,
    missing_and_null: 37,
    mutual_exclusion: 25,
    operators_numeric_date_semver: 31,
    operators_text: 43,
    order_of_checks: 23,
    percentages: 22,
    prerequisites: 22,
    random: 2_000,
    rules: 24,
    segments: 28,
    served_value: 24,
    variants: 21,
}

#[test]
fn no_file_and_no_case_is_left_out() {
    let mut found: Vec<String> = fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| {
            name.strip_suffix(".json")
                .map(|name| name.replace('-', "_"))
        })
        .collect();
    found.sort();
    assert_eq!(
        found,
        FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    );
    assert_eq!(FILES.iter().map(|(_, cases)| cases).sum::<usize>(), 2_628);
}

fn run(name: &str, cases: usize) {
    let file = folder().join(name.replace('_', "-")).with_extension("json");
    let vectors: Vectors = serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap();
    assert_eq!(vectors.cases.len(), cases);

    let environments: HashMap<&str, (Snapshot, Environment)> = vectors
        .environments
        .iter()
        .map(|(name, stored)| {
            let snapshot = compile(stored);
            let prepared = Environment::prepare(&snapshot).unwrap();
            (name.as_str(), (snapshot, prepared))
        })
        .collect();
    let mut scratch = Scratch::new();
    let wrong: Vec<String> = vectors
        .cases
        .iter()
        .enumerate()
        .filter_map(|(number, case)| {
            let (snapshot, env) = &environments[case.environment.as_str()];
            let difference = check(case, snapshot, env, &mut scratch)?;
            Some(format!(
                "case {number} ({}): {difference}",
                case.name.as_deref().unwrap_or(&case.flag_key)
            ))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "{} of {cases} cases differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// What is wrong with the answers to a case.
fn check(
    case: &Case,
    snapshot: &Snapshot,
    env: &Environment,
    scratch: &mut Scratch,
) -> Option<String> {
    let context: Context<'_> = serde_json::from_str(case.context.get()).unwrap();
    let evaluation = match env.flag(&case.flag_key) {
        Some(flag) => {
            let evaluation = evaluate(env, flag, &context, scratch);
            assert_eq!(
                env.answer(flag, evaluation.answer),
                Some(evaluation.served())
            );
            evaluation
        }
        None => Evaluation::NOT_FOUND,
    };
    let explained = explain(env, snapshot, &case.flag_key, &context, scratch).result;
    assert_eq!(explained.flag_key, case.flag_key);

    let answers = [
        (
            evaluation.value_json,
            evaluation.reason,
            evaluation.variant_key(),
        ),
        (
            explained.value.get(),
            explained.reason,
            explained.variant_key.as_str(),
        ),
    ];
    let expected = &case.expected;
    answers
        .into_iter()
        .find_map(|(value, reason, variant_key)| {
            let parsed: Value = serde_json::from_str(value).unwrap();
            let right = same_json(&parsed, &expected.value)
                && reason.as_str() == expected.reason
                && variant_key == expected.variant_key;
            (!right).then(|| {
                let Expected {
                    value: wanted,
                    reason: why,
                    variant_key: variant,
                } = expected;
                format!("{value} {reason} {variant_key:?} instead of {wanted} {why} {variant:?}")
            })
        })
}

fn folder() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/conformance"))
}
