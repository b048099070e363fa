//! Receives pushes: many streams at once, one large environment at a time in memory.
//!
//! For each push the order is: what is served is swapped and streams are told, the version is acknowledged, the cache is
//! told. A push that cannot be used is counted and told in the log, and changes nothing; the other environments of the
//! link are not concerned.

use std::{convert::Infallible, future::pending, panic::resume_unwind, sync::Arc};

use bytes::Bytes;
use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::{
        frame::{self, FrameHeader, PUSH_LIMIT},
        message::{EdgeMessage, Epoch, Push},
    },
};
use quinn::{Connection, RecvStream};
use serving::error::chain;
use tokio::{
    sync::{Semaphore, mpsc},
    task::{JoinError, JoinSet, spawn_blocking},
};

use super::{
    connect::SessionError,
    frames::{self, StreamError},
    order::{Order, Place},
    session::{Heard, Session},
};
use crate::{
    Edge, Outcome,
    keeper::{Change, Keeper},
};

/// Frames up to this size are never held up by larger ones.
const SMALL: usize = 64 << 10;

/// What is needed to apply pushes, besides a stream.
#[derive(Clone)]
struct Receiver {
    edge: Edge,
    keeper: Option<Keeper>,
    epoch: Epoch,
    outgoing: mpsc::Sender<EdgeMessage>,
    heard: Heard,
    /// One permit: large frames are received, decoded and prepared one at a time.
    large: Arc<Semaphore>,
}

/// Receives until the connection ends.
pub(super) async fn pushes(
    session: &Session<'_>,
    connection: &Connection,
) -> Result<Infallible, SessionError> {
    let receiver = Receiver {
        edge: session.upstream.edge.clone(),
        keeper: session.upstream.keeper.clone(),
        epoch: session.epoch,
        outgoing: session.outgoing.clone(),
        heard: session.heard.clone(),
        large: Arc::new(Semaphore::new(1)),
    };
    let mut order = Order::default();
    let mut tasks = JoinSet::new();
    loop {
        let stream = connection.accept_uni().await?;
        while tasks.try_join_next().is_some() {}
        tasks.spawn(receiver.clone().push(stream, order.next()));
    }
}

impl Receiver {
    async fn push(self, mut stream: RecvStream, place: Place) {
        // The end of the whole connection is told where it is waited for.
        if let Err(StreamError::Frame(error)) = self.receive(&mut stream, place).await {
            metrics::counter!("halyard_edge_refused_frames_total").increment(1);
            tracing::error!(
                error = %chain(&error),
                "a push was refused"
            );
        }
    }

    async fn receive(&self, stream: &mut RecvStream, mut place: Place) -> Result<(), StreamError> {
        let mut start = [0; FrameHeader::LENGTH];
        stream.read_exact(&mut start).await?;
        let header = FrameHeader::parse(start, PUSH_LIMIT)?;
        let mut permit = if header.payload_length() > SMALL {
            Some(
                self.large
                    .acquire()
                    .await
                    .expect("the semaphore is never closed"),
            )
        } else {
            None
        };
        let frame = frames::read_rest(stream, start, header, || self.heard.note()).await?;
        let (push, frame) = blocking(move || {
            let push = frame::decode::<Push>(header, &frame[FrameHeader::LENGTH..])?;
            Ok::<_, frame::FrameError>((Arc::new(push), Bytes::from(frame)))
        })
        .await?;

        loop {
            let may_be_early = place.is_behind_others();
            if let Push::Removed { env_id } = *push
                && place.was_overtaken(env_id)
            {
                return Ok(());
            }
            let outcome = self.apply(&push, &frame).await;
            match outcome {
                Outcome::Applied { env_id, .. } => place.applied(env_id),
                Outcome::Resync { .. } if may_be_early && matches!(*push, Push::Delta(_)) => {
                    // What this one waits for may need the permit.
                    permit.take();
                    place.moved().await;
                    continue;
                }
                Outcome::Resync { env_id } => self.send(EdgeMessage::Resync { env_id }).await,
                Outcome::Ignored => {
                    let env_id = push.env_id();
                    let version = self.edge.version(env_id).unwrap_or(0);
                    self.send(EdgeMessage::Ack { env_id, version }).await;
                }
                Outcome::Removed { .. } => {}
            }
            return Ok(());
        }
    }

    /// Applies on a thread that may block. Acknowledging and storing belong to the turn that the environment has there, so
    /// that neither ever hears of versions in another order. A panic is ours, and still has to be answered.
    async fn apply(&self, push: &Arc<Push>, frame: &Bytes) -> Outcome {
        let env_id = push.env_id();
        let (receiver, push, frame) = (self.clone(), Arc::clone(push), frame.clone());
        spawn_blocking(move || {
            let settle = |outcome| receiver.settle(outcome, &push, frame);
            receiver.edge.apply_then(&push, settle)
        })
        .await
        .unwrap_or_else(|error| {
            tracing::error!(env.id = %env_id, error = chain(&error), "a push could not be applied");
            Outcome::Resync { env_id }
        })
    }

    fn settle(&self, outcome: Outcome, push: &Push, frame: Bytes) {
        let (env_id, change) = match outcome {
            Outcome::Applied { env_id, version } => {
                self.acknowledge(env_id, version);
                let change = match push {
                    Push::Delta(delta) => Change::Delta {
                        base: delta.base,
                        version,
                        frame,
                    },
                    _ => Change::Whole {
                        epoch: self.epoch,
                        version,
                        frame,
                    },
                };
                (env_id, change)
            }
            Outcome::Removed { env_id } => {
                self.acknowledge(env_id, 0);
                (env_id, Change::Removed)
            }
            Outcome::Resync { .. } | Outcome::Ignored => return,
        };
        if let Some(keeper) = &self.keeper {
            keeper.store(env_id, change);
        }
    }

    /// For threads that may block.
    fn acknowledge(&self, env_id: EnvId, version: Version) {
        // Without a connection nobody waits for it.
        drop(
            self.outgoing
                .blocking_send(EdgeMessage::Ack { env_id, version }),
        );
    }

    async fn send(&self, message: EdgeMessage) {
        // Without a connection nobody waits for it.
        drop(self.outgoing.send(message).await);
    }
}

/// Runs what takes long, and gives its panic on. Never ends when the process is ending.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match spawn_blocking(work)
        .await
        .map_err(JoinError::try_into_panic)
    {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        Err(Err(_)) => pending().await,
    }
}
