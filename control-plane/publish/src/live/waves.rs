//! Propagation of an environment's new version, per edge.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use protocol::snapshot::Version;
use serde::Serialize;
use serving::error::chain;
use time::OffsetDateTime;
use tokio::{
    sync::broadcast::{
        Receiver,
        error::{RecvError, TryRecvError},
    },
    time::{Instant, sleep, sleep_until, timeout},
};

use super::{
    Live,
    audience::Topic,
    events::News,
    open_waves::{OpenWave, OpenWaves},
};
use crate::fleet::{Acknowledged, Found, Progress, Raised, Waves};
use base::{
    db,
    ids::{EnvId, OrgId},
};
use domain::environments;

/// Window for batching acknowledgements, and for batching new versions.
const TOGETHER: Duration = Duration::from_millis(50);
/// An edge that takes longer lags.
const LONGEST: Duration = Duration::from_secs(10);

#[derive(Debug, Serialize)]
struct WaveNews<'a> {
    env_id: EnvId,
    version: Version,
    #[serde(with = "time::serde::rfc3339")]
    committed_at: OffsetDateTime,
    acknowledged: &'a [Acknowledged],
    lagging: &'a [String],
}

/// A propagation in progress.
#[derive(Debug)]
struct Reporting {
    raised: Raised,
    org_id: OrgId,
    open: OpenWave,
    committed_at: Option<OffsetDateTime>,
    /// The progress that was sent last.
    sent: Option<Progress>,
}

impl Live {
    /// Reports the propagation of versions, for as long as the process runs.
    pub async fn publish_waves(self) {
        let open = Arc::<OpenWaves>::default();
        let mut raises = self.publisher.raises();
        while let Some(raised) = next(&mut raises).await {
            let beginning = self.db.unless_moved(self.begin(&open, raised));
            match beginning.await.flatten() {
                Ok(waves) if waves.is_empty() => {}
                Ok(waves) => {
                    let reporting = self.clone().report_all(waves);
                    tokio::spawn(self.stop.clone().run_until_cancelled_owned(reporting));
                }
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(error, "dashboards do not hear how far edges are");
                }
            }
            sleep(TOGETHER).await;
        }
    }

    /// Registers versions of organizations with a listener.
    async fn begin(
        &self,
        open: &Arc<OpenWaves>,
        raised: BTreeMap<EnvId, Version>,
    ) -> db::Result<Vec<Reporting>> {
        let org_ids = self.listeners.organizations_receiving(Topic::Waves);
        if org_ids.is_empty() {
            return Ok(Vec::new());
        }
        let env_ids: Vec<EnvId> = raised.keys().copied().collect();
        let mut conn = self.db.acquire().await?;
        let owned = environments::store::list_owned(&mut conn, &org_ids, &env_ids).await?;
        let mut waves = Vec::new();
        for (env_id, org_id) in owned {
            if let Some(version) = raised.get(&env_id)
                && let Some(open) = open.open(org_id)
            {
                waves.push(Reporting {
                    raised: Raised {
                        env_id,
                        version: *version,
                    },
                    org_id,
                    open,
                    committed_at: None,
                    sent: None,
                });
            }
        }
        Ok(waves)
    }

    async fn report_all(self, waves: Vec<Reporting>) {
        let until = Instant::now() + LONGEST;
        let raised: Vec<Raised> = waves.iter().map(|wave| wave.raised).collect();
        let mut following = self.publisher.follow(&raised, LONGEST).await;
        let all_known = async {
            while !following.are_known() {
                following.moved().await;
            }
        };
        // A silent replica does not delay the reports of the others for longer.
        drop(timeout(Duration::from_millis(500), all_known).await);
        let mut waves: Vec<Option<Reporting>> = waves.into_iter().map(Some).collect();
        loop {
            gather(&mut following, &waves).await;
            let is_late = Instant::now() >= until;
            for (index, slot) in waves.iter_mut().enumerate() {
                let progress = following.progress(index);
                let Some((wave, (progress, age))) = slot.as_mut().zip(progress) else {
                    continue;
                };
                let is_last = is_late || progress.is_over() || wave.open.is_displaced();
                self.report(wave, progress, age, is_last);
                if is_last {
                    following.leave(index);
                    *slot = None;
                }
            }
            if waves.iter().all(Option::is_none) {
                break;
            }
            tokio::select! {
                () = following.moved() => {}
                // It may have been displaced.
                () = sleep(Duration::from_secs(1)) => {}
                () = sleep_until(until) => {}
            }
        }
        following.end().await;
    }

    /// Reports progress, if it changed. Lagging edges at the end are always reported, since nothing follows.
    fn report(&self, wave: &mut Reporting, progress: Progress, age: Duration, is_last: bool) {
        let Raised { env_id, version } = wave.raised;
        let is_news = wave.sent.as_ref().is_none_or(|sent| {
            (&sent.acknowledged, &sent.lagging) != (&progress.acknowledged, &progress.lagging)
        });
        if is_news || (is_last && !progress.lagging.is_empty()) {
            let says = WaveNews {
                env_id,
                version,
                committed_at: *wave.committed_at.get_or_insert_with(|| self.clock.ago(age)),
                acknowledged: &progress.acknowledged,
                lagging: &progress.lagging,
            };
            let news = News::new(Topic::Waves, Some((env_id, version)), &says);
            self.listeners.send_news(wave.org_id, &Arc::new(news));
            wave.sent = Some(progress);
        }
    }
}

/// Versions raised meanwhile, the newest of each environment. `None` when the sender is gone.
async fn next(raises: &mut Receiver<Arc<[Found]>>) -> Option<BTreeMap<EnvId, Version>> {
    let first = loop {
        match raises.recv().await {
            Ok(first) => break first,
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    };
    let mut newest = BTreeMap::new();
    let mut note = |found: &[Found]| {
        let raised = found.iter().map(|one| one.raised);
        newest.extend(raised.map(|one| (one.env_id, one.version)));
    };
    note(&first);
    loop {
        match raises.try_recv() {
            Ok(more) => note(&more),
            Err(TryRecvError::Lagged(_)) => {}
            Err(TryRecvError::Empty | TryRecvError::Closed) => return Some(newest),
        }
    }
}

/// Waits until the batching window ends, or no version is followed.
async fn gather(following: &mut Waves, waves: &[Option<Reporting>]) {
    let until = Instant::now() + TOGETHER;
    while Instant::now() < until {
        let mut open = waves.iter().enumerate().filter(|(_, wave)| wave.is_some());
        let is_over = |(index, _)| {
            let progress = following.progress(index);
            progress.is_some_and(|(progress, _)| progress.is_over())
        };
        if open.all(is_over) {
            return;
        }
        tokio::select! {
            () = following.moved() => sleep(Duration::from_millis(5)).await,
            () = sleep_until(until) => {}
        }
    }
}
