//! Keeps what an on-demand edge holds within its memory limit.
//!
//! Runs only while connected: only then can what is dropped be requested again. What arrived within the last second or
//! two is left alone, since a request waits for it, so the limit can be exceeded by that much.

use std::{collections::HashSet, convert::Infallible, future::pending, time::Duration};

use protocol::{ids::EnvId, wire::message::EdgeMessage};
use serving::error::chain;
use tokio::{
    task::spawn_blocking,
    time::{MissedTickBehavior, interval},
};

use super::{connect::SessionError, session::Session};
use crate::{current::surplus, keeper::Change};

/// Drops what exceeds the limit, for as long as the session lasts.
pub(super) async fn keep(session: &Session<'_>) -> Result<Infallible, SessionError> {
    let Some(limit) = session.upstream.settings.memory_limit else {
        return pending().await;
    };
    let mut ticks = interval(Duration::from_secs(1));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut settled = HashSet::new();
    loop {
        ticks.tick().await;
        let held = session.upstream.edge.parts().current.weigh();
        let present = held.iter().map(|weight| weight.env_id).collect();
        for env_id in surplus(held, &settled, limit) {
            forget(session, env_id).await;
        }
        settled = present;
    }
}

/// Stops serving, then notifies the control plane and the cache, all within the environment's turn, so that neither
/// sees this out of order with what was applied.
async fn forget(session: &Session<'_>, env_id: EnvId) {
    let (edge, keeper) = (
        session.upstream.edge.clone(),
        session.upstream.keeper.clone(),
    );
    let outgoing = session.outgoing.clone();
    let forgetting = spawn_blocking(move || {
        edge.parts().current.remove(env_id, || {
            // Without a connection the message is not needed.
            drop(outgoing.blocking_send(EdgeMessage::Forget { env_id }));
            if let Some(keeper) = keeper {
                keeper.store(env_id, Change::Removed);
            }
        });
    });
    match forgetting.await {
        Ok(()) => {
            session.upstream.edge.parts().what_if.removed(env_id);
            metrics::counter!("halyard_edge_environments_dropped_total").increment(1);
            tracing::debug!(env.id = %env_id, "dropped an environment to save memory");
        }
        Err(error) => {
            tracing::error!(env.id = %env_id, error = chain(&error), "an environment could not be dropped");
        }
    }
}
