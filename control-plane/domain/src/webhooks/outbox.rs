//! What webhooks are owed, written in the transaction of the change: an event exists exactly when its change does.
//!
//! One row a change, however many webhooks listen, and none where nobody does. Sharing it out is somebody else's work
//! (`queue.rs`), so that a change is not slower for a hundred webhooks than for one.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model, store};
use crate::events::{Event, Subject};
use base::{
    db,
    ids::{EnvId, FlagId, OrgId, WebhookId},
};

/// An event that webhooks hear of. It names things and holds nothing of them.
#[derive(Clone, Copy, Debug)]
pub struct Owed {
    pub(super) event_type: &'static str,
    pub(super) flag_id: Option<FlagId>,
    /// `None` for what concerns a flag in all environments.
    pub(super) env_id: Option<EnvId>,
    pub(super) happened_at: OffsetDateTime,
}

impl Owed {
    /// What webhooks hear of an event; `None` for nothing.
    pub fn of(event: &Event, now: OffsetDateTime) -> Option<Self> {
        let (flag_id, env_id) = match event.subject() {
            Subject::Flag(flag_id) => (flag_id, None),
            Subject::FlagState(flag_id, env_id) => (flag_id, Some(env_id)),
            _ => return None,
        };
        Some(Self {
            event_type: model::event_type(event.action())?,
            flag_id: Some(flag_id),
            env_id,
            happened_at: now,
        })
    }
}

/// Writes what a unit of work owes, in the order of its events. Call it last before the commit: from here to there the changes
/// of one organization wait for each other, so that their positions are in the order of the commits.
pub async fn write(conn: &mut PgConnection, org_id: OrgId, owed: &[Owed]) -> db::Result<()> {
    if owed.is_empty() {
        return Ok(());
    }
    store::events::insert(conn, org_id, None, owed).await
}

/// Writes an event that one webhook hears of, whatever it listens to.
pub(super) async fn write_test(
    conn: &mut PgConnection,
    org_id: OrgId,
    id: WebhookId,
    now: OffsetDateTime,
) -> db::Result<()> {
    let test = Owed {
        event_type: model::TEST,
        flag_id: None,
        env_id: None,
        happened_at: now,
    };
    store::events::insert(conn, org_id, Some(id), &[test]).await
}
