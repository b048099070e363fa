//! Logins to an organization: each keeps or restores it.

mod store;

use time::OffsetDateTime;

pub(crate) use self::store::lock;
use crate::events::{self, Action, Actor, Event, Subject};
use base::{
    db::{self, Tx},
    ids::OrgId,
};

/// An organization that a member is signing in to, locked until they are. Required to open a session.
#[derive(Debug)]
pub struct Arrived {
    data_region: String,
}

impl Arrived {
    pub fn data_region(&self) -> &str {
        &self.data_region
    }
}

/// Records a login or refresh, and restores a deleted organization. `None` if it is gone or being deleted permanently. Call it
/// before locking anything else of the organization: see the order of locks in [`crate::lifecycle`].
pub async fn arrive(
    tx: &mut Tx,
    org_id: OrgId,
    actor: Actor,
    now: OffsetDateTime,
) -> db::Result<Option<Arrived>> {
    // First: decisions based on the organization's activity wait for this lock.
    store::touch(tx, org_id, now).await?;
    if store::restore(tx, org_id, now).await? {
        let event = Event::new(Action::OrganizationRestored, Subject::Org(org_id));
        events::record(tx, org_id, actor, event, now).await?;
        tx.after_commit(move || {
            metrics::counter!("halyard_organizations_restored_total").increment(1);
            tracing::info!(org.id = %org_id, "an organization was restored by a login");
        });
    }
    let data_region = store::find_region_unless_purged(tx, org_id).await?;
    Ok(data_region.map(|data_region| Arrived { data_region }))
}
