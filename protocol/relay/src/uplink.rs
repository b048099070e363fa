//! The messages about the edges below, between a relay and the server above it.

use std::{
    collections::HashMap,
    convert::Infallible,
    sync::atomic::{AtomicU64, Ordering},
    time::Duration,
};

use fanout::{AskedFor, Change, Reached, Regions};
use parking_lot::Mutex;
use protocol::wire::{
    message::{ControlMessage, EdgeMessage},
    parts::parts_of,
    relay::{EDGES_OF_A_PART, EdgeBelow, MAX_BELOW, NAMES_OF_A_PART, RelayMessage, ToRelay},
};
use tokio::{
    sync::{Notify, mpsc, oneshot},
    time::{Instant, sleep, timeout},
};

use super::{REFILLS, Relay};

/// A relay's part of one connection to the server above. The connection ends when it is dropped.
pub struct Uplink {
    relay: Relay,
    outgoing: mpsc::Sender<EdgeMessage>,
    /// Notified once the server above has accepted the certificate as that of a relay.
    serves: Notify,
    /// Where the answers go, by the numbers of the questions.
    open: Mutex<HashMap<u64, oneshot::Sender<ToRelay>>>,
    requests: AtomicU64,
}

impl Relay {
    /// There is a connection, which sends these messages.
    #[must_use]
    pub fn connected(&self, outgoing: mpsc::Sender<EdgeMessage>) -> Uplink {
        self.0.questions.set_connected(true);
        self.0.reports.connected();
        Uplink {
            relay: self.clone(),
            outgoing,
            serves: Notify::new(),
            open: Mutex::default(),
            requests: AtomicU64::new(0),
        }
    }
}

impl Uplink {
    /// Takes a message, and returns it unless it concerns the edges below alone.
    pub fn take(&self, message: ControlMessage) -> Option<ControlMessage> {
        match message {
            ControlMessage::Relay(message) => {
                self.receive(message);
                return None;
            }
            ControlMessage::UsageStored { boot, sequence } => {
                let is_below = self.relay.0.reports.stored(boot, sequence);
                return (!is_below).then_some(message);
            }
            ControlMessage::Heartbeat { looked, .. } => self.relay.looked(looked),
            ControlMessage::KeyCreated { hash } => self.relay.key_created(&hash),
            _ => {}
        }
        Some(message)
    }

    fn receive(&self, message: ToRelay) {
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
            } => relay.0.hub.refuse(&certificate, refusal),
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
                // The asker may have given up.
                let answer = self.open.lock().remove(&request);
                answer.map(|answer| answer.send(message));
            }
        }
    }

    /// Reports which edges below serve a change, once all do or the time is over.
    fn find_out(&self, request: u64, change: Change, patience: Duration) {
        let (relay, outgoing) = (self.relay.clone(), self.outgoing.clone());
        tokio::spawn(async move {
            let Reached {
                mut acknowledged,
                mut lagging,
            } = relay.0.hub.acknowledged(&change, patience).await;
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
                // Without a connection no answer is expected.
                drop(outgoing.send(EdgeMessage::Relay(part)).await);
            }
        });
    }

    /// Uploads the usage of the edges below, then calls `then`.
    pub fn flush(&self, then: impl FnOnce() + Send + 'static) {
        let relay = self.relay.clone();
        tokio::spawn(async move {
            relay.0.hub.flush(Duration::from_secs(5)).await;
            then();
        });
    }

    /// Sends the messages of the relay, for as long as the connection lasts.
    pub async fn run(&self) -> Infallible {
        // A server that has not accepted this edge as a relay takes everything that follows for a violation.
        if timeout(Duration::from_secs(10), self.serves.notified())
            .await
            .is_err()
        {
            tracing::warn!(
                "the server above does not know this edge as a relay; no other edge is served"
            );
            self.serves.notified().await;
        }
        let never = tokio::join!(self.ask(), self.ask_for_frames(), self.report_below());
        never.0
    }

    async fn ask(&self) -> Infallible {
        let mut asks = self.relay.0.asks.lock().await;
        loop {
            // The relay itself holds a sender.
            let Some(ask) = asks.recv().await else {
                return std::future::pending().await;
            };
            let request = self.requests.fetch_add(1, Ordering::Relaxed);
            if let Some(answer) = ask.answer {
                let mut open = self.open.lock();
                open.retain(|_, answer| !answer.is_closed());
                open.insert(request, answer);
            }
            self.send((ask.make)(request)).await;
        }
    }

    async fn ask_for_frames(&self) -> Infallible {
        let mut asked = AskedFor::at_most(REFILLS);
        loop {
            for env_id in asked.next(&self.relay.0.wanted).await {
                metrics::counter!("halyard_relay_refills_total").increment(1);
                drop(self.outgoing.send(EdgeMessage::Resync { env_id }).await);
            }
        }
    }

    async fn report_below(&self) -> Infallible {
        let hub = &self.relay.0.hub;
        let mut reported: Option<Vec<EdgeBelow>> = None;
        let mut round_trips = Instant::now();
        loop {
            let below = hub.below();
            let is_news = reported
                .as_deref()
                .is_none_or(|before| differ(before, &below));
            // Round-trip times alone are reported this often.
            if is_news || round_trips.elapsed() >= Duration::from_secs(30) {
                round_trips = Instant::now();
                for (edges, is_last) in parts_of(EDGES_OF_A_PART, &below) {
                    self.send(RelayMessage::Below { edges, is_last }).await;
                }
                reported = Some(below);
            }
            if timeout(Duration::from_secs(5), hub.roster_changed())
                .await
                .is_ok()
            {
                // After an edge came or went, others may follow at once.
                sleep(Duration::from_millis(50)).await;
            }
        }
    }

    async fn send(&self, message: RelayMessage) {
        // The writer drains the queue for as long as the connection lasts.
        drop(self.outgoing.send(EdgeMessage::Relay(message)).await);
    }
}

/// A question that waits for an answer gets none.
impl Drop for Uplink {
    fn drop(&mut self) {
        self.relay.0.questions.set_connected(false);
        if let Ok(mut asks) = self.relay.0.asks.try_lock() {
            while asks.try_recv().is_ok() {}
        }
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
