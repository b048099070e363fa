//! The outbox, written in the transaction of the change: an event exists exactly when its change does.
//!
//! One row per change, however many webhooks listen, and none without a listener. Distribution is left to
//! [`crate::webhooks`], so that the number of webhooks does not slow down changes.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{Event, Subject, store};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, WebhookId},
};

/// An event for webhooks. It contains only names and ids.
#[derive(Clone, Copy, Debug)]
pub struct NewOutboxEvent {
    pub(super) event_type: &'static str,
    pub(super) flag_id: Option<FlagId>,
    /// `None` if it concerns a flag in all environments.
    pub(super) env_id: Option<EnvId>,
    pub(super) happened_at: OffsetDateTime,
}

impl NewOutboxEvent {
    pub fn of(event: &Event, now: OffsetDateTime) -> Option<Self> {
        let (flag_id, env_id) = match event.subject() {
            Subject::Flag(flag_id) => (flag_id, None),
            Subject::FlagState(flag_id, env_id) => (flag_id, Some(env_id)),
            _ => return None,
        };
        Some(Self {
            event_type: event.action().webhook_type()?,
            flag_id: Some(flag_id),
            env_id,
            happened_at: now,
        })
    }
}

/// Writes the events of a unit of work, in order. Call it last before the commit: from here on changes of one organization are
/// serialized, so that positions follow the order of commits.
pub async fn write(
    conn: &mut PgConnection,
    org_id: OrgId,
    events: &[NewOutboxEvent],
) -> db::Result<()> {
    if events.is_empty() {
        return Ok(());
    }
    store::insert(conn, org_id, None, events).await
}

/// Writes an event for one webhook, regardless of its subscription.
pub async fn write_for(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    event_type: &'static str,
    now: OffsetDateTime,
) -> db::Result<()> {
    let event = NewOutboxEvent {
        event_type,
        flag_id: None,
        env_id: None,
        happened_at: now,
    };
    store::insert(conn, org_id, Some(id), &[event]).await
}
