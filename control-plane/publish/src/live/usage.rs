//! The rate of evaluations, and the first evaluation. Read from the counters that collectors of all replicas stored, so it lags
//! by one report of the edges.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use serde::Serialize;
use tokio::time::Instant;

use super::{Live, audience::Topic, news::News};
use base::{
    db::{self, Db},
    ids::OrgId,
};
use domain::{
    onboarding,
    usage::lately::{self, FirstEvaluation},
};

/// Between two readings of the rate. The first evaluation is checked each time.
const PERIOD: Duration = Duration::from_secs(5);

#[derive(Debug, Serialize)]
struct UsageNews<'a> {
    window: UsageWindow,
    #[serde(skip_serializing_if = "Option::is_none")]
    first_evaluation: Option<&'a FirstEvaluation>,
}

#[derive(Debug, Serialize)]
struct UsageWindow {
    evaluations_per_minute: i64,
}

/// Values sent to each organization with open streams.
#[derive(Debug, Default)]
pub(super) struct Rates(Mutex<BTreeMap<OrgId, Told>>);

#[derive(Clone, Copy, Debug, Default)]
struct Told {
    awaits_first: bool,
    evaluations_per_minute: Option<i64>,
    looked: Option<Instant>,
}

impl Rates {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<OrgId, Told>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// From here on the first evaluation is not missed, as long as a stream is open. The rate is sent again to new streams.
    pub(super) async fn follow(&self, db: &Db, org_ids: &[OrgId]) -> db::Result<()> {
        let new: Vec<OrgId> = {
            let mut told = self.lock();
            let is_new = |org_id: &OrgId| match told.get_mut(org_id) {
                Some(told) => {
                    told.evaluations_per_minute = None;
                    false
                }
                None => true,
            };
            org_ids.iter().copied().filter(is_new).collect()
        };
        if new.is_empty() {
            return Ok(());
        }
        let mut conn = db.acquire().await?;
        let evaluated = onboarding::list_evaluated(&mut conn, &new).await?;
        let mut all = self.lock();
        for org_id in new {
            all.entry(org_id).or_insert(Told {
                awaits_first: !evaluated.contains(&org_id),
                ..Told::default()
            });
        }
        Ok(())
    }

    /// Forgets all other organizations, and returns those that are new.
    fn keep(&self, heard: &BTreeSet<OrgId>) -> Vec<OrgId> {
        let mut told = self.lock();
        told.retain(|org_id, _| heard.contains(org_id));
        let new = heard.iter().filter(|org_id| !told.contains_key(*org_id));
        new.copied().collect()
    }

    /// The organizations that await their first evaluation, and those whose rate is due.
    fn due(&self, now: Instant) -> (Vec<OrgId>, Vec<OrgId>) {
        let told = self.lock();
        let is_due = |told: &Told| told.looked.is_none_or(|looked| now - looked >= PERIOD);
        let awaiting = told.iter().filter(|(_, told)| told.awaits_first);
        let due = told.iter().filter(|(_, told)| is_due(told));
        (
            awaiting.map(|(org_id, _)| *org_id).collect(),
            due.map(|(org_id, _)| *org_id).collect(),
        )
    }

    /// Whether the rate differs from the one sent last.
    fn note(&self, org_id: OrgId, rate: i64, now: Instant, is_first: bool) -> bool {
        let mut told = self.lock();
        let Some(told) = told.get_mut(&org_id) else {
            return false;
        };
        told.awaits_first &= !is_first;
        told.looked = Some(now);
        told.evaluations_per_minute.replace(rate) != Some(rate)
    }
}

impl Live {
    /// Publishes evaluations since the last poll.
    pub(super) async fn tell_usage(self) -> db::Result<()> {
        let hearing = self.listeners.organizations_hearing(Topic::Usage);
        // A member who has become an admin could not receive usage when their stream opened.
        let new = self.rates.keep(&hearing.into_iter().collect());
        self.rates.follow(&self.db, &new).await?;
        let now = Instant::now();
        let (awaiting, due) = self.rates.due(now);
        if awaiting.is_empty() && due.is_empty() {
            return Ok(());
        }
        let mut conn = self.db.acquire().await?;
        let evaluated = onboarding::list_evaluated(&mut conn, &awaiting).await?;
        let firsts = lately::first_evaluations(&mut conn, &evaluated).await?;
        let mut looked_at: BTreeSet<OrgId> = due.into_iter().collect();
        looked_at.extend(&evaluated);
        let org_ids: Vec<OrgId> = looked_at.iter().copied().collect();
        let rates = lately::per_minute(&mut conn, &org_ids, self.clock.now()).await?;
        drop(conn);
        for org_id in looked_at {
            let rate = rates.get(&org_id).copied().unwrap_or(0);
            let first = firsts.get(&org_id);
            let is_news = self
                .rates
                .note(org_id, rate, now, evaluated.contains(&org_id));
            if is_news || first.is_some() {
                let says = UsageNews {
                    window: UsageWindow {
                        evaluations_per_minute: rate,
                    },
                    first_evaluation: first,
                };
                let news = News::new(Topic::Usage, None, &says);
                self.listeners.tell_news(org_id, &Arc::new(news));
            }
        }
        Ok(())
    }
}
