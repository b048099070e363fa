//! The thread that writes the cache.

use std::{
    collections::BTreeSet,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use fanout::Wanted;
use serving::error::chain;
use tokio::sync::oneshot;

use super::{Backlog, Origin, Shared, mirror::Mirror, waiting::Work};
use crate::{
    Edge,
    cache::{Cache, CacheError, Start, try_writing},
    usage::BatchId,
};

/// How often everything that is stored is compared with what is served. What was just written is compared at once.
const COMPARISONS: Duration = Duration::from_secs(10);

/// Before a disk that failed is tried again; doubled with every failure.
const FIRST_PAUSE: Duration = Duration::from_secs(1);

/// The cache with what is known of it. Closed after a failure, and opened again after a pause.
pub(super) struct Disk<'a> {
    folder: PathBuf,
    origin: Origin,
    edge: Edge,
    backlog: &'a Backlog,
    missing: &'a Wanted,
    cache: Option<Cache>,
    mirror: Mirror,
    /// What an earlier run left is handed out once. Anything found later is from this run, which has it in memory.
    is_restored: bool,
    compared: Option<Instant>,
    reported: String,
}

impl<'a> Disk<'a> {
    pub(super) fn new(
        folder: PathBuf,
        origin: Origin,
        edge: Edge,
        shared: &'a Arc<Shared>,
    ) -> Self {
        Self {
            folder,
            origin,
            edge,
            backlog: &shared.backlog,
            missing: &shared.missing,
            cache: None,
            mirror: Mirror::default(),
            is_restored: false,
            compared: None,
            reported: String::new(),
        }
    }

    /// Writes until stopped. `loaded` is notified after the first attempt to open the cache.
    pub(super) fn run(mut self, loaded: oneshot::Sender<()>) {
        let first = self.open_first();
        // Nobody waits for it any more if the edge is stopping.
        loaded.send(()).unwrap_or_default();
        let mut pause = FIRST_PAUSE;
        let mut attempt = first.map(|()| true);
        loop {
            match attempt {
                Ok(true) => pause = FIRST_PAUSE,
                Ok(false) => break,
                Err(error) => {
                    let was_stopped = self.backlog.is_stopped_within(Duration::ZERO);
                    self.failed(&error);
                    if was_stopped {
                        break;
                    }
                    // Shortened at random, since edges may share a disk. Stopping ends the pause, and leaves one more attempt.
                    let shortened = pause.mul_f64(rand::random_range(0.5..=1.0));
                    self.backlog.is_stopped_within(shortened);
                    // A disk that works again is used within this time.
                    pause = (pause * 2).min(Duration::from_secs(20));
                }
            }
            attempt = self.round();
        }
        if let Some(cache) = self.cache {
            cache.close();
        }
    }

    /// The first attempt, before there is a link: what is found is served at once.
    fn open_first(&mut self) -> Result<(), CacheError> {
        let edge = self.edge.clone();
        let mut restore = |epoch, push, signature| edge.restore(epoch, &push, signature);
        match Cache::open(&self.folder, &self.origin, &mut restore) {
            Ok((cache, start)) => {
                match start {
                    Start::Loaded(environments) => tracing::info!(environments, "cache loaded"),
                    Start::Empty => self.edge.forget_restored(),
                }
                self.keep(cache);
                Ok(())
            }
            Err(error) => {
                self.edge.forget_restored();
                Err(error)
            }
        }
    }

    /// After a failure. What is on disk is older than what is served, unless nothing could be read before.
    fn open_again(&mut self) -> Result<(), CacheError> {
        // Much cheaper than reading everything, and it leaves the store alone.
        try_writing(&self.folder)?;
        let (cache, _) = Cache::open(&self.folder, &self.origin, &mut |_, _, _| true)?;
        if !self.is_restored {
            // Only now that all of it is known to be good: what was handed out cannot be taken back from a link.
            let handed_out = cache.hand_out(&mut |epoch, push, signature| {
                self.edge.restore(epoch, &push, signature);
                true
            });
            if let Err(error) = handed_out {
                cache.close();
                return Err(error);
            }
        }
        self.keep(cache);
        Ok(())
    }

    fn keep(&mut self, mut cache: Cache) {
        let found = cache.take_found();
        let batches: BTreeSet<_> = found.usage.iter().map(BatchId::of).collect();
        self.backlog.set_usage_on_disk(batches);
        self.mirror.opened(found.environments);
        if !self.is_restored {
            self.edge.restore_usage(found.usage);
            self.edge.restored();
            self.is_restored = true;
        }
        self.compared = None;
        self.cache = Some(cache);
    }

    /// Waits for changes and writes them; false once stopped and everything is written.
    fn round(&mut self) -> Result<bool, CacheError> {
        if self.cache.is_none() {
            self.open_again()?;
        }
        let patience = match self.compared {
            Some(then) => COMPARISONS.saturating_sub(then.elapsed()),
            None => Duration::ZERO,
        };
        let Some(work) = self.backlog.take(patience) else {
            return Ok(false);
        };
        if let Err(error) = self.write(&work) {
            self.backlog.put_back(work);
            return Err(error);
        }
        self.backlog.written(&work);
        self.compare(&work)?;
        if !self.reported.is_empty() {
            tracing::info!("the cache can be written again");
            self.reported.clear();
        }
        Ok(true)
    }

    /// Writes everything and makes it durable.
    fn write(&mut self, work: &Work) -> Result<(), CacheError> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        if work.is_empty() {
            return Ok(());
        }
        for (env_id, changes) in &work.environments {
            for change in changes {
                cache.write(*env_id, change)?;
            }
        }
        for (id, batch) in &work.usage {
            match batch {
                Some(batch) => cache.write_usage(batch)?,
                None => cache.remove_usage(*id)?,
            }
        }
        cache.flush()
    }

    /// Finds what is served and not stored, for the link to ask for, and what is stored for nothing.
    fn compare(&mut self, work: &Work) -> Result<(), CacheError> {
        let Some(cache) = &mut self.cache else {
            return Ok(());
        };
        let current = &self.edge.parts().current;
        for env_id in work.environments.keys() {
            let stored = cache.stored(*env_id)?;
            self.mirror.flushed(*env_id, stored, current.state(*env_id));
        }
        if self
            .compared
            .is_none_or(|then| then.elapsed() >= COMPARISONS)
        {
            self.compared = Some(Instant::now());
            let served = current.states();
            self.mirror.compare(&served);
            // Before everything has arrived, what is stored and not served may be on its way.
            if current.is_complete() {
                let surplus = self.mirror.surplus(&served);
                surplus
                    .iter()
                    .for_each(|env_id| self.backlog.remove(*env_id));
                if let Some(certificate) = self.backlog.certificate()
                    && surplus.is_empty()
                {
                    self.origin.certificate = certificate;
                    cache.set_origin(&self.origin)?;
                }
            }
        }
        let missing = self.mirror.missing();
        self.missing.set(self.backlog.without_waiting(missing));
        show(missing);
        Ok(())
    }

    /// Closes the cache, so that it is opened again, and reports why; once for as long as nothing changes.
    fn failed(&mut self, error: &CacheError) {
        if let Some(cache) = self.cache.take() {
            cache.close();
        }
        metrics::counter!("halyard_edge_cache_failures_total").increment(1);
        let error = chain(error);
        if error == self.reported {
            tracing::debug!(error, "the cache cannot be used; serving continues");
        } else {
            let folder = tracing::field::display(self.folder.display());
            tracing::error!(error, folder, "the cache cannot be used; serving continues");
            self.reported = error;
        }
        self.backlog.coalesce();
        // Nothing is asked for that could not be stored.
        self.missing.set(BTreeSet::new());
        self.mirror.compare(&self.edge.parts().current.states());
        show(self.mirror.missing());
    }
}

fn show(missing: &BTreeSet<protocol::ids::EnvId>) {
    metrics::gauge!("halyard_edge_cache_missing_environments")
        .set(f64::from(u32::try_from(missing.len()).unwrap_or(u32::MAX)));
}
