//! A change set as the API shows it.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::types::Json;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    approvals::model::Verdict,
    content::parts::{Fields, Kind, Part, PartAction},
};
use base::{
    ids::{ChangeSetId, ProjectId, UserId},
    input::Invalid,
};

/// Edits of a project that are applied together.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct ChangeSet {
    /// Its id.
    pub id: ChangeSetId,
    /// Its project.
    pub project_id: ProjectId,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    pub description: String,
    /// Where it stands.
    pub status: Status,
    /// The edits, as `applyContent` takes them; `null` in lists, and for those who may not read flags, segments and environments.
    #[schema(value_type = Option<Object>, required)]
    pub changes: Option<Json<Fields>>,
    /// What they do, thing by thing: as of the draft or its last approval, and once it is applied, what it did. `null` as above.
    #[schema(value_type = Option<Vec<Part>>, required)]
    pub parts: Option<Json<Vec<Part>>>,
    /// The project's version that the draft, or its last approval, was compared with.
    pub base_version: i64,
    /// Who drafted or edited it, or asked for approval: they do not review it.
    pub author_ids: Vec<UserId>,
    /// Counts its changes, and is the `ETag`.
    pub version: i64,
    /// How many people must approve it, as of the request for approval; counted again when it is applied.
    pub required_approvals: i32,
    /// Slugs of the protected environments in which it has an effect, as of the request for approval.
    pub protected: Vec<String>,
    /// What people said since the request for approval.
    #[schema(value_type = Vec<GivenReview>)]
    pub reviews: Json<Vec<GivenReview>>,
    /// When it is to be applied.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub apply_at: Option<OffsetDateTime>,
    /// By whose right.
    #[schema(required)]
    pub scheduled_by: Option<UserId>,
    /// When it was applied.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    pub applied_at: Option<OffsetDateTime>,
    /// By whom.
    #[schema(required)]
    pub applied_by: Option<UserId>,
    /// The project's version that has all of it.
    #[schema(required)]
    pub applied_version: Option<i64>,
    /// Why it could not be applied at its time.
    #[schema(required)]
    pub failure: Option<String>,
    /// The set that it undoes.
    #[schema(required)]
    pub undoes: Option<ChangeSetId>,
    /// When it was drafted.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

/// What somebody said about a change set.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
#[schema(as = ChangeSetReview)]
pub struct GivenReview {
    /// Who.
    pub reviewer_id: UserId,
    /// What.
    pub action: Verdict,
    /// Why, if they said so.
    #[schema(required)]
    pub note: Option<String>,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub reviewed_at: OffsetDateTime,
}

/// Where a change set stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = ChangeSetStatus)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Status {
    /// Being edited.
    Draft,
    /// Waiting for approvals.
    Pending,
    /// Approved by enough people, and waiting to be applied.
    Approved,
    /// To be applied at its time.
    Scheduled,
    Applied,
    Rejected,
    /// It could not be applied at its time.
    Failed,
}

impl Status {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        let all = [
            Self::Draft,
            Self::Pending,
            Self::Approved,
            Self::Scheduled,
            Self::Applied,
            Self::Rejected,
            Self::Failed,
        ];
        let found = all.into_iter().find(|status| status.as_str() == text);
        found.ok_or_else(|| {
            Invalid::new(
                "status must be one of draft, pending, approved, scheduled, applied, rejected, failed",
            )
        })
    }

    /// Its name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Pending => "pending",
            Self::Approved => "approved",
            Self::Scheduled => "scheduled",
            Self::Applied => "applied",
            Self::Rejected => "rejected",
            Self::Failed => "failed",
        }
    }
}

impl ChangeSet {
    /// For those who may not read all that it changes.
    #[must_use]
    pub fn without_contents(self) -> Self {
        Self {
            changes: None,
            parts: None,
            ..self
        }
    }

    /// What the audit log and webhooks keep: what it does is told by its parts, each with an entry of its own.
    pub(crate) fn brief(&self) -> Value {
        let mut shown = serde_json::to_value(self.clone().without_contents()).unwrap_or_default();
        if let Some(members) = shown.as_object_mut() {
            members.remove("changes");
            members.remove("parts");
        }
        shown
    }

    /// Whether an environment goes with it.
    pub fn removes_environments(&self) -> bool {
        let mut parts = self.parts().iter();
        parts.any(|part| part.thing.kind == Kind::Environment && part.action == PartAction::Remove)
    }

    /// The people whose approval it has.
    pub(crate) fn approvers(&self) -> Vec<UserId> {
        let approvals = self.reviews.0.iter();
        let approvals = approvals.filter(|review| review.action == Verdict::Approve);
        approvals.map(|review| review.reviewer_id).collect()
    }

    /// Whether it is to be applied as others approved it, the first of several too.
    pub(crate) fn is_approved(&self) -> bool {
        use Status::{Approved, Pending, Scheduled};
        matches!(self.status, Pending | Approved | Scheduled) && !self.approvers().is_empty()
    }

    pub(crate) fn parts(&self) -> &[Part] {
        self.parts.as_ref().map_or(&[], |parts| &parts.0)
    }

    /// Adds an author.
    pub(crate) fn authored_by(&mut self, user_id: UserId) {
        if !self.author_ids.contains(&user_id) {
            self.author_ids.push(user_id);
        }
    }

    /// Makes it a draft again: without approvals, time and failure.
    pub(crate) fn reopen(&mut self) {
        self.status = Status::Draft;
        (self.required_approvals, self.protected) = (0, Vec::new());
        self.reviews = Json(Vec::new());
        (self.apply_at, self.scheduled_by, self.failure) = (None, None, None);
    }

    /// Counts a change.
    pub(crate) fn touch(&mut self, now: OffsetDateTime) {
        self.version += 1;
        self.updated_at = now;
    }
}
