//! Sends an edge what it is owed, each message on a stream of its own.
//!
//! Small messages, whole environments, and updates as large as those have workers of their own, so that none waits for
//! another. Within the connection, small updates take priority over large ones, and flags switched off over everything.
//! What is in flight is bounded by `congestion`, and by waiting until the edge has received a large message.

use std::{convert::Infallible, sync::Arc, time::Duration};

use bytes::Bytes;
use futures_util::future::try_join_all;
use parking_lot::Mutex;
use protocol::{
    ids::EnvId,
    snapshot::Version,
    wire::{
        frame,
        message::{ControlMessage, Push},
        relay::ToRelay,
        signed,
    },
};
use quinn::{Connection, SendStream};
use serving::trace::Way;
use tokio::{
    sync::{Semaphore, mpsc},
    time::{Instant, MissedTickBehavior, interval},
};

use super::{session::SessionError, unanswered::Unanswered};
use crate::{
    Fingerprint,
    frames::{self, StreamError},
    hub::Subscription,
    outbox::{Outbox, Outgoing},
    source::{Frame, Source},
    tls,
};

/// Each counts for at least this much, so that the number of streams is bounded too.
const LEAST: usize = 2 << 10;
const WHOLE_PRIORITY: i32 = 0;
const UPDATE_PRIORITY: i32 = 1;
const URGENT_PRIORITY: i32 = 2;

/// A message that was handed to the connection.
struct Sent {
    env_id: EnvId,
    version: Version,
    stream: SendStream,
}

/// The pushes of one session.
#[derive(Debug)]
pub(super) struct Pushes<S> {
    connection: Connection,
    certificate: Fingerprint,
    outbox: Outbox<S>,
    unanswered: Mutex<Unanswered>,
    large_wholes: Semaphore,
    small_wholes: Arc<Semaphore>,
    /// Whether the edge is sent signatures too.
    is_signed: bool,
    /// Where a relay of all regions is told which one an environment belongs to.
    regions: Option<mpsc::Sender<ControlMessage>>,
}

impl<S: Source> Pushes<S> {
    pub(super) fn new(connection: Connection, certificate: Fingerprint, outbox: Outbox<S>) -> Self {
        Self {
            is_signed: tls::is_signing(&connection),
            connection,
            certificate,
            outbox,
            unanswered: Mutex::default(),
            large_wholes: Semaphore::new(2),
            // In bytes: many fit into a round trip, and they never fill the connection's buffer, for which updates would have to
            // wait.
            small_wholes: Arc::new(Semaphore::new(1 << 20)),
            regions: None,
        }
    }

    pub(super) fn with_regions(self, regions: Option<mpsc::Sender<ControlMessage>>) -> Self {
        Self { regions, ..self }
    }

    pub(super) const fn subscription(&self) -> &Subscription {
        &self.outbox.subscription
    }

    /// Sends until the connection ends.
    pub(super) async fn run(&self) -> Result<Infallible, SessionError> {
        let (large, waiting) = mpsc::unbounded_channel();
        // So many messages of each kind are made or written at the same time.
        let updates = try_join_all((0..4).map(|_| self.send_updates(&large)));
        let wholes = try_join_all((0..4).map(|_| self.send_wholes()));
        tokio::select! {
            Err(error) = updates => Err(error.into()),
            Err(error) = wholes => Err(error.into()),
            Err(error) = self.send_large_updates(waiting) => Err(error.into()),
            never = self.give_up_unanswered() => match never {},
        }
    }

    /// The edge serves a version.
    pub(super) fn acknowledged(&self, env_id: EnvId, version: Version) {
        let taken = self.unanswered.lock().answer(env_id, Instant::now());
        if let Some(taken) = taken {
            metrics::histogram!("halyard_acknowledgement_seconds").record(taken);
            if let Some(way) = Way::of(env_id.uuid(), version) {
                way.pushed(&self.certificate, taken);
            }
        }
        self.subscription().acknowledge(env_id, version);
    }

    /// The edge requests the whole environment.
    pub(super) fn lost(&self, env_id: EnvId) {
        self.unanswered.lock().answer(env_id, Instant::now());
        metrics::counter!("halyard_resyncs_total").increment(1);
        self.subscription().lose(env_id);
    }

    /// Large updates are passed on. There is at most one per environment.
    async fn send_updates(
        &self,
        large: &mpsc::UnboundedSender<Outgoing>,
    ) -> Result<Infallible, StreamError> {
        loop {
            let outgoing = self.outbox.next_update().await;
            if is_large(&outgoing) {
                // The receiver exists for as long as the session.
                drop(large.send(outgoing));
                continue;
            }
            let sent = self.send(outgoing, UPDATE_PRIORITY).await?;
            // Small, so it has as good as arrived.
            self.arrived(&sent);
        }
    }

    async fn send_large_updates(
        &self,
        mut waiting: mpsc::UnboundedReceiver<Outgoing>,
    ) -> Result<Infallible, StreamError> {
        while let Some(outgoing) = waiting.recv().await {
            self.send_large(outgoing).await?;
        }
        std::future::pending().await
    }

    async fn send_wholes(&self) -> Result<Infallible, StreamError> {
        loop {
            let outgoing = self.outbox.next_whole().await;
            self.send_region(&outgoing).await;
            if is_large(&outgoing) {
                // Only the end of the session closes it.
                let _permit = self.large_wholes.acquire().await;
                self.send_large(outgoing).await?;
            } else {
                self.send_small_whole(outgoing).await?;
            }
        }
    }

    /// A relay passes on what it is sent whole for the first time once it knows the region.
    async fn send_region(&self, outgoing: &Outgoing) {
        let (Some(told), Outgoing::Contents(env_id, _)) = (&self.regions, outgoing) else {
            return;
        };
        if let Some(region) = self.subscription().region(*env_id) {
            let region = ToRelay::Region {
                region: region.to_string(),
                environments: vec![*env_id],
            };
            // The writer drains the queue for as long as the session lasts.
            drop(told.send(ControlMessage::Relay(region)).await);
        }
    }

    /// Sends without waiting for the arrival, as long as not too much is on its way.
    async fn send_small_whole(&self, outgoing: Outgoing) -> Result<(), StreamError> {
        let bytes = match &outgoing {
            Outgoing::Contents(_, frame) => frame.bytes.len().max(LEAST),
            Outgoing::Removal(_) => LEAST,
        };
        let room = Arc::clone(&self.small_wholes);
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let permit = room.acquire_many_owned(bytes).await;
        let sent = self.send(outgoing, WHOLE_PRIORITY).await?;
        self.arrived(&sent);
        tokio::spawn(async move {
            // Ends with the connection at the latest.
            drop(sent.stream.stopped().await);
            drop(permit);
        });
        Ok(())
    }

    async fn send_large(&self, outgoing: Outgoing) -> Result<(), StreamError> {
        let sent = self.send(outgoing, WHOLE_PRIORITY).await?;
        // An error is that of the connection, which others notice too.
        drop(sent.stream.stopped().await);
        self.arrived(&sent);
        Ok(())
    }

    async fn send(&self, outgoing: Outgoing, priority: i32) -> Result<Sent, StreamError> {
        let (env_id, message) = match outgoing {
            Outgoing::Contents(env_id, frame) => (env_id, frame),
            Outgoing::Removal(env_id) => {
                let bytes = frame::encode(&Push::Removed { env_id })?.into();
                (
                    env_id,
                    Frame {
                        version: 0,
                        bytes,
                        urgent: false,
                    },
                )
            }
        };
        let kind = if priority == WHOLE_PRIORITY {
            "snapshot"
        } else {
            "update"
        };
        metrics::counter!("halyard_pushes_total", "kind" => kind).increment(1);
        let bytes = self.spoken(message.bytes);
        metrics::counter!("halyard_pushed_bytes_total").increment(bytes.len() as u64);

        let mut stream = self
            .connection
            .open_uni()
            .await
            .map_err(quinn::WriteError::from)?;
        // These cannot fail on a stream that was just opened, unless its connection ended.
        drop(stream.set_priority(if message.urgent {
            URGENT_PRIORITY
        } else {
            priority
        }));
        self.unanswered
            .lock()
            .send(env_id, message.version, Instant::now());
        frames::write_frame(&mut stream, bytes).await?;
        drop(stream.finish());
        Ok(Sent {
            env_id,
            version: message.version,
            stream,
        })
    }

    /// What the edge understands of a message.
    fn spoken(&self, mut push: Bytes) -> Bytes {
        if !self.is_signed
            && let Ok(length) = signed::frame_length(&push)
        {
            push.truncate(length);
        }
        push
    }

    fn arrived(&self, sent: &Sent) {
        self.unanswered
            .lock()
            .arrive(sent.env_id, sent.version, Instant::now());
    }

    /// Unanswered pushes count as lost, so that no environment stays behind: they are sent whole, with growing pauses.
    async fn give_up_unanswered(&self) -> Infallible {
        let mut ticks = interval(Duration::from_secs(1));
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let silent = self.unanswered.lock().give_up(Instant::now());
            for (env_id, version) in silent {
                metrics::counter!("halyard_unanswered_pushes_total").increment(1);
                tracing::warn!(env.id = %env_id, version, "an edge did not answer a push");
                self.subscription().lose(env_id);
            }
        }
    }
}

fn is_large(outgoing: &Outgoing) -> bool {
    // Larger updates take as long as whole environments.
    matches!(outgoing, Outgoing::Contents(_, frame) if frame.bytes.len() > 64 << 10)
}
