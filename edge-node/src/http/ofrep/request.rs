//! Request bodies of the protocol: a flat context in which `targetingKey` is what is called the key everywhere else.

use std::borrow::Cow;

use protocol::eval::{Attribute, Attributes, Context};
use serde::Deserialize;
use serving::body::RawBody;

use super::Refusal;
use crate::http::request::Read;

const TARGETING_KEY: &str = "targetingKey";
const ATTRIBUTES: &str = "attributes";

/// Attributes in a place of their own, as the native paths have them, are one attribute.
const NESTED: &str = "context.attributes: one attribute of this name; what rules look at belongs beside targetingKey";

#[derive(Debug, Deserialize)]
#[serde(expecting = "a JSON object")]
struct Request<'a> {
    /// Any JSON at first: a context that is not an object is another error than a body that cannot be read.
    #[serde(borrow)]
    context: Option<Attribute<'a>>,
}

/// The context of a request, and a warning if attributes seem to be in the wrong place.
pub(super) fn context(body: &RawBody) -> Result<Read<'_>, Refusal> {
    let Request { context } = body.parse_unstored()?;
    let Some(Attribute::Object(members)) = context else {
        return Err(Refusal::invalid_context("context must be an object"));
    };
    let is_nested = members
        .iter()
        .any(|(name, member)| name == ATTRIBUTES && matches!(member, Attribute::Object(_)));
    let context = from_members(members)?;
    context
        .check_limits()
        .map_err(|limit| Refusal::invalid_context(limit.to_string()))?;
    Ok((context, is_nested.then_some(NESTED)))
}

fn from_members<'a>(
    mut members: Vec<(Cow<'a, str>, Attribute<'a>)>,
) -> Result<Context<'a>, Refusal> {
    let mut key = Attribute::Null;
    members.retain_mut(|(name, member)| {
        let is_key = name == TARGETING_KEY;
        if is_key {
            key = std::mem::replace(member, Attribute::Null);
        }
        !is_key
    });
    match key {
        Attribute::Text(key) if !key.trim().is_empty() => Ok(Context {
            key,
            attributes: members.into_iter().collect::<Attributes<'_>>(),
        }),
        Attribute::Text(_) | Attribute::Null => Err(Refusal::targeting_key_missing()),
        Attribute::Bool(_)
        | Attribute::Int(_)
        | Attribute::Uint(_)
        | Attribute::Float(_)
        | Attribute::Array(_)
        | Attribute::Object(_) => Err(Refusal::invalid_context("targetingKey must be a string")),
    }
}
