//! Looking for the records of proven domains again: a domain may change hands.
//!
//! A domain whose record is missing for a week loses its proof. Name servers that do not answer say nothing of it.

use std::{sync::Arc, time::Duration};

use futures_util::{StreamExt, stream};
use serving::{clock::Clock, error::chain};
use time::OffsetDateTime;

use super::{Providers, model::Domain, store::domains};
use crate::{
    events::{Action, Actor, Event, Subject},
    members::store::{Contacts, list_contacts},
    unit::{Committed, Unit},
};
use base::{
    config::Page,
    db,
    ids::OrgId,
    jobs::{Job, MINUTE, RunsOn},
    mail::{Mailer, Template},
    outbound::texts::TextsError,
};

const HOUR: Duration = Duration::from_secs(60 * 60);

/// How often a record that is there is looked for.
pub(super) const EACH: Duration = Duration::from_secs(24 * 60 * 60);
/// How often one that is missing is.
const AGAIN: Duration = Duration::from_secs(6 * 60 * 60);
/// How long, and how often in a row, it must be missing.
const GRACE: Duration = Duration::from_secs(7 * 24 * 60 * 60);
const MISSES: i16 = 5;

/// Records looked for in a run, and at once; an organization has its share of look-ups besides.
const BATCH: i64 = 200;
const AT_ONCE: usize = 8;

/// What looks for records.
#[derive(Clone)]
pub struct Records {
    pub providers: Arc<Providers>,
    pub mailer: Mailer,
    pub clock: Clock,
}

impl Records {
    /// The job.
    pub fn job(self) -> Job {
        let work = async |records: Self| records.look().await;
        Job::new("check_domain_records", MINUTE, RunsOn::Leader, self, work)
            .meanwhile("domains that have changed hands stay proven")
    }

    /// Looks for the records that are due.
    pub async fn look(&self) -> db::Result<()> {
        let due = {
            let mut conn = self.providers.db.acquire().await?;
            domains::list_due(&mut conn, self.clock.now(), BATCH).await?
        };
        let looks = due
            .into_iter()
            .map(|(org_id, domain)| async move { self.look_for(org_id, &domain).await });
        let looks = stream::iter(looks).buffer_unordered(AT_ONCE);
        looks.fold(Ok(()), async |all, one| all.and(one)).await
    }

    async fn look_for(&self, org_id: OrgId, domain: &Domain) -> db::Result<()> {
        let (due, found) = match self
            .providers
            .texts
            .look_up(&domain.record_name, org_id)
            .await
        {
            Ok(records) if domain.is_proven_by(&records) => (EACH, true),
            Ok(_) => return self.missed(org_id, domain).await,
            Err(TextsError::Busy(_)) => (HOUR, false),
            Err(error) => {
                let error = chain(&error);
                tracing::warn!(error, org.id = %org_id, "the record of a domain was not looked up");
                (AGAIN, false)
            }
        };
        let mut conn = self.providers.db.acquire().await?;
        domains::update_due(&mut conn, org_id, domain.id, self.clock.now() + due, found).await
    }

    /// Notes that a record is missing. Owners are told the first time, and when the domain loses its proof.
    async fn missed(&self, org_id: OrgId, domain: &Domain) -> db::Result<()> {
        let db = &self.providers.db;
        let mut unit = Unit::begin(db, org_id, Actor::System, self.clock.now()).await?;
        let mut change = unit.lock_org(&self.clock).await?;
        let now = change.now();
        let noted = domains::update_missing(&mut change, org_id, domain.id, now, now + AGAIN);
        let Some((since, misses)) = noted.await? else {
            return Ok(());
        };
        let end = since + GRACE;
        let is_lost = misses >= MISSES && end <= now;
        if is_lost || misses == 1 {
            let name = change.org().name.clone();
            let mail = Template::DomainRecord {
                organization: &name,
                domain: &domain.domain,
                record_name: &domain.record_name,
                record_value: &domain.record_value,
                date: end.date(),
                is_lost,
                link: &self.providers.urls.page(Page::Home),
            };
            let to = list_contacts(&mut change, org_id, Contacts::Claimed).await?;
            self.mailer
                .enqueue_for_all(&mut change, &to, &mail, now)
                .await?;
        }
        if !is_lost {
            return unit.commit_unrecorded().await;
        }
        domains::update_unproven(&mut change, org_id, domain.id).await?;
        let lost = lost(domain);
        let event = Event::updated(
            Action::SignInDomainLost,
            Subject::SignInDomain(domain.id),
            domain,
            &lost,
        );
        let recorded = change.record(event, ()).await?;
        let Committed { .. } = unit.commit(recorded).await?;
        tracing::info!(org.id = %org_id, "a domain is proven no longer: its record is missing");
        Ok(())
    }
}

fn lost(domain: &Domain) -> Domain {
    Domain {
        proven_at: None::<OffsetDateTime>,
        ..domain.clone()
    }
}
