//! Logins as the life of an organization sees them: each keeps it, or restores it.

use time::OffsetDateTime;

use super::store;
use crate::events::{self, Action, Actor, Event, Subject};
use base::{
    db::{self, Tx},
    ids::OrgId,
};

/// An organization that somebody is just signing in to, and that stays as it is until they are. Sessions are opened with it.
#[derive(Debug)]
pub struct Arrived {
    data_region: String,
}

impl Arrived {
    /// Where the organization's data lives.
    pub fn data_region(&self) -> &str {
        &self.data_region
    }
}

/// Records that a member signs in, or stays signed in, and restores the organization if it was deleted. `None` if it is
/// gone, or going for good. Call it before anything else of the organization is locked: see the order of locks in
/// [`crate::lifecycle`].
pub async fn arrive(
    tx: &mut Tx,
    org_id: OrgId,
    actor: Actor,
    now: OffsetDateTime,
) -> db::Result<Option<Arrived>> {
    // First: whoever decides about the organization by its activity waits for us, or we for them.
    store::activity::touch(tx, org_id, now).await?;
    if store::activity::restore(tx, org_id, now).await? {
        let event = Event::new(Action::OrganizationRestored, Subject::Org(org_id));
        events::record(tx, org_id, actor, event, now).await?;
        tx.after_commit(move || {
            metrics::counter!("halyard_organizations_restored_total").increment(1);
            tracing::info!(org.id = %org_id, "an organization was restored by a login");
        });
    }
    let data_region = store::activity::find_region_unless_purged(tx, org_id).await?;
    Ok(data_region.map(|data_region| Arrived { data_region }))
}
