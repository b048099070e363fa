//! The outbox, written in the transaction of the change: an event exists exactly when its change does.
//!
//! One row per event, however many webhooks listen, and none without a listener. Distribution is left to
//! [`crate::webhooks`], so that the number of webhooks does not slow down changes.

use serde_json::Value;
use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{
    Actor, Event, Subject,
    contents::{About, Contents},
    store,
};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, ProjectId, WebhookId},
};

/// An event for webhooks. It contains no secrets.
#[derive(Debug)]
pub struct NewOutboxEvent {
    pub(super) event_type: &'static str,
    pub(super) flag_id: Option<FlagId>,
    /// `None` if it concerns no environment, or a flag in all of them.
    pub(super) env_id: Option<EnvId>,
    pub(super) project_id: Option<ProjectId>,
    pub(super) happened_at: OffsetDateTime,
    pub(super) contents: Contents,
    /// Whether it is a part of a change set, which webhooks can receive as one.
    pub(super) is_part: bool,
}

impl NewOutboxEvent {
    /// `None` if webhooks do not receive it. `room` bounds the values of a transaction's events.
    pub fn of(event: &Event, room: &mut usize, now: OffsetDateTime) -> Option<Self> {
        let event_type = event.action().webhook_type()?;
        let (flag_id, env_id) = match event.subject() {
            Subject::Flag(flag_id) => (Some(flag_id), None),
            Subject::FlagState(flag_id, env_id) => (Some(flag_id), Some(env_id)),
            Subject::Approval(_, env_id) => (flag_of(event), Some(env_id)),
            Subject::Environment(env_id)
            | Subject::ApiKey(_, env_id)
            | Subject::Grant(_, env_id) => (None, Some(env_id)),
            _ => (None, None),
        };
        Some(Self {
            event_type,
            flag_id,
            env_id,
            project_id: event.project_id,
            happened_at: now,
            contents: Contents::of(event, room),
            is_part: event.is_part(),
        })
    }
}

/// The flag of a request for approval.
fn flag_of(event: &Event) -> Option<FlagId> {
    let state = event.after.as_ref().or(event.before.as_ref())?;
    FlagId::parse(state.get("flag_id").and_then(Value::as_str)?)
}

/// Writes the events of a unit of work, in order. Call it last before the commit: from here on changes of one organization are
/// serialized, so that positions follow the order of commits.
pub async fn write(
    conn: &mut PgConnection,
    org_id: OrgId,
    actor: Actor,
    events: &[NewOutboxEvent],
) -> db::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    store::insert(conn, org_id, actor, None, events).await
}

/// Writes an event for one webhook, regardless of its subscription.
pub async fn write_for(
    conn: &mut PgConnection,
    org_id: OrgId,
    actor: Actor,
    id: WebhookId,
    (event_type, about): (&'static str, About),
    now: OffsetDateTime,
) -> db::Result<()> {
    let event = NewOutboxEvent {
        event_type,
        flag_id: None,
        env_id: None,
        project_id: None,
        happened_at: now,
        contents: Contents::about(about),
        is_part: false,
    };
    store::insert(conn, org_id, actor, Some(id), &[event]).await
}
