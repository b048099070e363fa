//! Answers an edge that asks about API keys it does not know.
//!
//! The edge limits how much its clients can make it ask; this limits how much any edge can make the database answer. A
//! question beyond the limit is dropped, and the edge's own time-out answers its client.

use std::{convert::Infallible, num::NonZeroU32};

use futures_util::{StreamExt, stream};
use governor::{Quota, RateLimiter};
use protocol::{snapshot::KeyHash, wire::message::ControlMessage};
use serving::error::chain;
use tokio::sync::mpsc;

use super::session::SessionError;
use crate::publish::{Publisher, Regions, hub::Subscription};

/// Questions that may wait.
const WAITING: usize = 256;
/// Questions at the database at the same time.
const PARALLEL: usize = 4;
/// Questions per second.
const RATE: NonZeroU32 = NonZeroU32::new(500).expect("not zero");

/// A question and its number.
pub(super) struct Question {
    pub(super) request: u64,
    pub(super) hash: KeyHash,
}

/// A queue of questions: sessions put them in, [`Lookups`] takes them out.
pub(super) fn queue() -> (mpsc::Sender<Question>, mpsc::Receiver<Question>) {
    mpsc::channel(WAITING)
}

/// Queues a question, unless too many wait.
pub(super) fn ask(queue: &mpsc::Sender<Question>, question: Question) {
    if queue.try_send(question).is_err() {
        count("dropped");
    }
}

/// The asking edge, and how to answer it.
pub(super) struct Lookups<'a> {
    pub(super) handle: &'a Publisher,
    pub(super) regions: &'a Regions,
    pub(super) subscription: &'a Subscription,
    pub(super) outgoing: &'a mpsc::Sender<ControlMessage>,
}

impl Lookups<'_> {
    /// Answers for as long as the session lasts.
    pub(super) async fn answer(
        &self,
        mut questions: mpsc::Receiver<Question>,
    ) -> Result<Infallible, SessionError> {
        let rate = RateLimiter::direct(Quota::per_second(RATE));
        stream::poll_fn(|cx| questions.poll_recv(cx))
            .for_each_concurrent(PARALLEL, async |question| {
                rate.until_ready().await;
                if let Some(answer) = self.look_up(&question).await {
                    // Nobody waits for it once the session has ended.
                    drop(self.outgoing.send(answer).await);
                }
            })
            .await;
        std::future::pending().await
    }

    async fn look_up(&self, Question { request, hash }: &Question) -> Option<ControlMessage> {
        let request = *request;
        match self.handle.look_up_key(self.regions, hash).await {
            Ok(Some((env_id, version))) => {
                count("found");
                self.subscription.name(env_id).await;
                Some(ControlMessage::KeyFound {
                    request,
                    env_id: env_id.into(),
                    version,
                })
            }
            Ok(None) => {
                count("unknown");
                Some(ControlMessage::KeyUnknown { request })
            }
            Err(error) => {
                count("failed");
                tracing::warn!(
                    error = chain(&error),
                    "cannot look up an API key for an edge"
                );
                None
            }
        }
    }
}

fn count(result: &'static str) {
    metrics::counter!("halyard_key_lookups_total", "result" => result).increment(1);
}
