//! The body of a request to explain an evaluation.

use protocol::{eval::Context, objects::Object};
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::document;
use crate::{
    flags::states::input::StatePatch,
    input::{Invalid, all_given, has_text, required},
};

/// The body of `POST /v1/explain`.
#[derive(Debug, Deserialize, ToSchema)]
pub(super) struct ExplainBody {
    /// Required.
    project_id: Option<String>,
    /// Required.
    env_id: Option<String>,
    /// Required. An unknown one is explained as `NOT_FOUND`.
    flag_key: Option<String>,
    /// Required.
    #[schema(value_type = document::Context)]
    context: Option<Map<String, Value>>,
    /// A draft in place of the stored state; what it leaves out is as in a state that was never stored.
    #[schema(value_type = Option<StatePatch>)]
    state: Option<Object<StatePatch>>,
}

#[derive(Debug)]
pub(super) struct Question {
    pub(super) project_id: String,
    pub(super) env_id: String,
    pub(super) flag_key: String,
    pub(super) context: Context<'static>,
}

impl ExplainBody {
    /// Checks the fields but the draft.
    pub(super) fn check(self) -> Result<Question, Invalid> {
        all_given([
            ("project_id", has_text(&self.project_id)),
            ("env_id", has_text(&self.env_id)),
            ("flag_key", has_text(&self.flag_key)),
            ("context", self.context.is_some()),
        ])?;
        Ok(Question {
            project_id: required("project_id", self.project_id)?,
            env_id: required("env_id", self.env_id)?,
            flag_key: required("flag_key", self.flag_key)?,
            context: context(self.context)?,
        })
    }

    /// The draft, unchecked: its values can take many times the memory that they were sent in.
    pub(super) fn draft(self) -> Option<StatePatch> {
        self.state.map(|Object(patch)| patch)
    }
}

/// The limits are those of an evaluation.
fn context(written: Option<Map<String, Value>>) -> Result<Context<'static>, Invalid> {
    let written = written.ok_or_else(|| Invalid::new("context is required"))?;
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
