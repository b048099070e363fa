//! Dropping unused environments.

use std::{collections::HashSet, sync::atomic::Ordering};

use serving::settings::spans::MINUTE;

use super::Contents;
use protocol::ids::EnvId;

impl Contents {
    /// Drops environments that no edge holds, and whole environments not requested for a minute.
    pub(crate) fn sweep(&self, held: &HashSet<EnvId>) {
        let mut environments = self.environments.lock();
        environments.retain(|env_id, shared| {
            let Ok(mut environment) = shared.try_lock() else {
                return true;
            };
            let is_held = held.contains(&(*env_id).into());
            let whole = environment.whole.take();
            environment.whole = whole.filter(|whole| is_held && whole.used.elapsed() <= MINUTE);
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
