//! News of changed flags.

use std::sync::Weak;

use protocol::{eval::Environment, snapshot::Delta};
use tokio::sync::broadcast::{Receiver, error::RecvError};

use crate::shared::Shared;

/// Flags may answer differently now.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Changed {
    /// The version that answers.
    pub version: u64,
    /// The keys of the flags that were added, removed or changed, or that refer to a segment of which this is true; sorted.
    pub flags: Vec<String>,
}

/// News of changes, from when it was made on. If it is not read for long, all flags are told as changed.
#[derive(Debug)]
pub struct Changes {
    pub(crate) news: Receiver<Changed>,
    pub(crate) shared: Weak<Shared>,
}

impl Changes {
    /// Waits for the next change. `None` when the client has ended. It may be given up at any time without losing a change.
    pub async fn next(&mut self) -> Option<Changed> {
        match self.news.recv().await {
            Ok(changed) => Some(changed),
            Err(RecvError::Closed) => None,
            Err(RecvError::Lagged(_)) => {
                self.news = self.news.resubscribe();
                let held = self.shared.upgrade()?.held.load_full()?;
                let keys = held.environment.flags().map(|(_, key)| key.to_owned());
                Some(Changed {
                    version: held.version(),
                    flags: keys.collect(),
                })
            }
        }
    }
}

/// The flags that a delta, which led to this environment, changes.
pub(crate) fn of_delta(environment: &Environment, delta: &Delta) -> Vec<String> {
    let flags = delta.flags.iter().map(|flag| &*flag.key);
    let removed = delta.removed_flags.iter().map(|flag| &*flag.key);
    let segments = delta.segments.iter().map(|segment| &*segment.key);
    let segments = segments.chain(delta.removed_segments.iter().map(|key| &**key));
    let referring = segments
        .flat_map(|key| environment.flags_with_segment(key))
        .map(|flag| environment.key(flag));
    sorted(flags.chain(removed).chain(referring))
}

/// The flags in which two environments differ.
pub(crate) fn between(older: Option<&Environment>, environment: &Environment) -> Vec<String> {
    let Some(older) = older else {
        return sorted(environment.flags().map(|(_, key)| key));
    };
    let changed = environment.flags_changed_since(older);
    let keys = [older, environment].into_iter().flat_map(|environment| {
        let flags = environment.flags();
        flags
            .filter(|(flag, _)| changed.binary_search(&environment.flag_id(*flag)).is_ok())
            .map(|(_, key)| key)
    });
    sorted(keys)
}

fn sorted<'k>(keys: impl Iterator<Item = &'k str>) -> Vec<String> {
    let mut keys: Vec<_> = keys.map(str::to_owned).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}
