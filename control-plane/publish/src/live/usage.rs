//! The rate of evaluations, and the first evaluation. Read from the counters that collectors of all replicas stored, so it lags
//! by one report of the edges.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
    time::Duration,
};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::time::Instant;

use super::{Live, audience::Topic, events::News};
use base::{
    db::{self, Db},
    ids::OrgId,
};
use domain::{
    onboarding,
    usage::lately::{self, FirstEvaluation},
};

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
pub(super) struct Rates(Mutex<BTreeMap<OrgId, Sent>>);

#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    awaits_first: bool,
    evaluations_per_minute: Option<i64>,
    read_at: Option<Instant>,
}

impl Rates {
    /// From here on the first evaluation is not missed, as long as a stream is open. The rate is sent again to new streams.
    pub(super) async fn follow(&self, db: &Db, org_ids: &[OrgId]) -> db::Result<()> {
        let new: Vec<OrgId> = {
            let mut sent = self.0.lock();
            let is_new = |org_id: &OrgId| match sent.get_mut(org_id) {
                Some(sent) => {
                    sent.evaluations_per_minute = None;
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
        let mut all = self.0.lock();
        for org_id in new {
            all.entry(org_id).or_insert(Sent {
                awaits_first: !evaluated.contains(&org_id),
                ..Sent::default()
            });
        }
        Ok(())
    }

    /// Forgets all other organizations, and returns those that are new.
    fn keep(&self, listening: &BTreeSet<OrgId>) -> Vec<OrgId> {
        let mut sent = self.0.lock();
        sent.retain(|org_id, _| listening.contains(org_id));
        let new = listening
            .iter()
            .filter(|org_id| !sent.contains_key(*org_id));
        new.copied().collect()
    }

    /// The organizations that await their first evaluation, and those whose rate is due, five seconds after it was last read.
    fn due(&self, now: Instant) -> (Vec<OrgId>, Vec<OrgId>) {
        let sent = self.0.lock();
        let is_due = |sent: &Sent| {
            let read_at = sent.read_at;
            read_at.is_none_or(|read_at| now - read_at >= Duration::from_secs(5))
        };
        let awaiting = sent.iter().filter(|(_, sent)| sent.awaits_first);
        let due = sent.iter().filter(|(_, sent)| is_due(sent));
        (
            awaiting.map(|(org_id, _)| *org_id).collect(),
            due.map(|(org_id, _)| *org_id).collect(),
        )
    }

    /// Whether the rate differs from the one sent last.
    fn note(&self, org_id: OrgId, rate: i64, now: Instant, is_first: bool) -> bool {
        let mut sent = self.0.lock();
        let Some(sent) = sent.get_mut(&org_id) else {
            return false;
        };
        sent.awaits_first &= !is_first;
        sent.read_at = Some(now);
        sent.evaluations_per_minute.replace(rate) != Some(rate)
    }
}

impl Live {
    /// Publishes evaluations since the last poll.
    pub(super) async fn publish_usage(self) -> db::Result<()> {
        let hearing = self.listeners.organizations_receiving(Topic::Usage);
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
        let mut due: BTreeSet<OrgId> = due.into_iter().collect();
        due.extend(&evaluated);
        let org_ids: Vec<OrgId> = due.iter().copied().collect();
        let rates = lately::per_minute(&mut conn, &org_ids, self.clock.now()).await?;
        drop(conn);
        for org_id in due {
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
                self.listeners.send_news(org_id, &Arc::new(news));
            }
        }
        Ok(())
    }
}
