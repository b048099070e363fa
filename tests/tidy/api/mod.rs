//! The API document is one that a client can be made of: each check complains of every operation or schema that fails it.
//! What a new endpoint needs is in `docs/adding-an-endpoint.md`.

mod compatible;
mod examples;
mod names;
mod parameters;
mod refusals;
mod required;
mod words;

use harness::documented::{self, Operation};
use serde_json::{Map, Value};

use crate::assert_none;

/// Complains of the operations about which there is something to say.
fn assert_each(complaint: impl Fn(&Operation) -> Option<String>) {
    let complaints = documented::operations()
        .iter()
        .filter_map(|one| Some(format!("{}: {}", one.name(), complaint(one)?)));
    assert_none(&complaints.collect::<Vec<_>>());
}

/// The schemas of the document, by name.
fn schemas() -> &'static Map<String, Value> {
    documented::document()["components"]["schemas"]
        .as_object()
        .expect("schemas")
}

/// The items of a list, or nothing.
fn items(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

/// The members of an object, or nothing.
fn members(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}

/// The name of the schema that is referred to.
fn referred_to(schema: &Value) -> Option<&str> {
    schema["$ref"].as_str()?.rsplit('/').next()
}
