//! The body of a request to explain an evaluation.

use protocol::{eval::Context, objects::Object};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::document;
use base::input::{Invalid, all_given, has_text, required, visible};
use base::warning::Warning;
use domain::flags::states::input::StatePatch;

const KEY: &str = "key";
const ATTRIBUTES: &str = "attributes";

/// The body of `POST /v1/explain`.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ExplainRequest)]
pub(super) struct ExplainBody {
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    project_id: Option<String>,
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    env_id: Option<String>,
    /// Required. An unknown one is explained as `NOT_FOUND`.
    #[schema(value_type = String)]
    flag_key: Option<String>,
    /// Required.
    #[schema(value_type = document::Context)]
    context: Option<Map<String, Value>>,
    /// A draft in place of the stored state; absent fields have the defaults of a state that was never stored.
    #[schema(value_type = Option<StatePatch>)]
    state: Option<Object<StatePatch>>,
    /// The flag and its state as they were at this version of the flag's history; everything else as it is now. Not together with
    /// `state`.
    version: Option<i64>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) project_id: String,
    pub(super) env_id: String,
    pub(super) flag_key: String,
    pub(super) context: Context<'static>,
    /// The version to explain in place of the present state.
    pub(super) version: Option<i64>,
    /// Warnings about probable mistakes in the context.
    pub(super) warnings: Vec<Warning>,
}

impl ExplainBody {
    /// Checks the fields except the draft.
    pub(super) fn check(self) -> Result<Question, Invalid> {
        all_given([
            ("project_id", has_text(&self.project_id)),
            ("env_id", has_text(&self.env_id)),
            ("flag_key", has_text(&self.flag_key)),
            ("context", self.context.is_some()),
        ])?;
        if self.state.is_some() && self.version.is_some() {
            return Err(Invalid::new("state and version cannot be given together"));
        }
        let written = self
            .context
            .ok_or_else(|| Invalid::new("context is required"))?;
        Ok(Question {
            project_id: required("project_id", self.project_id)?,
            env_id: required("env_id", self.env_id)?,
            flag_key: required("flag_key", self.flag_key)?,
            version: self.version,
            warnings: misplaced(&written),
            context: context(written)?,
        })
    }

    /// The draft, unchecked: parsed, its values can take many times the memory of their text.
    pub(super) fn draft(self) -> Option<StatePatch> {
        self.state.map(|Object(patch)| patch)
    }
}

/// The limits are those of an evaluation.
/// The context of a question.
pub(crate) fn context(written: Map<String, Value>) -> Result<Context<'static>, Invalid> {
    let context = Context::deserialize(Value::Object(written)).map_err(|_| {
        Invalid::new("context.key must be a string and context.attributes an object")
    })?;
    if context.key.trim().is_empty() {
        return Err(Invalid::new("context.key is required"));
    }
    context
        .check_limits()
        .map_err(|limit| Invalid::new(limit.to_string()))?;
    Ok(context)
}

/// Attributes where rules do not find them: beside the key, as in OFREP, or one level too deep.
fn misplaced(written: &Map<String, Value>) -> Vec<Warning> {
    let beside = written
        .keys()
        .find(|name| ![KEY, ATTRIBUTES].contains(&name.as_str()));
    let beside = beside.map(|name| Warning {
        place: format!("context.{}", visible(name)),
        message: "only key and attributes are read; what rules look at belongs into attributes"
            .to_owned(),
    });
    let attributes = written
        .get(ATTRIBUTES)
        .and_then(|attributes| attributes.get(ATTRIBUTES));
    let within = attributes
        .filter(|inner| inner.is_object())
        .map(|_| Warning {
            place: "context.attributes.attributes".to_owned(),
            message:
                "one attribute of this name; what rules look at belongs into context.attributes"
                    .to_owned(),
        });
    beside.into_iter().chain(within).collect()
}
