//! Comments on requests, by those who make and review them.

pub mod store;

use serde::{Deserialize, Serialize};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use super::store as approvals;
use crate::{
    events::{Action, Event, Subject},
    unit::{Recorded, Unit},
};
use base::{
    ids::{ApprovalCommentId, ApprovalId, UserId},
    input::{Invalid, has_text, is_longer_than, required, turns},
    refusal::{Missing, Refusal},
};

/// Comments on a request.
pub const MOST: i64 = 100;

/// Bytes of an organization's comments in a day: they are kept as long as the requests.
const MAX_BYTES_A_DAY: i64 = 16 * 1024 * 1024;

/// A comment on a request for approval.
#[derive(Clone, Debug, Serialize, ToSchema)]
#[schema(as = ApprovalComment)]
pub struct Comment {
    /// Its id.
    pub id: ApprovalCommentId,
    /// The request.
    pub approval_id: ApprovalId,
    /// Who wrote it.
    pub author_id: UserId,
    /// Their name; `null` once the account is gone.
    #[schema(required)]
    pub author_name: Option<String>,
    /// Plain text.
    pub text: String,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
}

/// A comment as sent.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewApprovalComment)]
pub struct NewComment {
    /// Required: at most 2000 characters.
    #[schema(value_type = String)]
    text: Option<String>,
}

impl NewComment {
    pub fn check(self) -> Result<String, Invalid> {
        if !has_text(&self.text) {
            return Err(Invalid::new("text is required"));
        }
        let text = required("text", self.text)?;
        if is_longer_than(&text, 2_000) {
            return Err(Invalid::new("text must have at most 2000 characters"));
        }
        let is_hidden =
            |one: char| turns(one) || one.is_control() && !matches!(one, '\n' | '\r' | '\t');
        if text.chars().any(is_hidden) {
            return Err(Invalid::new(
                "text must not contain control characters and characters that change the direction of text",
            ));
        }
        Ok(text)
    }
}

/// Writes a comment on a request, decided or not.
pub async fn create(
    unit: &mut Unit,
    id: ApprovalId,
    text: String,
    author: UserId,
) -> Result<Recorded<Comment>, Refusal> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let asked = approvals::find_for_update(unit, org_id, id)
        .await?
        .ok_or(Missing::Approval)?;
    if store::count(unit, org_id, id).await? >= MOST {
        return Err(Refusal::conflict(
            "the approval request has 100 comments, which is the most it can have",
        ));
    }
    if store::bytes_since(unit, org_id, now - Duration::DAY).await? >= MAX_BYTES_A_DAY {
        return Err(Refusal::TooMany {
            words: "the comments of the last 24 hours have 16 MiB, which is the most that an organization can store in a day",
            retry_after: Duration::HOUR.unsigned_abs(),
        });
    }
    let comment = Comment {
        id: ApprovalCommentId::new(now),
        approval_id: id,
        author_id: author,
        author_name: None,
        text,
        created_at: now,
    };
    store::insert(unit, org_id, &comment).await?;
    let comment = store::get(unit, org_id, comment.id).await?;
    let subject = Subject::Approval(id, asked.env_id);
    let event = Event::created(Action::ApprovalCommented, subject, &comment);
    Ok(unit
        .record(event.in_project(asked.project_id), comment)
        .await?)
}
