//! Every case that defines the meaning of a flag, through the public interface.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

#[path = "../../../protocol/tests/vectors/mod.rs"]
mod vectors;

use std::{collections::HashMap, fs, path::Path, sync::Arc};

use halyard::{Client, Context, Detail, ErrorKind, Reason};
use serde_json::Value;

use self::vectors::{Case, Vectors, compile, same_json};

/// As many as there are; the test of the engine counts them by file.
const CASES: usize = 2_628;

#[test]
fn every_case_has_its_answer() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../protocol/conformance");
    let mut cases = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "json") {
            cases += run(&path);
        }
    }
    assert_eq!(cases, CASES);
}

fn run(path: &Path) -> usize {
    let vectors: Vectors = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    let clients: HashMap<&str, Client> = vectors
        .environments
        .iter()
        .map(|(name, stored)| (&**name, Client::from_snapshot(compile(stored)).unwrap()))
        .collect();
    for case in &vectors.cases {
        let told = case.name.as_deref().unwrap_or(&case.flag_key);
        let context: Context = serde_json::from_str(case.context.get()).unwrap();
        let client = &clients[&*case.environment];
        check(
            client,
            case,
            &context,
            &format!("{}: {told}", path.display()),
        );
    }
    vectors.cases.len()
}

fn check(client: &Client, case: &Case, context: &Context, told: &str) {
    let (key, expected) = (&case.flag_key, &case.expected);
    let answer = client.json_detail(key, context, Value::Null);
    assert!(
        same_json(&answer.value, &expected.value),
        "{told}: {answer:?}"
    );
    assert_eq!(answer.reason.as_str(), expected.reason, "{told}");
    assert_eq!(
        answer.variant.as_deref().unwrap_or(""),
        expected.variant_key,
        "{told}"
    );
    if answer.reason == Reason::NotFound {
        assert_eq!(answer.error, Some(ErrorKind::FlagNotFound), "{told}");
        return;
    }
    let value = &expected.value;
    let bool = client.bool_detail(key, context, true);
    is_of_its_type(bool, value.as_bool(), true, told);
    let number = client.number_detail(key, context, 0.25);
    is_of_its_type(number, value.as_f64(), 0.25, told);
    let int = client.int_detail(key, context, -77);
    is_of_its_type(int, whole(value), -77, told);
    let text = client.string_detail(key, context, "default");
    is_of_its_type(text, value.as_str().map(Arc::from), "default".into(), told);
}

/// The value, or the caller's default and an error.
fn is_of_its_type<T>(answer: Detail<T>, value: Option<T>, default: T, told: &str)
where
    T: PartialEq + std::fmt::Debug,
{
    if let Some(value) = value {
        assert_eq!(answer.value, value, "{told}");
        assert_ne!(answer.error, Some(ErrorKind::TypeMismatch), "{told}");
    } else {
        assert_eq!(answer.value, default, "{told}");
        assert_eq!(answer.error, Some(ErrorKind::TypeMismatch), "{told}");
    }
}

/// A whole number, however it is written.
fn whole(value: &Value) -> Option<i64> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0);
    value
        .as_i64()
        .or_else(|| format!("{}", number?).parse().ok())
}
