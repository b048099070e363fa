//! Names that a client's developer would choose.

use std::collections::{BTreeMap, BTreeSet};

use harness::documented;
use regex::Regex;

use super::{assert_each, items, members, schemas};
use crate::{assert_none, sources};

#[test]
fn every_operation_has_an_id_of_two_words_or_more_in_camel_case() {
    let form = Regex::new("^[a-z]+([A-Z][a-z0-9]*)+$").unwrap();
    assert_each(|operation| {
        let id = operation.says["operationId"].as_str().unwrap_or_default();
        let wanted = "give it operation_id = \"listThings\" in its utoipa::path";
        (!form.is_match(id)).then(|| wanted.to_owned())
    });
}

#[test]
fn no_two_operations_have_the_same_id() {
    let mut by_id: BTreeMap<&str, usize> = BTreeMap::new();
    for operation in documented::operations() {
        let id = operation.says["operationId"].as_str().unwrap_or_default();
        *by_id.entry(id).or_default() += 1;
    }
    assert_each(|operation| {
        let id = operation.says["operationId"].as_str().unwrap_or_default();
        (by_id[id] > 1).then(|| "another has the same id".to_owned())
    });
}

#[test]
fn every_operation_has_one_tag_that_is_described() {
    let tags = items(&documented::document()["tags"]);
    let described: BTreeSet<_> = tags
        .filter(|tag| tag["description"].is_string())
        .filter_map(|tag| tag["name"].as_str())
        .collect();
    assert_each(|operation| {
        let own: Vec<_> = items(&operation.says["tags"]).collect();
        let is_known = own.len() == 1 && own[0].as_str().is_some_and(|tag| described.contains(tag));
        (!is_known)
            .then(|| format!("its tags are {own:?}; those of http/openapi are {described:?}"))
    });
}

#[test]
fn every_operation_says_how_to_authenticate_and_by_what_is_described() {
    let schemes = &documented::document()["components"]["securitySchemes"];
    assert_each(|operation| {
        let needed = items(&operation.says["security"]).flat_map(members);
        let unknown = needed
            .map(|(name, _)| name)
            .find(|name| !schemes[name.as_str()]["description"].is_string());
        if let Some(name) = unknown {
            return Some(format!("the security scheme {name} is not described"));
        }
        let refuses = operation.says["responses"].get("401").is_some();
        let is_public = items(&operation.says["security"])
            .flat_map(members)
            .next()
            .is_none();
        let is_sign_in = operation.is_tagged(&["accounts"]);
        (refuses && is_public && !is_sign_in)
            .then(|| "it answers 401 and names no scheme".to_owned())
    });
}

#[test]
fn schemas_are_named_in_pascal_case_by_what_they_are() {
    let form = Regex::new("^[A-Z][a-z]+([A-Z][a-z]*)*$").unwrap();
    let complaints = schemas().keys().filter_map(|name| {
        let is_ours = name.starts_with("Raw") || name.starts_with("Shown");
        (!form.is_match(name) || is_ours)
            .then(|| format!("{name}: name it with #[schema(as = …)] as a client would"))
    });
    assert_none(&complaints.collect::<Vec<_>>());
}

/// Two types with the same name would be one schema, and one of them a lie.
fn named_twice(sources: &[sources::Source]) -> Vec<String> {
    let described = Regex::new(
        r"#\[derive\([^)]*\bToSchema\b[^)]*\)\]\n((?:\s*(?:#\[|///)[^\n]*\n)*)\s*(?:pub(?:\([a-z]+\))? )?(?:struct|enum) (\w+)",
    )
    .unwrap();
    let other = Regex::new(r"schema\(as = (\w+)").unwrap();
    let mut places: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for source in sources.iter().filter(|source| source.is_shipped()) {
        for found in described.captures_iter(&source.text) {
            let name = other.captures(&found[1]).map_or(&found[2], |other| {
                other.get(1).expect("there is one group").as_str()
            });
            places
                .entry(name.to_owned())
                .or_default()
                .push(&source.path);
        }
    }
    let twice = places.into_iter().filter(|(_, places)| places.len() > 1);
    twice
        .map(|(name, places)| {
            format!(
                "{name} is the schema of several types: {}",
                places.join(", ")
            )
        })
        .collect()
}

#[test]
fn no_two_types_have_the_same_schema() {
    assert_none(&named_twice(&sources::all()));
    let one = "#[derive(ToSchema)]\nstruct Thing {}\n";
    let other = "#[derive(Debug, ToSchema)]\n#[schema(as = Thing)]\npub struct Other {}\n";
    let sources = [("a/src/a.rs", one), ("b/src/b.rs", other)];
    let sources = sources.map(|(path, text)| sources::Source::new(path, text));
    assert_eq!(named_twice(&sources).len(), 1);
}

#[test]
fn the_document_says_where_the_service_is_and_what_it_is() {
    let document = documented::document();
    assert!(items(&document["servers"]).count() > 0);
    assert!(document["info"]["description"].as_str().unwrap().len() > 500);
    assert_eq!(document["openapi"], "3.1.0");
}
