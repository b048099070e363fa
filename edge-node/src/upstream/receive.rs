//! Receives pushes: many streams at once, but only one large environment in memory at a time.
//!
//! Each push is handled in this order: the served environment is swapped and streams are notified, the version is
//! acknowledged, the change is handed to the cache. A push that cannot be used is counted and logged, and changes
//! nothing; the link's other environments are unaffected.

use std::{convert::Infallible, future::pending, panic::resume_unwind, sync::Arc};

use bytes::Bytes;
use fanout::frames::StreamError;
use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::{
        frame::{self, FrameError, FrameHeader, PUSH_LIMIT},
        message::{EdgeMessage, Epoch, Push},
        signed::SIGNATURE,
    },
};
use quinn::{Connection, RecvStream};
use serving::{apart::begin_apart, error::chain, trace::Way};
use tokio::{
    runtime::Handle,
    sync::{
        Semaphore,
        mpsc::{self, error::TrySendError},
    },
    task::{JoinError, JoinSet},
    time::Instant,
};
use tokio_util::task::TaskTracker;

use super::{
    connect::SessionError,
    order::{Order, Place},
    session::{Heard, Session},
};
use crate::{
    Edge, Outcome,
    downstream::Downstream,
    keeper::{Change, Keeper},
};

/// Applies the pushes of one connection.
#[derive(Clone)]
struct Receiver {
    edge: Edge,
    keeper: Option<Keeper>,
    downstream: Downstream,
    applying: TaskTracker,
    epoch: Epoch,
    /// Whether signatures may follow frames.
    is_signing: bool,
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
        downstream: session.upstream.downstream.clone(),
        applying: session.upstream.applying.clone(),
        epoch: session.epoch,
        is_signing: session.link.is_signing,
        outgoing: session.outgoing.clone(),
        heard: session.heard.clone(),
        large: Arc::new(Semaphore::new(1)),
    };
    let mut order = Order::default();
    let mut tasks = JoinSet::new();
    loop {
        let stream = connection.accept_uni().await?;
        // Finished tasks are reaped here, so that the set does not grow with the age of the connection.
        while tasks.try_join_next().is_some() {}
        tasks.spawn(receiver.clone().push(stream, order.next()));
    }
}

impl Receiver {
    async fn push(self, mut stream: RecvStream, place: Place) {
        // The end of the whole connection is reported where it is awaited.
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
        // Taken before the payload is read: what waits for it is a stream, not megabytes.
        // Frames up to this size never wait for larger ones.
        let mut permit = if header.payload_length() > 64 << 10 {
            Some(
                self.large
                    .acquire()
                    .await
                    .expect("the semaphore is never closed"),
            )
        } else {
            None
        };
        let bytes = self.read_rest(stream, start, header).await?;
        let (push, bytes) = blocking(move || {
            let payload = &bytes[FrameHeader::LENGTH..][..header.payload_length()];
            let push = frame::decode::<Push>(header, payload)?;
            Ok::<_, FrameError>((Arc::new(push), Bytes::from(bytes)))
        })
        .await?;

        loop {
            // Checked before applying, so that a push which ends meanwhile wakes `moved`.
            let may_be_early = place.is_behind_others();
            // The environment has come back with a later push.
            if let Push::Removed { env_id } = *push
                && place.was_overtaken(env_id)
            {
                return Ok(());
            }
            let outcome = self.apply(&push, &bytes).await;
            match outcome {
                Outcome::Applied { env_id, .. } => place.applied(env_id),
                Outcome::Resync { .. } if may_be_early && matches!(*push, Push::Delta(_)) => {
                    // The push that this one waits for may need the permit.
                    permit.take();
                    place.moved().await;
                    continue;
                }
                Outcome::Resync { env_id } => {
                    // Without a connection no answer is expected.
                    drop(self.outgoing.send(EdgeMessage::Resync { env_id }).await);
                }
                Outcome::Ignored | Outcome::Removed { .. } => {}
            }
            return Ok(());
        }
    }

    /// Reads the rest of a push, and returns it behind the header of its frame. A slow stream is not a silent one.
    async fn read_rest(
        &self,
        stream: &mut RecvStream,
        start: [u8; FrameHeader::LENGTH],
        header: FrameHeader,
    ) -> Result<Vec<u8>, StreamError> {
        let length = FrameHeader::LENGTH + header.payload_length();
        let room = if self.is_signing { SIGNATURE } else { 0 };
        let mut bytes = vec![0; length + room];
        bytes[..FrameHeader::LENGTH].copy_from_slice(&start);
        // Each step is a sign of life.
        for step in bytes[FrameHeader::LENGTH..length].chunks_mut(64 << 10) {
            stream.read_exact(step).await?;
            self.heard.note();
        }
        if self.is_signing && !read_signature(stream, header, &mut bytes[length..]).await? {
            bytes.truncate(length);
        }
        Ok(bytes)
    }

    /// Applies on a thread that may block. Acknowledging and storing happen within the environment's turn there, so
    /// that neither the control plane nor the cache sees versions in another order. A panic is a bug of ours, and the
    /// push is still answered.
    async fn apply(&self, push: &Arc<Push>, bytes: &Bytes) -> Outcome {
        let env_id = push.env_id();
        let (receiver, push, bytes) = (self.clone(), Arc::clone(push), bytes.clone());
        let started = Instant::now();
        let token = self.applying.token();
        begin_apart(move || {
            let _until_applied = token;
            let settle = |outcome| receiver.settle(outcome, &push, bytes.clone());
            let outcome = receiver.edge.apply_then(&push, &bytes, settle);
            if let Outcome::Applied { env_id, version } = outcome
                && let Some(way) = Way::of(env_id.uuid(), version)
            {
                way.step("apply", started.elapsed());
            }
            if outcome == Outcome::Ignored {
                // Acknowledged all the same: the control plane waits for an answer to every push.
                receiver.acknowledge(env_id, receiver.edge.version(env_id).unwrap_or(0));
            }
            outcome
        })
        .await
        .unwrap_or_else(|error| {
            tracing::error!(env.id = %env_id, error = chain(&error), "a push could not be applied");
            Outcome::Resync { env_id }
        })
    }

    fn settle(&self, outcome: Outcome, push: &Push, bytes: Bytes) {
        let (env_id, change) = match outcome {
            Outcome::Applied { env_id, version } => {
                self.downstream.applied(push, &bytes);
                self.acknowledge(env_id, version);
                let change = match push {
                    Push::Delta(delta) => Change::Delta {
                        base: delta.base,
                        version,
                        frame: bytes,
                    },
                    _ => Change::Whole {
                        epoch: self.epoch,
                        version,
                        frame: bytes,
                    },
                };
                (env_id, change)
            }
            Outcome::Removed { env_id } => {
                self.downstream.applied(push, &bytes);
                self.acknowledge(env_id, 0);
                (env_id, Change::Removed)
            }
            Outcome::Resync { .. } | Outcome::Ignored => return,
        };
        if let Some(keeper) = &self.keeper {
            keeper.store(env_id, change);
        }
    }

    /// For threads that may block. Acknowledges for the edges below too, so once these have.
    fn acknowledge(&self, env_id: EnvId, version: Version) {
        let ack = EdgeMessage::Ack { env_id, version };
        // Without a connection no acknowledgement is expected.
        match self.downstream.reached(env_id, version) {
            None => {
                // Only a thread that may block can wait for room.
                if let Err(TrySendError::Full(ack)) = self.outgoing.try_send(ack) {
                    drop(self.outgoing.blocking_send(ack));
                }
            }
            Some(reached) => {
                let outgoing = self.outgoing.clone();
                Handle::current().spawn(async move {
                    reached.await;
                    drop(outgoing.send(ack).await);
                });
            }
        }
    }
}

/// Reads what is behind a frame into the place of a signature; false if nothing is.
async fn read_signature(
    stream: &mut RecvStream,
    header: FrameHeader,
    place: &mut [u8],
) -> Result<bool, StreamError> {
    let mut length = 0;
    while let Some(read @ 1..) = stream.read(&mut place[length..]).await? {
        length += read;
    }
    let is_whole = length == place.len();
    if length == 0 || is_whole && stream.read(&mut [0]).await?.is_none() {
        return Ok(is_whole);
    }
    let expected = header.payload_length();
    let found = expected + length;
    Err(FrameError::Length { expected, found }.into())
}

/// Runs blocking work and propagates its panic. Never returns if the runtime is shutting down.
async fn blocking<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    match begin_apart(work).await.map_err(JoinError::try_into_panic) {
        Ok(done) => done,
        Err(Ok(panic)) => resume_unwind(panic),
        Err(Err(_)) => pending().await,
    }
}
