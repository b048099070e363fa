//! Requests for approval as sent by clients.

use protocol::objects::Object;
use serde::Deserialize;
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Approval, Payload, Status};
use crate::flags::states::input::StatePatch;
use base::{
    ids::{ApprovalId, EnvId, FlagId, ProjectId, UserId},
    input::{Invalid, all_given, has_text, is_longer_than, required},
    named::{EnvRef, ProjectRef},
};

/// A request for approval.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewApproval {
    /// The project of flag and environment, by id or slug. Without it one of them must be named by id.
    project_id: Option<String>,
    /// The flag, by its id; required without `flag_key`.
    flag_id: Option<String>,
    /// The flag, by its key in the project, which is that of the environment if none is given; required without `flag_id`.
    flag_key: Option<String>,
    /// Required: an id, or a slug where `project_id` or `flag_id` is given.
    #[schema(value_type = String)]
    env_id: Option<String>,
    /// Required: any text of at most 100 characters. `enable` and `disable` do what they say when there is no payload.
    #[schema(value_type = String)]
    change_type: Option<String>,
    /// The fields of the flag state to change.
    #[schema(value_type = Option<StatePatch>)]
    payload: Option<Object<StatePatch>>,
    /// For the reviewer, at most 2000 characters.
    note: Option<String>,
}

/// The parts of the body that are kept as given.
#[derive(Debug, Deserialize)]
pub struct Given {
    payload: Option<Payload>,
}

/// A complete request; flag and environment are not resolved yet.
#[derive(Debug)]
pub struct Asked {
    pub project: Option<ProjectRef>,
    pub flag: NamedFlag,
    pub env: EnvRef,
    change_type: String,
    payload: Payload,
    note: String,
}

#[derive(Debug)]
pub enum NamedFlag {
    /// An unparsed id, and perhaps an unparsed key.
    Id(String, Option<String>),
    /// An unparsed key.
    Key(String),
}

impl NewApproval {
    /// Checks that nothing is missing or too long.
    pub fn check(self, given: Given) -> Result<Asked, Invalid> {
        all_given([
            (
                "flag_id or flag_key",
                has_text(&self.flag_id) || has_text(&self.flag_key),
            ),
            ("env_id", has_text(&self.env_id)),
            ("change_type", has_text(&self.change_type)),
        ])?;
        let env = required("env_id", self.env_id)?;
        let asked = Asked {
            project: given_text(self.project_id).map(|text| ProjectRef::parse(&text)),
            flag: match given_text(self.flag_id) {
                Some(id) => NamedFlag::Id(id, given_text(self.flag_key)),
                None => NamedFlag::Key(required("flag_key", self.flag_key)?),
            },
            env: EnvRef::parse(&env),
            change_type: required("change_type", self.change_type)?,
            // The typed field parsed, so the raw value is a state object too.
            payload: self.payload.and(given.payload).unwrap_or_default(),
            note: note(self.note)?.unwrap_or_default(),
        };
        if is_longer_than(&asked.change_type, 100) {
            return Err(Invalid::new("change_type must have at most 100 characters"));
        }
        asked.payload.check_size()?;
        Ok(asked)
    }
}

fn given_text(text: Option<String>) -> Option<String> {
    text.filter(|text| !text.trim().is_empty())
}

pub fn note(text: Option<String>) -> Result<Option<String>, Invalid> {
    match text {
        Some(text) if is_longer_than(&text, 2_000) => {
            Err(Invalid::new("note must have at most 2000 characters"))
        }
        text => Ok(text),
    }
}

impl Asked {
    /// The change to apply on approval; `None` if there is none. An error if the payload is not a flag state.
    pub fn wish(&self) -> Result<Option<StatePatch>, Invalid> {
        self.payload.wish(&self.change_type)
    }

    /// The fields of the state that it changes.
    pub fn fields(&self) -> Vec<&'static str> {
        self.payload.fields(&self.change_type)
    }

    /// The request, without what is looked up when it is read.
    pub fn about(
        self,
        project_id: ProjectId,
        flag_id: FlagId,
        env_id: EnvId,
        requestor_id: UserId,
        now: OffsetDateTime,
    ) -> Approval {
        Approval {
            id: ApprovalId::new(now),
            project_id,
            project_slug: None,
            flag_id,
            flag_key: None,
            env_id,
            env_slug: None,
            change_type: self.change_type,
            status: Status::Pending,
            payload: self.payload,
            note: self.note,
            requestor_id,
            requestor_name: None,
            reviewer_id: None,
            reviewer_name: None,
            review_note: None,
            reviewed_at: None,
            required_approvals: 1,
            approvals: Json(Vec::new()),
            created_at: now,
            updated_at: now,
        }
    }
}
