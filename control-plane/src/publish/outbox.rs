//! From what an edge is owed to the message it is sent. Used by QUIC links and the built-in edge alike.

use std::{collections::HashSet, sync::Arc, time::Duration};

use serving::error::chain;

use super::{
    contents::{Contents, Frame, Update},
    hub::{Ended, Subscription, Work},
};
use crate::ids::EnvId;

/// Pause after a database failure, or while an environment is just being removed.
const PAUSE: Duration = Duration::from_millis(250);

/// A message for an edge.
#[derive(Clone, Debug)]
pub(super) enum Outgoing {
    /// New contents.
    Contents(EnvId, Frame),
    /// The environment is gone.
    Removal(EnvId),
}

/// Takes work from a subscription and turns it into messages.
#[derive(Debug)]
pub(super) struct Outbox {
    pub(super) subscription: Subscription,
    contents: Arc<Contents>,
    /// What the edge does not expect, since it could not be sent when it greeted.
    left_out: HashSet<EnvId>,
}

impl Outbox {
    pub(super) const fn new(
        subscription: Subscription,
        contents: Arc<Contents>,
        left_out: HashSet<EnvId>,
    ) -> Self {
        Self {
            subscription,
            contents,
            left_out,
        }
    }

    /// The next small message. It is in flight until the edge acknowledges it or requests the whole environment.
    /// Concurrent callers receive messages for different environments. Cancellation safe.
    pub(super) async fn next_update(&self) -> Outgoing {
        loop {
            let work = self.subscription.next_update().await;
            if let Some(outgoing) = self.make(work).await {
                return outgoing;
            }
        }
    }

    /// The next whole environment, like [`Outbox::next_update`].
    pub(super) async fn next_whole(&self) -> Outgoing {
        loop {
            let work = self.subscription.next_whole().await;
            if let Some(outgoing) = self.make(work).await {
                return outgoing;
            }
        }
    }

    async fn make(&self, work: Work) -> Option<Outgoing> {
        let (env_id, base) = match work {
            Work::Contents { env_id, base } => (env_id, base),
            Work::Removal { env_id } => return Some(Outgoing::Removal(env_id)),
        };
        let unfinished = Unfinished {
            subscription: &self.subscription,
            env_id,
        };
        let at_least = self.subscription.version(env_id).unwrap_or(0);
        match self.contents.update(env_id, base, at_least).await {
            Ok(Update::Send(frame)) => {
                unfinished.finish();
                self.contents.succeeded(env_id);
                self.subscription.send(env_id, frame.version);
                return Some(Outgoing::Contents(env_id, frame));
            }
            Ok(Update::Nothing(version)) => {
                unfinished.finish();
                self.subscription.settle(env_id, version);
                return None;
            }
            // The next poll will report it; until then it is still listed.
            Ok(Update::Gone) => {}
            Err(error) if error.is_outage() => {
                tracing::warn!(env.id = %env_id, error = chain(&error), "an environment cannot be read now; retrying");
            }
            // It alone: nobody waits for it, and no sender is kept busy by it.
            Err(error) => {
                let pause = self.contents.leave_out(env_id, at_least);
                metrics::counter!("halyard_compile_failures_total").increment(1);
                tracing::error!(
                    env.id = %env_id,
                    version = at_least,
                    error = chain(&error),
                    ?pause,
                    "an environment cannot be compiled or sent; it is left out"
                );
                // An edge that holds nothing of it would not be ready as long as it expects it.
                if base.is_none() && !self.left_out.contains(&env_id) {
                    self.subscription.end(Ended::GreetAgain);
                }
                return None;
            }
        }
        tokio::time::sleep(PAUSE).await;
        None
    }
}

/// Work that was taken. Queued again if dropped unfinished, for example by a cancelled caller.
struct Unfinished<'a> {
    subscription: &'a Subscription,
    env_id: EnvId,
}

impl Unfinished<'_> {
    const fn finish(self) {
        std::mem::forget(self);
    }
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        self.subscription.retry(self.env_id);
    }
}
