//! Pushes that are being applied to the built-in edge.

#[cfg(test)]
mod tests;

use bytes::Bytes;
use futures_util::FutureExt;
use protocol::{
    ids::{EnvId, OrgId},
    wire::message::Push,
};
use tokio::task::{JoinError, JoinSet, spawn_blocking};

use base::limits::{self, Full, Limit, Limiter};

/// Pushes that are applied at the same time, each of another environment, and those that wait for that. However long those of
/// one organization take, those of others go on.
#[derive(Debug)]
pub struct Applying<F, T> {
    apply: F,
    tasks: JoinSet<Applied<T>>,
    /// The pushes of an environment are applied in their order.
    order: Limiter<EnvId>,
    wholes: Limiter<OrgId>,
    all: Limiter<OrgId>,
}

/// The outcome of a push.
#[derive(Debug)]
pub struct Applied<T> {
    /// Of which environment.
    pub env_id: EnvId,
    /// The answer of the edge.
    pub outcome: Result<T, NotApplied>,
}

/// Why a push was not applied.
#[derive(Debug, thiserror::Error)]
pub enum NotApplied {
    #[error(transparent)]
    Full(#[from] Full),
    #[error("the edge panicked")]
    Panicked(#[from] JoinError),
}

impl<F, T> Applying<F, T>
where
    F: Fn(&Push, &Bytes) -> T + Clone + Send + 'static,
    T: Send + 'static,
{
    /// Nothing yet; `apply` may take long.
    pub fn new(apply: F) -> Self {
        let order = Limit {
            total: Limit::ANY,
            ..Limit::UNBOUNDED
        };
        Self {
            apply,
            tasks: JoinSet::new(),
            order: Limiter::new(order),
            wholes: Limiter::new(limits::BUILT_IN_WHOLES),
            all: Limiter::new(limits::BUILT_IN_PUSHES),
        }
    }

    /// Changes are taken at any time. A whole environment would only take memory while another one waits.
    pub fn has_room_for_wholes(&self) -> bool {
        self.wholes.users() <= limits::BUILT_IN_WHOLES.total
    }

    /// Applies a push, which came as these bytes, as soon as it may be. A removal takes no time, and is never given up.
    pub fn add(&mut self, push: Push, bytes: Bytes) {
        let env_id = push.env_id();
        let (org_id, is_whole) = match &push {
            Push::Snapshot(snapshot, _) => (Some(snapshot.head.org_id), true),
            Push::Delta(delta) => (Some(delta.head.org_id), false),
            Push::Removed { .. } => (None, false),
        };
        let (order, wholes, all) = (self.order.clone(), self.wholes.clone(), self.all.clone());
        let apply = self.apply.clone();
        let mut applying = Box::pin(async move {
            let _ordered = order.enter(env_id).await?;
            let mut permits = Vec::new();
            if let Some(org_id) = org_id {
                if is_whole {
                    permits.push(wholes.enter(org_id).await?);
                }
                permits.push(all.enter(org_id).await?);
            }
            Ok(spawn_blocking(move || apply(&push, &bytes)).await?)
        });
        // Polled here, which puts it into the queues in the order of pushes.
        let first = (&mut applying).now_or_never();
        self.tasks.spawn(async move {
            let outcome = match first {
                Some(outcome) => outcome,
                None => applying.await,
            };
            Applied { env_id, outcome }
        });
    }

    /// The next that was applied, or given up; `None` when there is none. Cancellation safe.
    ///
    /// # Panics
    /// When a task was aborted, which none is.
    pub async fn next(&mut self) -> Option<Applied<T>> {
        let applied = self.tasks.join_next().await?;
        Some(applied.expect("a panic of the edge is part of the outcome"))
    }

    /// Waits until all are applied.
    pub async fn finish(&mut self) {
        while self.next().await.is_some() {}
    }
}
