//! The projects of the evaluation vectors answer the same from the files that are made of them.

use std::{fs, path::Path};

use files::content::{Content, Environment, Format, render, same};
use protocol::eval::{self, Context, Evaluation, Scratch, evaluate};
use serde::Deserialize;
use serde_json::{Value, json, value::RawValue};

use crate::{NOW, read};

/// Cases of environments that the API would take.
const CASES: usize = 2_000;

#[derive(Deserialize)]
struct Vectors {
    environments: std::collections::HashMap<String, Value>,
    cases: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    environment: String,
    flag_key: String,
    /// As it would be sent, so that numbers keep their spelling.
    context: Box<RawValue>,
    expected: Value,
}

fn content(stored: &Value) -> Content {
    let list = |name: &str| stored[name].as_array().cloned().unwrap_or_default();
    let mut content = Content {
        environments: vec![Environment {
            slug: "e".to_owned(),
            name: "E".to_owned(),
            color: "#6B7280".to_owned(),
            protected: false,
            required_approvals: 1,
        }],
        ..Content::default()
    };
    for mut segment in list("segments") {
        let key = segment["key"].as_str().unwrap().to_owned();
        segment["name"] = json!(key);
        if segment["match_type"].as_str().is_none_or(str::is_empty) {
            segment["match_type"] = json!("all");
        }
        let segment = serde_json::from_value(segment).unwrap();
        content.segments.insert(key, segment);
    }
    for mut flag in list("flags") {
        let key = flag["key"].as_str().unwrap().to_owned();
        flag["name"] = json!(key);
        if flag["default_value"].is_null() {
            let text = flag["flag_type"].as_str();
            let flag_type = definition::flags::model::FlagType::parse(text).unwrap();
            flag["default_value"] = flag_type.default_value();
        }
        if let Some(state) = stored["states"].get(&key) {
            flag["states"] = json!({"e": state});
        }
        let mut flag: files::content::Flag = serde_json::from_value(flag).unwrap();
        for state in flag.states.values_mut() {
            state.complete();
            // As the API stores it.
            for rule in &mut state.rules {
                let mut named = std::collections::HashSet::new();
                rule.segment_keys.retain(|key| named.insert(key.clone()));
            }
        }
        content.flags.insert(key, flag);
    }
    content
}

#[test]
fn vectors_answer_the_same_from_files() {
    let folder = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../conformance"));
    let mut asked = 0;
    let mut scratch = Scratch::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|ending| ending != "json") {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let vectors: Vectors = serde_json::from_str(&text).unwrap();
        for (name, stored) in &vectors.environments {
            if stored["api"] == false {
                continue;
            }
            let content = content(stored);
            let files = render(&content, Format::Yaml);
            let project =
                read(&files).unwrap_or_else(|wrong| panic!("{path:?} {name}: {wrong:#?}"));
            assert_eq!(Content::from(&project), content, "{path:?} {name}");
            let version = protocol::snapshot::Version::default();
            let snapshot = project.snapshot("e", version, Vec::new(), NOW).unwrap();
            let served = eval::Environment::prepare(&snapshot).unwrap();
            for case in vectors
                .cases
                .iter()
                .filter(|case| case.environment == *name)
            {
                let context: Context<'_> = serde_json::from_str(case.context.get()).unwrap();
                let answer = match served.flag(&case.flag_key) {
                    Some(flag) => evaluate(&served, flag, &context, &mut scratch),
                    None => Evaluation::NOT_FOUND,
                };
                let told = json!({"reason": answer.reason.as_str(), "variant_key": answer.variant_key(),
                    "value": serde_json::from_str::<Value>(answer.value_json).unwrap()});
                let told_of = (&path, name, &case.flag_key);
                assert!(
                    same(&told, &case.expected),
                    "{told_of:?}: {told} and not {}",
                    case.expected
                );
                asked += 1;
            }
        }
    }
    assert!(asked > CASES, "{asked}");
}
