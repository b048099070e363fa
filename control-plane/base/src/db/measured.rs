//! How the connections of this process are used, as gauges.

use std::sync::Arc;

use parking_lot::Mutex;
use sqlx::PgPool;

/// The pools of a process, by what they are for.
#[derive(Clone, Debug, Default)]
pub(super) struct Measured(Arc<Mutex<Vec<(&'static str, PgPool)>>>);

impl Measured {
    pub(super) fn add(&self, name: &'static str, pool: &PgPool) {
        self.0.lock().push((name, pool.clone()));
    }

    pub(super) fn measure(&self) {
        for (name, pool) in self.0.lock().iter() {
            let gauge = |state: &'static str, connections: usize| {
                metrics::gauge!("halyard_database_connections", "pool" => *name, "state" => state)
                    .set(small(connections));
            };
            gauge("idle", pool.num_idle());
            gauge("in_use", in_use(pool));
            metrics::gauge!("halyard_database_connections_max", "pool" => *name)
                .set(pool.options().get_max_connections());
        }
    }
}

/// How many connections are not idle.
pub(super) fn in_use(pool: &PgPool) -> usize {
    let open = usize::try_from(pool.size()).unwrap_or(usize::MAX);
    open.saturating_sub(pool.num_idle())
}

pub(super) fn small(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
