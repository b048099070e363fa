//! The lives of organizations: trials that end, organizations that nobody uses any more, and their permanent deletion.
//!
//! Each job lists candidates and takes them one at a time, each in transactions of its own in which the condition is read
//! again under locks: what two replicas do at once happens once. Locks are taken in the order *account of the user, activity
//! of the organization, organization, everything else of it*. A login updates the activity first and reads afterwards
//! whether the organization is deleted; the jobs hold the activity while they decide. So a login that comes first
//! keeps the organization, and one that waits for a deletion finds it deleted and restores it, or is refused once the
//! permanent deletion has begun.

pub mod activity;
mod inactivity;
mod jobs;
pub mod model;
mod purge;
mod store;
mod trials;

use std::sync::Arc;

use serving::clock::Clock;

pub use self::store::inactivity::find_standing;
use crate::{
    config::LifecycleSettings,
    members::{self, store::Contacts},
};
use base::{
    config::UrlSettings,
    db::{self, Db, Tx},
    ids::OrgId,
    mail::{Mailer, Template},
};

/// What happens to organizations by itself. Cheap to clone.
#[derive(Clone)]
pub struct Lifecycle {
    db: Db,
    clock: Clock,
    mailer: Mailer,
    urls: Arc<UrlSettings>,
    settings: LifecycleSettings,
}

impl Lifecycle {
    /// Works with `settings`, and mails links to the dashboard of `urls`.
    pub const fn new(
        db: Db,
        clock: Clock,
        mailer: Mailer,
        urls: Arc<UrlSettings>,
        settings: LifecycleSettings,
    ) -> Self {
        Self {
            db,
            clock,
            mailer,
            urls,
            settings,
        }
    }

    /// Mails the owners and admins who have an account of their own, once the transaction is committed.
    async fn tell(&self, tx: &mut Tx, org_id: OrgId, mail: &Template<'_>) -> db::Result<()> {
        let contacts = members::store::list_contacts(tx, org_id, Contacts::Claimed).await?;
        let now = self.clock.now();
        self.mailer.enqueue_for_all(tx, &contacts, mail, now).await
    }

    /// The page with the plans.
    fn billing_link(&self) -> String {
        format!("{}/settings/billing", self.urls.dashboard)
    }

    fn login_link(&self) -> String {
        format!("{}/login", self.urls.dashboard)
    }
}
