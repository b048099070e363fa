//! What a relay says to whoever feeds it, and hears from there, about the edges below it.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use fanout::{Change, Reached, Regions};
use protocol::wire::{
    message::EdgeMessage,
    parts::parts_of,
    relay::{EDGES_OF_A_PART, EdgeBelow, MAX_BELOW, NAMES_OF_A_PART, RelayMessage, ToRelay},
};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{Instant, sleep, timeout},
};

use super::{connect::SessionError, uploads::Notices};
use crate::{
    relay::{REFILLS, Relay},
    wanted::AskedFor,
};

/// After an edge came or went, others may follow at once.
const SETTLING: Duration = Duration::from_millis(50);
/// How often it is looked whether something else is to be told of the edges below.
const PERIOD: Duration = Duration::from_secs(5);
/// Round-trip times alone are told this often.
const ROUND_TRIPS: Duration = Duration::from_secs(30);
/// Whoever feeds this edge has said by then that it is a relay.
const KNOWN: Duration = Duration::from_secs(10);
/// Time for the edges below to have stored what they counted.
const FLUSHING: Duration = Duration::from_secs(5);

/// A relay's part of one connection.
pub(super) struct Relayed {
    relay: Relay,
    outgoing: mpsc::Sender<EdgeMessage>,
    /// Notified once it was told that its certificate is that of a relay.
    serves: Notify,
    /// Where the answers go, by the numbers of the questions.
    open: Mutex<HashMap<u64, oneshot::Sender<ToRelay>>>,
}

impl Relayed {
    pub(super) fn new(relay: Relay, outgoing: mpsc::Sender<EdgeMessage>) -> Self {
        relay.connected();
        Self {
            relay,
            outgoing,
            serves: Notify::new(),
            open: Mutex::default(),
        }
    }

    /// Takes a message.
    pub(super) fn hear(&self, message: ToRelay) {
        let relay = &self.relay;
        match message {
            ToRelay::Serves {
                region,
                patience_ms,
            } => {
                let regions = region.map_or(Regions::All, |region| Regions::Only(region.into()));
                relay.serves(regions, Duration::from_millis(patience_ms.into()));
                self.serves.notify_one();
            }
            ToRelay::Region {
                region,
                environments,
            } => relay.place(&region, &environments),
            ToRelay::Dismiss {
                certificate,
                refusal,
            } => relay.hub().refuse(&certificate, refusal),
            ToRelay::AskReached {
                request,
                version,
                environments,
                patience_ms,
            } => {
                let change = Change {
                    version,
                    environments,
                };
                let patience = Duration::from_millis(patience_ms.into());
                self.find_out(request, change, patience);
            }
            ToRelay::Admitted { request, .. }
            | ToRelay::NotAdmitted { request, .. }
            | ToRelay::CaughtUp { request, .. }
            | ToRelay::Renewed { request, .. }
            | ToRelay::NotRenewed { request, .. } => {
                // Whoever asked may have given up.
                let answer = self.open().remove(&request);
                answer.map(|answer| answer.send(message));
            }
        }
    }

    /// Says which edges below serve a change, when all do or the patience ends.
    fn find_out(&self, request: u64, change: Change, patience: Duration) {
        let (relay, outgoing) = (self.relay.clone(), self.outgoing.clone());
        tokio::spawn(async move {
            let Reached {
                mut acknowledged,
                mut lagging,
            } = relay.hub().acknowledged(&change, patience).await;
            acknowledged.truncate(MAX_BELOW);
            lagging.truncate(MAX_BELOW);
            let mut messages = Vec::new();
            for (acknowledged, _) in parts_of(NAMES_OF_A_PART, &acknowledged) {
                messages.push((acknowledged, Vec::new()));
            }
            for (lagging, _) in parts_of(NAMES_OF_A_PART, &lagging) {
                messages.push((Vec::new(), lagging));
            }
            let count = messages.len();
            for (index, (acknowledged, lagging)) in messages.into_iter().enumerate() {
                let part = RelayMessage::Reached {
                    request,
                    acknowledged,
                    lagging,
                    is_last: index + 1 == count,
                };
                // Without a connection nobody waits for it.
                drop(outgoing.send(EdgeMessage::Relay(part)).await);
            }
        });
    }

    /// Has the edges below upload what they counted, and then this one.
    pub(super) fn flush(&self, request: u64, notices: Notices) {
        let (relay, outgoing) = (self.relay.clone(), self.outgoing.clone());
        tokio::spawn(async move {
            relay.hub().flush(FLUSHING).await;
            if !notices.flush(request) {
                drop(outgoing.send(EdgeMessage::Flushed { request }).await);
            }
        });
    }

    /// A batch is stored; false if it is this edge's own.
    pub(super) fn stored(&self, boot: [u8; 16], sequence: u64) -> bool {
        self.relay.reports().stored(boot, sequence)
    }

    /// Speaks for as long as the connection lasts. `next` gives a number that no other request of it has.
    pub(super) async fn speak(&self, next: impl Fn() -> u64) -> Result<Infallible, SessionError> {
        // To whoever does not know it as a relay, everything that follows violates the protocol.
        if timeout(KNOWN, self.serves.notified()).await.is_err() {
            tracing::warn!(
                "whoever feeds this edge does not know it as a relay; no other edge is served"
            );
            self.serves.notified().await;
        }
        let never = tokio::join!(self.ask(next), self.ask_for_frames(), self.tell_of_below());
        match never.0 {}
    }

    async fn ask(&self, next: impl Fn() -> u64) -> Infallible {
        let mut asks = self.relay.asks().lock().await;
        loop {
            // The relay itself has a sender.
            let Some(ask) = asks.recv().await else {
                return std::future::pending().await;
            };
            let request = next();
            if let Some(answer) = ask.answer {
                let mut open = self.open();
                open.retain(|_, answer| !answer.is_closed());
                open.insert(request, answer);
            }
            self.say((ask.make)(request)).await;
        }
    }

    async fn ask_for_frames(&self) -> Infallible {
        let mut asked = AskedFor::at_most(REFILLS);
        loop {
            for env_id in asked.next(self.relay.wanted()).await {
                metrics::counter!("halyard_relay_refills_total").increment(1);
                drop(self.outgoing.send(EdgeMessage::Resync { env_id }).await);
            }
        }
    }

    async fn tell_of_below(&self) -> Infallible {
        let hub = self.relay.hub();
        let mut told: Option<Vec<EdgeBelow>> = None;
        let mut round_trips = Instant::now();
        loop {
            let below = hub.below();
            let is_news = told.as_deref().is_none_or(|told| differ(told, &below));
            if is_news || round_trips.elapsed() >= ROUND_TRIPS {
                round_trips = Instant::now();
                for (edges, is_last) in parts_of(EDGES_OF_A_PART, &below) {
                    self.say(RelayMessage::Below { edges, is_last }).await;
                }
                told = Some(below);
            }
            if timeout(PERIOD, hub.roster_changed()).await.is_ok() {
                sleep(SETTLING).await;
            }
        }
    }

    async fn say(&self, message: RelayMessage) {
        // The writer drains the queue for as long as the connection lasts.
        drop(self.outgoing.send(EdgeMessage::Relay(message)).await);
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, oneshot::Sender<ToRelay>>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Relayed {
    fn drop(&mut self) {
        self.relay.disconnected();
    }
}

/// Whether anything but round-trip times has changed.
fn differ(before: &[EdgeBelow], now: &[EdgeBelow]) -> bool {
    let is_same = |(before, now): (&EdgeBelow, &EdgeBelow)| {
        let before = EdgeBelow {
            rtt_us: now.rtt_us,
            ..before.clone()
        };
        before == *now
    };
    before.len() != now.len() || !before.iter().zip(now).all(is_same)
}
