//! What the service says when it does not apply files, in words that lead to them.

use serde_json::Value;

use super::{folder, folder::Local, locate};
use crate::{
    api::{Error, StatusCode},
    output::{cell, message},
};

/// The error, after what is known of it was told: the lines of problems, and who changed what meanwhile.
pub(super) fn told(local: &Local, error: Error) -> Error {
    let Error::Refused(mut refusal) = error else {
        return error;
    };
    let list = |field: &str| refusal.body[field].as_array().cloned().unwrap_or_default();
    let problems: Vec<_> = list("problems")
        .iter()
        .map(|one| {
            let text = |field: &str| one[field].as_str().unwrap_or_default().to_owned();
            locate::problem(local, &text("place"), &text("message"))
        })
        .collect();
    folder::tell(&local.of.dir, &problems);
    if refusal.status == StatusCode::PRECONDITION_FAILED {
        for change in list("changes") {
            message(&meanwhile(&change));
        }
        refusal.advice = Some("nothing was applied; run `halyardctl plan` again".to_owned());
    } else if !problems.is_empty() {
        refusal.message = "the service does not take these files".to_owned();
    }
    Error::Refused(refusal)
}

/// A change of others in a line: `flag.updated of checkout in production, by Ada at 2026-01-02T03:04:05Z`.
fn meanwhile(change: &Value) -> String {
    let text = |field: &str| Some(cell(&change[field])).filter(|_| change[field].is_string());
    let what = text("action").unwrap_or_else(|| format!("{} changed", cell(&change["kind"])));
    let (key, at) = (cell(&change["key"]), cell(&change["at"]));
    let place = text("env_slug").map_or_else(String::new, |slug| format!(" in {slug}"));
    let who = text("actor_name").unwrap_or_else(|| "the system".to_owned());
    format!("changed meanwhile: {what} of {key}{place}, by {who} at {at}")
}
