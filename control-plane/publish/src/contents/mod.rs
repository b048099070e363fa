//! The contents of environments in the form edges receive: made once for all edges, and shared as bytes.
//!
//! An environment is kept only as the hashes of its items, which the digest of the next version requires, and as its latest
//! messages. Deltas can be made from any version an edge may hold, because rows and tombstones carry the version of their last
//! change. A lock per environment makes the others wait while the first one compiles.
//!
//! Why a delta is right: the rows newer than `base` are read in the same transaction as the version, and applying them to any
//! state between `base` and that version results in the same contents, since each row carries its item as it is now.

mod computed;
mod environment;
mod failures;
mod frame;
mod made;
mod sweep;
mod tracked;

use std::{
    collections::HashMap,
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use fanout::{Frame, Hub, Update};
use parking_lot::Mutex;
use protocol::{
    snapshot::{Digest, Version},
    wire::frame::TooLarge,
};
use serving::{error::chain, trace::Way};
use tokio::{
    sync::{MutexGuard, Semaphore, SemaphorePermit},
    time::Instant,
};

use self::{
    computed::Computed, environment::Environment, failures::Failures, frame::Whole, made::Made,
    tracked::Tracked,
};
use super::{compile::load, signing::Signing};
use base::{
    blocking::blocking,
    db::{self, Db},
    ids::EnvId,
};

#[derive(Debug, thiserror::Error)]
pub(super) enum ContentsError {
    #[error(transparent)]
    Database(#[from] db::Error),
    #[error("the environment cannot be sent")]
    TooLarge(#[from] TooLarge),
}

impl ContentsError {
    /// Whether the error says nothing about the environment.
    pub(super) fn is_outage(&self) -> bool {
        matches!(self, Self::Database(error) if error.is_outage())
    }
}

type Shared = Arc<tokio::sync::Mutex<Environment>>;

#[derive(Debug)]
pub(super) struct Contents {
    db: Db,
    signing: Arc<Signing>,
    /// Receives the computed digests.
    hub: Arc<Hub>,
    environments: Mutex<HashMap<EnvId, Shared>>,
    whole_bytes: Arc<AtomicUsize>,
    compiling: Semaphore,
    computed: Computed,
    /// Whether a version was read with other contents than before in this era.
    is_contradicted: AtomicBool,
    failures: Failures,
    made: Made,
}

impl Contents {
    pub(super) fn new(db: Db, hub: Arc<Hub>, signing: Arc<Signing>) -> Self {
        Self {
            db,
            signing,
            hub,
            environments: Mutex::default(),
            whole_bytes: Arc::default(),
            // At the same time: handlers need connections too.
            compiling: Semaphore::new(4),
            computed: Computed::default(),
            is_contradicted: AtomicBool::new(false),
            failures: Failures::default(),
            made: Made::default(),
        }
    }

    /// The version and digest of an environment, compiled if necessary; `None` if it is gone.
    pub(super) async fn current(
        &self,
        env_id: EnvId,
        at_least: Version,
    ) -> Result<Option<(Version, Digest)>, ContentsError> {
        let shared = self.shared(env_id);
        let mut environment = self.enter(&shared).await?;
        if !self.bring_to(&mut environment, env_id, at_least).await? {
            return Ok(None);
        }
        Ok(environment
            .tracked
            .as_ref()
            .map(|tracked| (tracked.version(), tracked.digest())))
    }

    /// The message that takes an edge from `base`, or from nothing, to at least `at_least`. Fails only if the database does.
    ///
    /// An environment that cannot be compiled or sent is skipped, so that it blocks no sender. This is decided under its lock;
    /// otherwise each waiting sender would fail in turn.
    pub(super) async fn update(
        &self,
        env_id: EnvId,
        base: Option<Version>,
        at_least: Version,
    ) -> Result<Update, ContentsError> {
        let shared = self.shared(env_id);
        let mut environment = self.enter(&shared).await?;
        if self.hub.is_put_off(env_id.into()) {
            return Ok(Update::LeftOut);
        }
        let made = match base {
            None => self.whole(&mut environment, env_id, at_least).await,
            Some(base) => self.newer(&mut environment, env_id, base, at_least).await,
        };
        match &made {
            Ok(Update::Send(_)) if self.failures.clear(env_id) => self.hub.take_in(env_id.into()),
            Err(error) if !error.is_outage() => {
                self.leave_out(env_id, at_least, error);
                return Ok(Update::LeftOut);
            }
            Ok(_) | Err(_) => {}
        }
        made
    }

    /// Makes the delta to a version of this process while the poll is under way that finds it, so that it is there when edges want it.
    /// Only from what they were told of last: after that they will want another one.
    pub(super) async fn prepare(
        &self,
        env_id: EnvId,
        version: Version,
    ) -> Result<(), ContentsError> {
        let Some(shared) = self.environments.lock().get(&env_id).cloned() else {
            return Ok(());
        };
        let mut environment = self.enter(&shared).await?;
        let told = self.hub.version(env_id.into());
        if let Some(base) = environment.version()
            && base < version
            && told == Some(base)
            && !self.hub.is_put_off(env_id.into())
        {
            self.advance(&mut environment, env_id, base).await?;
        }
        Ok(())
    }

    async fn newer(
        &self,
        environment: &mut Environment,
        env_id: EnvId,
        base: Version,
        at_least: Version,
    ) -> Result<Update, ContentsError> {
        if !self
            .bring_to(environment, env_id, at_least.max(base))
            .await?
        {
            return Ok(Update::Gone);
        }
        let version = environment.version().unwrap_or(0);
        if base >= version {
            return Ok(Update::Nothing(version));
        }
        if environment.delta(base).is_none() && !self.advance(environment, env_id, base).await? {
            return Ok(Update::Gone);
        }
        Ok(environment
            .delta(base)
            .map_or(Update::Nothing(version), Update::Send))
    }

    /// Drops everything.
    pub(super) fn forget(&self) {
        self.computed.forget();
        self.environments.lock().clear();
        self.is_contradicted.store(false, Ordering::Relaxed);
    }

    /// Whether a version was read with other contents than before. It is then unknown which contents edges were sent.
    pub(super) fn is_contradicted(&self) -> bool {
        self.is_contradicted.load(Ordering::Relaxed)
    }

    /// Computed digests, until they are stored.
    pub(super) const fn computed(&self) -> &Computed {
        &self.computed
    }

    /// The latest deltas.
    pub(super) const fn made(&self) -> &Made {
        &self.made
    }

    /// Records that a version cannot be compiled or sent: the next attempt follows after a growing pause.
    fn leave_out(&self, env_id: EnvId, version: Version, error: &ContentsError) {
        let pause = self.failures.next_pause(env_id);
        self.hub
            .leave_out(env_id.into(), version, Instant::now() + pause);
        metrics::counter!("halyard_compile_failures_total").increment(1);
        tracing::error!(
            env.id = %env_id,
            version,
            error = chain(error),
            ?pause,
            "an environment cannot be compiled or sent; it is left out"
        );
    }

    /// Whether the last attempt to compile or send it failed.
    pub(super) fn is_broken(&self, env_id: EnvId) -> bool {
        self.failures.contains(env_id)
    }

    /// Tracks an environment read in its era, replacing the previous state.
    fn track(&self, env_id: EnvId, environment: &mut Environment, tracked: Tracked) {
        let (version, digest) = (tracked.version(), tracked.digest());
        if self.computed.note(environment.era, env_id, version, digest) {
            let before = environment.tracked.as_ref();
            let adds_up = before
                .is_none_or(|before| before.version() != version || before.digest() == digest);
            if !self.hub.digested(env_id.into(), version, digest) || !adds_up {
                self.contradict(env_id, version);
            }
        }
        environment.tracked = Some(tracked);
    }

    /// A version was read with other contents than before: the next poll begins another history, in which every edge is compared
    /// with the database.
    fn contradict(&self, env_id: EnvId, version: Version) {
        metrics::counter!("halyard_digest_mismatches_total").increment(1);
        tracing::error!(env.id = %env_id, version, "a version has other contents than it had");
        self.is_contradicted.store(true, Ordering::Relaxed);
        self.db.changed().wake();
    }

    /// Waits for an environment. What was made for another history, or signed by another key, is dropped.
    async fn enter<'a>(
        &self,
        shared: &'a Shared,
    ) -> Result<MutexGuard<'a, Environment>, ContentsError> {
        let signer = self.signing.signer().await?;
        let mut environment = shared.lock().await;
        environment.enter(self.computed.era(), signer);
        Ok(environment)
    }

    fn shared(&self, env_id: EnvId) -> Shared {
        Arc::clone(self.environments.lock().entry(env_id).or_default())
    }

    /// Ensures that at least `at_least` is tracked; false if the environment is gone.
    async fn bring_to(
        &self,
        environment: &mut Environment,
        env_id: EnvId,
        at_least: Version,
    ) -> Result<bool, ContentsError> {
        match environment.version() {
            None => Ok(self.compile(environment, env_id).await?.is_some()),
            Some(version) if version < at_least => self.advance(environment, env_id, version).await,
            Some(_) => Ok(true),
        }
    }

    async fn whole(
        &self,
        environment: &mut Environment,
        env_id: EnvId,
        at_least: Version,
    ) -> Result<Update, ContentsError> {
        let newest = environment.version().unwrap_or(0).max(at_least);
        if let Some(whole) = environment
            .whole
            .as_mut()
            .filter(|whole| whole.frame.version >= newest)
        {
            whole.used = Instant::now();
            return Ok(Update::Send(whole.frame.clone()));
        }
        Ok(self
            .compile(environment, env_id)
            .await?
            .map_or(Update::Gone, Update::Send))
    }

    /// Reads and makes the whole environment, which is kept if there is capacity; `None` if the environment is gone.
    async fn compile(
        &self,
        environment: &mut Environment,
        env_id: EnvId,
    ) -> Result<Option<Frame>, ContentsError> {
        let _permit = self.permit().await;
        let started = Instant::now();
        let reading = load::whole(&self.db, env_id);
        let Some(rows) = self.db.unless_moved(reading).await?? else {
            return Ok(None);
        };
        // Large environments take tens of milliseconds to translate, hash and compress.
        let signer = environment.signer.clone();
        let make = move || frame::whole(env_id, rows, signer.as_ref());
        let (tracked, frame) = blocking(make).await?;

        if environment.version() != Some(tracked.version()) {
            environment.deltas.clear();
        }
        self.track(env_id, environment, tracked);
        environment.whole = self.keep(&frame);
        compiled("whole", env_id, frame.version, started.elapsed());
        Ok(Some(frame))
    }

    /// Keeps it for other edges, while these take less than 64 MiB in all.
    fn keep(&self, frame: &Frame) -> Option<Whole> {
        let whole = Whole::new(frame.clone(), &self.whole_bytes);
        (self.whole_bytes.load(Ordering::Relaxed) <= 64 << 20).then_some(whole)
    }

    /// Reads changes since `base`, applies them, and makes the delta from there; false if the environment is gone.
    async fn advance(
        &self,
        environment: &mut Environment,
        env_id: EnvId,
        base: Version,
    ) -> Result<bool, ContentsError> {
        let _permit = self.permit().await;
        let started = Instant::now();
        let reading = load::newer(&self.db, env_id, base);
        let Some(rows) = self.db.unless_moved(reading).await?? else {
            return Ok(false);
        };
        // Taken out: if this is interrupted, the environment is compiled again.
        let Some(tracked) = environment.tracked.take() else {
            return Ok(false);
        };
        let before = tracked.version();
        // A small delta is made without leaving the task.
        let is_large = rows.len() > 256 || rows.bytes() > 128 << 10;
        let signer = environment.signer.clone();
        let make = move || frame::delta(env_id, base, rows, tracked, signer.as_ref());
        let (tracked, frame) = if is_large {
            blocking(make).await
        } else {
            make()
        };
        if tracked.version() > before {
            environment.deltas.clear();
        }
        self.track(env_id, environment, tracked);
        // For other edges that hold the same version.
        if environment.deltas.len() == 4 {
            environment.deltas.remove(0);
        }
        let frame = frame?;
        self.made.note(env_id, &frame);
        compiled("delta", env_id, frame.version, started.elapsed());
        environment.deltas.push((base, frame));
        Ok(true)
    }

    async fn permit(&self) -> SemaphorePermit<'_> {
        self.compiling
            .acquire()
            .await
            .expect("the semaphore is never closed")
    }
}

/// A version was compiled: it is counted, and a step on the version's way.
fn compiled(kind: &'static str, env_id: EnvId, version: Version, took: Duration) {
    metrics::histogram!("halyard_compile_seconds", "kind" => kind).record(took);
    if let Some(way) = Way::of(env_id.0, version) {
        way.step("compile", took);
    }
}
