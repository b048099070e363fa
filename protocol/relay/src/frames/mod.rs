//! The frames that a relay passes on: as they were received, and as few others as possible.
//!
//! Of each environment the newest whole frame is kept, and the deltas received since. In the steady state an edge below
//! holds what the last delta starts from, and is sent the very bytes that came from above. Whoever holds an earlier
//! version is sent several deltas as one, and whoever holds nothing, or a version that no delta starts from, the whole
//! environment with the deltas since. Both are made away from the async threads, without a lock, once for all who ask
//! at the same time, and kept for those who ask later.
//!
//! Memory, for each environment: the whole frame; of deltas up to as many bytes, 64 KiB if that is more, and the newest
//! one whatever its length; of merged deltas as many bytes again at most. While the whole frame is being brought up to
//! date, the deltas that arrive may take as much once more. As long as nothing changes, that is the whole frames alone:
//! what the cache takes on disk. What is being merged is in memory unpacked, as many large environments at the same time
//! as half the processors.

mod held;
mod making;

use std::{collections::HashMap, sync::Arc, thread};

use bytes::Bytes;
use fanout::Frame;
use parking_lot::{Mutex, MutexGuard};
use protocol::{ids::EnvId, snapshot::Version};
use tokio::sync::Semaphore;

use self::held::{Bounds, Held, Look};

/// How an edge below gets to the newest version.
#[derive(Clone, Debug)]
pub(super) enum Found {
    /// This frame. While others ask, it may lead to a version before the newest.
    Send(Frame),
    /// The edge holds the newest version, which is this one.
    Nothing(Version),
    /// The whole environment must be requested from above: it was never received, or there was no room to keep it.
    Missing,
    /// The environment is not held.
    Gone,
}

/// The frames of all environments that the relay serves. It is told of changes in each environment's turn, so that it
/// knows them in the order in which they were applied.
pub(super) struct Frames {
    environments: Mutex<HashMap<EnvId, Arc<Environment>>>,
    bounds: Bounds,
    /// For what takes long to merge.
    large: Arc<Semaphore>,
}

/// One environment. What is being made for it may outlive it.
struct Environment {
    env_id: EnvId,
    held: Mutex<Held>,
}

impl Default for Frames {
    fn default() -> Self {
        Self::bounded(Bounds::DEFAULT)
    }
}

impl Frames {
    fn bounded(bounds: Bounds) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self {
            environments: Mutex::default(),
            bounds,
            large: Arc::new(Semaphore::new(processors.div_ceil(2))),
        }
    }

    /// A whole environment was received, and is served.
    pub(super) fn whole(&self, env_id: EnvId, version: Version, frame: Bytes) {
        self.environment(env_id, version)
            .held()
            .whole(version, frame);
    }

    /// A delta was received and applied to `base`, which was served. For threads of the runtime: bringing the whole
    /// frame up to date may begin.
    pub(super) fn delta(
        &self,
        env_id: EnvId,
        base: Version,
        version: Version,
        urgent: bool,
        frame: Bytes,
    ) {
        let environment = self.environment(env_id, base);
        let frame = Frame {
            version,
            bytes: frame,
            urgent,
        };
        let work = environment.held().delta(base, frame);
        if let Some(work) = work {
            environment.make(work, &self.large);
        }
    }

    /// This version is served, from the cache or since a greeting confirmed it, but its frames are not at hand. A version
    /// that is not newer than what is known changes nothing.
    pub(super) fn holds(&self, env_id: EnvId, version: Version) {
        self.environment(env_id, version).held().holds(version);
    }

    /// The environment is no longer served.
    pub(super) fn removed(&self, env_id: EnvId) {
        let removed = self.environments.lock().remove(&env_id);
        if let Some(environment) = removed {
            environment.held().abandon();
        }
    }

    /// Another epoch begins, in which no version says anything about those before.
    pub(super) fn forget(&self) {
        let forgotten: Vec<_> = self.environments.lock().drain().collect();
        for (_, environment) in forgotten {
            environment.held().abandon();
        }
    }

    /// The frame from `base`, or from nothing, to the newest version. Cancellation safe: a frame that is being made is
    /// finished for others.
    pub(super) async fn update(&self, env_id: EnvId, base: Option<Version>) -> Found {
        loop {
            let Some(environment) = self.find(env_id) else {
                return Found::Gone;
            };
            let look = environment.held().look(base);
            let mut made = match look {
                Look::Found(found) => return found,
                Look::UnderWay(made) => made,
                Look::Make(work) => {
                    let made = work.made.subscribe();
                    environment.make(work, &self.large);
                    made
                }
            };
            // It ends without a frame if what it is made of is no longer what is held.
            let frame = made
                .wait_for(Option::is_some)
                .await
                .ok()
                .and_then(|frame| frame.clone());
            if let Some(frame) = frame.filter(|frame| base.is_none_or(|base| frame.version > base))
            {
                return Found::Send(frame);
            }
        }
    }

    /// Environments that are held without their whole frame, at most `most`.
    pub(super) fn without_whole(&self, most: usize) -> Vec<EnvId> {
        let environments = self.environments.lock();
        let missing = environments
            .values()
            .filter(|environment| !environment.held().has_whole());
        missing
            .take(most)
            .map(|environment| environment.env_id)
            .collect()
    }

    fn find(&self, env_id: EnvId) -> Option<Arc<Environment>> {
        self.environments.lock().get(&env_id).cloned()
    }

    /// The environment, held at `version` if it is new.
    fn environment(&self, env_id: EnvId, version: Version) -> Arc<Environment> {
        let mut environments = self.environments.lock();
        let environment = environments.entry(env_id).or_insert_with(|| {
            let held = Mutex::new(Held::new(version, self.bounds));
            Arc::new(Environment { env_id, held })
        });
        Arc::clone(environment)
    }
}

impl Environment {
    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock()
    }
}

#[cfg(test)]
mod tests;
