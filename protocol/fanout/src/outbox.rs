//! From what an edge is owed to the message it is sent. Used by QUIC links and the built-in edge alike.

use std::{collections::HashSet, time::Duration};

use protocol::ids::EnvId;

use crate::{
    hub::{Ended, Subscription, Work},
    source::{Frame, Source, Update},
};

/// A message for an edge.
#[derive(Clone, Debug)]
pub enum Outgoing {
    /// New contents.
    Contents(EnvId, Frame),
    /// The environment is gone.
    Removal(EnvId),
}

/// Takes work from a subscription and turns it into messages.
#[derive(Debug)]
pub struct Outbox<S> {
    /// What is owed.
    pub subscription: Subscription,
    source: S,
    /// What the edge does not expect, since it could not be sent when it greeted.
    left_out: HashSet<EnvId>,
}

impl<S: Source> Outbox<S> {
    pub(crate) const fn new(
        subscription: Subscription,
        source: S,
        left_out: HashSet<EnvId>,
    ) -> Self {
        Self {
            subscription,
            source,
            left_out,
        }
    }

    /// The next small message. It is in flight until the edge acknowledges it or requests the whole environment.
    /// Concurrent callers receive messages for different environments. Cancellation safe.
    pub async fn next_update(&self) -> Outgoing {
        loop {
            let work = self.subscription.next_update().await;
            if let Some(outgoing) = self.make(work).await {
                return outgoing;
            }
        }
    }

    /// The next whole environment, like [`Outbox::next_update`].
    pub async fn next_whole(&self) -> Outgoing {
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
        match self.source.update(env_id, base, at_least).await {
            Update::Send(frame) => {
                unfinished.finish();
                self.subscription.send(env_id, frame.version);
                return Some(Outgoing::Contents(env_id, frame));
            }
            Update::Nothing(version) => {
                unfinished.finish();
                self.subscription.settle(env_id, version);
                return None;
            }
            // Until the hub hears of its removal, it is still listed.
            Update::Gone | Update::NotNow => {}
            // It alone: nobody waits for it, and no sender is kept busy by it.
            Update::LeftOut => {
                // An edge that holds nothing of it would not be ready as long as it expects it.
                if base.is_none() && !self.left_out.contains(&env_id) {
                    self.subscription.end(Ended::GreetAgain);
                }
                return None;
            }
        }
        tokio::time::sleep(Duration::from_millis(250)).await;
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
