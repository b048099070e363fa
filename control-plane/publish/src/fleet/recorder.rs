//! Records how each change reaches the edges of this replica, whether or not anybody follows it.

use std::{sync::Arc, time::Duration};

use fanout::{Following, Hub, Progress};
use parking_lot::Mutex;
use serving::clock::Clock;
use time::OffsetDateTime;
use tokio::{
    sync::{Notify, broadcast::error::RecvError},
    time::{Instant, MissedTickBehavior, interval},
};

use super::{
    left::{Behind, Left, LeftEdge},
    ring::{OF_ONE, RecordedWave, Ring},
    standing::SeenChange,
    waves::Found,
};
use crate::{Publisher, contents::Contents};
use base::ids::{EnvId, OrgId};

/// An edge that takes longer lags, as in events.
const LONGEST: Duration = Duration::from_secs(10);
/// Changes that are followed at the same time: of an organization, and of all. Further ones are not recorded.
const OPEN: (usize, usize) = (64, 512);

#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    open: Vec<Open>,
    ring: Ring,
    left: Left,
}

/// A change on its way.
#[derive(Debug)]
struct Open {
    found: Found,
    following: Following,
    begun: Instant,
    at: Option<OffsetDateTime>,
    progress: Progress,
}

impl Open {
    fn look(&mut self, clock: &Clock) {
        self.progress = self.following.look();
        let age = self.following.age();
        if self.progress.is_known {
            self.at.get_or_insert_with(|| clock.ago(age));
        }
    }

    fn is_over(&self) -> bool {
        self.progress.is_over() || self.begun.elapsed() >= LONGEST
    }

    /// Counts how long it took to each edge; what has not arrived counts as longer than all buckets.
    fn measure(&self) {
        let announced = self.found.announced;
        for served_at in self.following.served() {
            let at = served_at.unwrap_or_else(Instant::now);
            let took = at.saturating_duration_since(announced);
            metrics::histogram!("halyard_propagation_seconds").record(took);
        }
    }
}

impl Publisher {
    /// Records changes for as long as the process runs.
    pub(crate) async fn record_waves(self) {
        let _interest = self.look_on();
        let mut raises = self.raises();
        let [mut looks, mut rosters] = [250, 500].map(|every| {
            let mut ticks = interval(Duration::from_millis(every));
            ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
            ticks
        });
        let shared = &self.0;
        let recorder = &shared.recorder;
        loop {
            tokio::select! {
                found = raises.recv() => match found {
                    Ok(found) => recorder.begin(&shared.hub, &found),
                    Err(RecvError::Lagged(_)) => {}
                    Err(RecvError::Closed) => return,
                },
                _ = looks.tick() => recorder.look(&shared.clock, &shared.contents),
                _ = rosters.tick() => self.note_roster(),
            }
        }
    }

    fn note_roster(&self) {
        let present = self.0.hub.roster();
        let now = self.0.clock.now();
        self.0.recorder.0.lock().left.note(present, now);
    }

    /// What is recorded here of these environments, newest first. At most so many.
    pub(super) fn recorded(
        &self,
        org_id: OrgId,
        env_ids: &[EnvId],
        limit: usize,
    ) -> Vec<RecordedWave> {
        let shared = &self.0;
        shared.recorder.look(&shared.clock, &shared.contents);
        shared
            .recorder
            .0
            .lock()
            .show(org_id, env_ids, limit, &shared.contents)
    }

    /// The versions that were found here of an organization, and the edges that have left.
    pub(super) fn changes(
        &self,
        org_id: OrgId,
        env_ids: &[EnvId],
    ) -> (Vec<SeenChange>, Vec<LeftEdge>) {
        self.note_roster();
        let state = self.0.recorder.0.lock();
        let changes = state.changes(org_id, env_ids);
        let left = state
            .left
            .iter()
            .map(|(name, seen_at)| LeftEdge {
                name: name.clone(),
                seen_at: *seen_at,
                behind: state.behind(org_id, env_ids, name, *seen_at),
            })
            .collect();
        (changes, left)
    }
}

impl Recorder {
    fn begin(&self, hub: &Arc<Hub>, found: &[Found]) {
        let progress = Arc::<Notify>::default();
        let mut state = self.0.lock();
        for found in found {
            let org_id = found.origin.org_id;
            let own = state
                .open
                .iter()
                .filter(|open| open.found.origin.org_id == org_id);
            if own.count() >= OPEN.0 || state.open.len() >= OPEN.1 {
                continue;
            }
            let (env_id, version) = (found.raised.env_id, found.raised.version);
            let mut open = Open {
                found: *found,
                following: hub.follow(env_id.into(), version, &progress),
                begun: Instant::now(),
                at: None,
                progress: Progress::default(),
            };
            // Who has a part in it now.
            open.progress = open.following.look();
            state.open.push(open);
        }
    }

    /// Looks at what is on its way, and keeps what is over.
    fn look(&self, clock: &Clock, contents: &Contents) {
        let mut state = self.0.lock();
        let state = &mut *state;
        state.open.iter_mut().for_each(|open| open.look(clock));
        for open in state.open.extract_if(.., |open| open.is_over()) {
            open.measure();
            let Open {
                found,
                at,
                progress,
                ..
            } = open;
            if let Some(at) = at {
                state
                    .ring
                    .push(found, at, sent(contents, &found), &progress);
            }
        }
    }
}

fn sent(contents: &Contents, found: &Found) -> Option<(u32, bool)> {
    let raised = found.raised;
    let (bytes, is_urgent) = contents.made().find(raised.env_id, raised.version)?;
    Some((u32::try_from(bytes).unwrap_or(u32::MAX), is_urgent))
}

impl State {
    fn open_of(&self, org_id: OrgId) -> impl DoubleEndedIterator<Item = &Open> {
        let open = self.open.iter();
        open.filter(move |open| open.found.origin.org_id == org_id && open.at.is_some())
    }

    fn show(
        &self,
        org_id: OrgId,
        env_ids: &[EnvId],
        limit: usize,
        contents: &Contents,
    ) -> Vec<RecordedWave> {
        let is_asked = |found: &Found| env_ids.contains(&found.raised.env_id);
        let open = self
            .open_of(org_id)
            .rev()
            .filter(|open| is_asked(&open.found));
        let open = open.filter_map(|open| {
            let sent = sent(contents, &open.found);
            Some(RecordedWave {
                env_id: open.found.raised.env_id,
                version: open.found.raised.version,
                transaction: open.found.origin.transaction,
                committed_at: open.at?,
                bytes: sent.map(|(bytes, _)| bytes),
                priority: sent.map(|(_, is_urgent)| is_urgent),
                acknowledged: open.progress.acknowledged.clone(),
                lagging: open.progress.lagging.clone(),
            })
        });
        let kept = self.ring.of(org_id).rev();
        let kept = kept.filter(|kept| is_asked(&kept.found));
        let mut shown: Vec<_> = open
            .chain(kept.take(limit).map(|kept| self.ring.show(kept)))
            .collect();
        shown.sort_by_key(|wave| std::cmp::Reverse(wave.committed_at));
        shown.truncate(limit);
        shown
    }

    fn changes(&self, org_id: OrgId, env_ids: &[EnvId]) -> Vec<SeenChange> {
        let kept = self.ring.of(org_id).map(|kept| (kept.found, kept.at));
        let open = self.open_of(org_id);
        let open = open.filter_map(|open| Some((open.found, open.at?)));
        let all = kept.chain(open);
        all.filter(|(found, _)| env_ids.contains(&found.raised.env_id))
            .map(|(found, at)| SeenChange {
                env_id: found.raised.env_id,
                version: found.raised.version,
                at,
            })
            .collect()
    }

    /// What an edge that was seen last at `seen_at` has missed. Newest first, until one that it served.
    fn behind(
        &self,
        org_id: OrgId,
        env_ids: &[EnvId],
        edge: &str,
        seen_at: OffsetDateTime,
    ) -> Vec<Behind> {
        let mut behind: Vec<Behind> = Vec::new();
        let mut current: Vec<EnvId> = Vec::new();
        let open = self.open_of(org_id).rev().filter_map(|open| {
            let acknowledged = &open.progress.acknowledged;
            let served = acknowledged.iter().any(|one| one.edge == edge);
            let lagged = open.progress.lagging.iter().any(|name| name == edge);
            Some((open.found.raised.env_id, open.at?, served, lagged))
        });
        let kept = self.ring.of(org_id).rev().map(|kept| {
            let served = self.ring.has_served(kept, edge);
            let lagged = self.ring.has_lagged(kept, edge);
            (kept.found.raised.env_id, kept.at, served, lagged)
        });
        for (env_id, at, served, lagged) in open.chain(kept) {
            if current.contains(&env_id) || !env_ids.contains(&env_id) {
                continue;
            }
            if served || (at <= seen_at && !lagged) {
                current.push(env_id);
                continue;
            }
            match behind.iter_mut().find(|one| one.env_id == env_id) {
                Some(one) => {
                    one.versions = (one.versions + 1).min(OF_ONE);
                    one.since = at;
                }
                None => behind.push(Behind {
                    env_id,
                    versions: 1,
                    since: at,
                }),
            }
        }
        behind
    }
}
