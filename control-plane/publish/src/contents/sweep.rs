//! Dropping unused environments.

use std::{
    collections::HashSet,
    sync::{PoisonError, atomic::Ordering},
    time::Duration,
};

use super::Contents;
use protocol::ids::EnvId;

/// How long a whole environment is kept after its last use.
const KEEP: Duration = Duration::from_secs(60);

impl Contents {
    /// Drops environments that no edge holds, and whole environments not requested lately.
    pub(crate) fn sweep(&self, held: &HashSet<EnvId>) {
        let mut environments = self
            .environments
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        environments.retain(|env_id, shared| {
            let Ok(mut environment) = shared.try_lock() else {
                return true;
            };
            let is_held = held.contains(&(*env_id).into());
            if !is_held
                || environment
                    .whole
                    .as_ref()
                    .is_some_and(|whole| whole.used.elapsed() > KEEP)
            {
                environment.whole = None;
            }
            is_held
        });
        metrics::gauge!("halyard_compiled_environments").set(count(environments.len()));
        metrics::gauge!("halyard_kept_whole_bytes")
            .set(count(self.whole_bytes.load(Ordering::Relaxed)));
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "gauges are floating-point numbers"
)]
fn count(number: usize) -> f64 {
    number as f64
}
