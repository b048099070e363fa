//! The lifecycle of organizations: the end of trials, inactivity, and permanent deletion.
//!
//! Each job lists candidates and takes them one at a time, in transactions that check the condition again under locks, so that
//! concurrent replicas act once. Locks are taken in the order *account of the user, activity of the organization, organization,
//! everything else of it*. A login updates the activity first and then reads whether the organization is deleted; the jobs lock
//! the activity while they decide. So a login that comes first keeps the organization, and one that waits for a deletion
//! restores it, or is refused once the permanent deletion has begun.

mod inactivity;
mod jobs;
mod leave;
pub mod model;
mod purge;
pub mod removal;
pub mod settings;
mod store;
mod trials;

use std::sync::Arc;

use serving::clock::Clock;

use self::settings::LifecycleSettings;
pub use self::{purge::delete_unless_member_elsewhere, store::inactivity::find_standing};
use crate::members::{self, store::Contacts};
use base::{
    config::{Page, UrlSettings},
    db::{self, Db, Tx},
    ids::OrgId,
    mail::{Mailer, Template},
    waker::Waker,
};

/// Cheap to clone.
#[derive(Clone)]
pub struct Lifecycle {
    db: Db,
    clock: Clock,
    mailer: Mailer,
    urls: Arc<UrlSettings>,
    settings: LifecycleSettings,
    /// Woken when an owner has deleted an organization.
    deletions: Waker,
}

impl Lifecycle {
    pub fn new(
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
            deletions: Waker::new(),
        }
    }

    /// Enqueues a mail to the owners and admins with a claimed account, sent after the commit.
    async fn enqueue(&self, tx: &mut Tx, org_id: OrgId, mail: &Template<'_>) -> db::Result<()> {
        let contacts = members::store::list_contacts(tx, org_id, Contacts::Claimed).await?;
        let now = self.clock.now();
        self.mailer.enqueue_for_all(tx, &contacts, mail, now).await
    }

    fn billing_link(&self) -> String {
        self.urls.page(Page::Billing)
    }

    fn login_link(&self) -> String {
        self.urls.page(Page::Login)
    }
}
