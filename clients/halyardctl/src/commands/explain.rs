//! What a user gets, and why.

use serde_json::{Value, json};

use super::{input, session::Session};
use crate::{
    api::{Error, Request, operations},
    arguments::Explain,
    output::{self, Column, Format, cell, escape},
};

const STEPS: &[Column] = &[
    Column::new("STEP", "/step"),
    Column::new("OUTCOME", "/outcome"),
    Column::new("DETAIL", "/detail"),
];

pub(super) async fn explain(session: &Session, wanted: Explain) -> Result<(), Error> {
    let Explain {
        key,
        within,
        user,
        attributes,
        version,
    } = wanted;
    let project = session.project(&within.within).await?;
    // What is no JSON is a text.
    let read = |text: &str| Ok(serde_json::from_str(text).unwrap_or_else(|_| text.into()));
    let attributes = input::pairs("--attribute", &attributes, read)?;
    let request = Request::new(&operations::EXPLAIN, &[])
        .field("project_id", Some(project))
        .field("env_id", Some(within.env))
        .field("flag_key", Some(key))
        .field(
            "context",
            Some(json!({"key": user, "attributes": attributes})),
        )
        .field("version", version);
    let answer = session.get(&request).await?;
    if session.printer.format() != Format::Table {
        return session.printer.value(&answer);
    }
    output::write(&in_words(&answer["result"]))?;
    let steps = answer["steps"].as_array().into_iter().flatten();
    let rows = steps.map(|step| STEPS.iter().map(|column| column.of(step)).collect());
    session
        .printer
        .table(&answer, STEPS.iter().map(|column| column.title), rows)?;
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        let (place, text) = (cell(&warning["place"]), cell(&warning["message"]));
        output::message(&format!("warning: {place}: {text}"));
    }
    Ok(())
}

fn in_words(result: &Value) -> String {
    let key = cell(&result["flag_key"]);
    let value = escape(&result["value"].to_string());
    let reason = cell(&result["reason"]);
    match result["variant_key"].as_str() {
        None | Some("") => format!("{key} is {value} ({reason})\n\n"),
        Some(variant) => format!(
            "{key} is {value} ({reason}, variant {})\n\n",
            escape(variant)
        ),
    }
}
