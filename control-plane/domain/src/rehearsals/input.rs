//! The body that begins a rehearsal.

use serde::Deserialize;
use time::Duration;
use utoipa::ToSchema;

use super::model::Failure;
use base::{
    ids::ApiKeyId,
    input::{Invalid, in_range},
};

/// A rehearsal to begin.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewRehearsal)]
pub struct Begin {
    /// Required: a key of the environment.
    #[schema(value_type = ApiKeyId)]
    api_key_id: Option<String>,
    /// `unavailable` when absent: 503. `silence`: no answer.
    #[schema(value_type = Option<Failure>)]
    failure: Option<String>,
    /// 1 to 60; 30 when absent.
    seconds: Option<i64>,
}

#[derive(Clone, Copy, Debug)]
pub struct NewRehearsal {
    /// Absent if it is none that a key could have.
    pub api_key_id: Option<ApiKeyId>,
    pub failure: Failure,
    pub lasts: Duration,
}

impl Begin {
    pub fn check(self) -> Result<NewRehearsal, Invalid> {
        let api_key_id = self.api_key_id.filter(|text| !text.is_empty());
        let api_key_id = api_key_id.ok_or_else(|| Invalid::new("api_key_id is required"))?;
        let failure = match self.failure.as_deref() {
            None | Some("unavailable") => Failure::Unavailable,
            Some("silence") => Failure::Silence,
            Some(_) => return Err(Invalid::new("failure must be unavailable or silence")),
        };
        let seconds = in_range("seconds", self.seconds.unwrap_or(30), 1, 60)?;
        Ok(NewRehearsal {
            api_key_id: ApiKeyId::parse(&api_key_id),
            failure,
            lasts: Duration::seconds(seconds),
        })
    }
}
