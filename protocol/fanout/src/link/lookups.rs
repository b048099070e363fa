//! Answers an edge that asks about API keys it does not know.

use std::convert::Infallible;

use futures_util::{StreamExt, stream};
use protocol::{snapshot::KeyHash, wire::message::ControlMessage};
use tokio::sync::mpsc;

use super::session::SessionError;
use crate::{
    hub::Subscription,
    source::{Lookup, NotNow},
};

/// A question and its number.
pub(super) struct Question {
    pub(super) request: u64,
    pub(super) hash: KeyHash,
}

/// A queue of questions: sessions put them in, [`Lookups`] takes them out.
pub(super) fn queue() -> (mpsc::Sender<Question>, mpsc::Receiver<Question>) {
    mpsc::channel(256)
}

/// Queues a question; the answer at once when too many wait.
pub(super) fn ask(queue: &mpsc::Sender<Question>, question: Question) -> Option<ControlMessage> {
    let request = question.request;
    queue.try_send(question).err().map(|_| {
        metrics::counter!("halyard_key_lookups_total", "result" => "dropped").increment(1);
        ControlMessage::KeyUnavailable { request }
    })
}

/// The asking edge, and how to answer it.
pub(super) struct Lookups<'a, L> {
    pub(super) lookup: L,
    pub(super) subscription: &'a Subscription,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl<L: Lookup> Lookups<'_, L> {
    /// Answers for as long as the session lasts.
    pub(super) async fn answer(
        &self,
        mut questions: mpsc::Receiver<Question>,
    ) -> Result<Infallible, SessionError> {
        stream::poll_fn(|cx| questions.poll_recv(cx))
            // More than may wait for the database, so that it receives the newest.
            .for_each_concurrent(512, async |question| {
                let answer = self.look_up(&question).await;
                // Nobody waits for it once the session has ended.
                drop(self.outgoing.send(answer).await);
            })
            .await;
        std::future::pending().await
    }

    async fn look_up(&self, Question { request, hash }: &Question) -> ControlMessage {
        let request = *request;
        match self.lookup.look_up(hash).await {
            Ok(Some((env_id, version))) => {
                self.subscription.name(env_id).await;
                ControlMessage::KeyFound {
                    request,
                    env_id,
                    version,
                }
            }
            Ok(None) => ControlMessage::KeyUnknown { request },
            Err(NotNow) => ControlMessage::KeyUnavailable { request },
        }
    }
}
