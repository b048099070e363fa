//! A change under the lock of the organization: members, roles, and everything counted against a limit of the plan.

use serving::clock::Clock;

use super::{Locked, Unit};
use crate::{
    accounts::store::users,
    orgs::{self, model::Organization},
};
use base::{db, ids::UserId};

/// A unit that holds the organization's row: changes of its members, roles and projects are serialized, and counts are stable
/// until the commit.
pub type OrgChange<'a> = Locked<'a, Organization>;

impl Unit {
    /// Locks an account until the commit, as the end of its sessions needs. Before the organization: see the order of locks in
    /// [`crate::lifecycle`].
    pub async fn lock_account(&mut self, id: UserId) -> db::Result<()> {
        users::lock(&mut self.tx, id).await?;
        Ok(())
    }

    /// Takes the organization's lock. If the lock of a project is needed too, take that one first.
    pub async fn lock_org(&mut self, clock: &Clock) -> db::Result<OrgChange<'_>> {
        let org = orgs::store::lock(&mut self.tx, self.org_id).await?;
        self.now = clock.now();
        Ok(Locked {
            unit: self,
            held: org,
        })
    }
}

impl OrgChange<'_> {
    pub const fn org(&self) -> &Organization {
        &self.held
    }
}
