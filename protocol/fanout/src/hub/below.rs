//! Relays among the connected edges, and the edges below them.
//!
//! A relay acknowledges for everything below it, so nothing here is needed for a write that waits. It is for those who
//! want to know each edge by its name, and for certificates that are no longer accepted.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::Duration,
};

use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    wire::relay::{EdgeBelow, Fingerprint, Refusal, ToRelay},
};
use time::OffsetDateTime;
use tokio::{
    sync::{Notify, oneshot},
    time::timeout,
};

use super::{
    Hub, Interest,
    fleet::Identity,
    state::{Connected, State},
    subscription::Subscription,
};
use crate::{Change, ConnectedEdge, PresentEdge, Reached};

/// A relay stops waiting for its edges this much earlier than who asks it: time for the answer.
const TRANSIT: Duration = Duration::from_millis(100);
/// How often it is looked whether a relay has caught up with what stopped being owed to it.
const LOOK: Duration = Duration::from_millis(100);

/// What a connected relay said of the edges below it.
#[derive(Debug, Default)]
pub(super) struct Below {
    edges: Vec<EdgeBelow>,
}

/// Questions to relays that are not answered yet.
#[derive(Debug, Default)]
pub(super) struct Questions {
    last: u64,
    open: HashMap<u64, Question>,
}

#[derive(Debug)]
struct Question {
    connection: u64,
    heard: Reached,
    answer: oneshot::Sender<Reached>,
}

impl Below {
    pub(super) fn certificates(&self) -> impl Iterator<Item = Fingerprint> {
        self.edges.iter().map(|edge| edge.certificate)
    }

    pub(super) fn contains(&self, certificate: &Fingerprint) -> bool {
        self.edges
            .iter()
            .any(|edge| edge.certificate == *certificate)
    }

    pub(super) fn present(&self) -> impl Iterator<Item = PresentEdge> {
        self.edges.iter().map(|edge| PresentEdge {
            name: edge.name.clone(),
            region: edge.region.clone(),
        })
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.edges.iter().map(|edge| edge.name.as_str())
    }

    /// The edges as reported, with the relay that each is connected to. What each environment is at is known to that
    /// relay alone.
    pub(super) fn report(&self, relay: &Identity) -> impl Iterator<Item = ConnectedEdge> {
        self.edges.iter().map(|edge| ConnectedEdge {
            name: edge.name.clone(),
            region: edge.region.clone(),
            build: edge.build.clone(),
            since: OffsetDateTime::from_unix_timestamp_nanos(i128::from(edge.since_ms) * 1_000_000)
                .unwrap_or(OffsetDateTime::UNIX_EPOCH),
            rtt_ms: rtt_ms(edge.rtt_us),
            streams: edge.streams,
            environments: Vec::new(),
            held: edge.held as usize,
            behind: edge.behind as usize,
            via: Some(edge.via.clone().unwrap_or_else(|| relay.name.clone())),
        })
    }
}

impl Hub {
    /// The connected edges and those below them, as a relay tells whoever feeds it.
    pub fn below(&self) -> Vec<EdgeBelow> {
        let state = self.state();
        let mut edges = Vec::new();
        for connected in state.connected.values() {
            edges.extend(state.describe(connected));
            let further = connected.below.iter().flat_map(|below| &below.edges);
            edges.extend(further.map(|edge| EdgeBelow {
                via: Some(via(edge, &connected.identity)),
                ..edge.clone()
            }));
        }
        edges.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        edges
    }

    /// Waits until an edge comes or goes, here or below a relay.
    pub async fn roster_changed(&self) {
        self.roster.notified().await;
    }

    /// A key was created somewhere: negative answers about it may no longer hold.
    pub fn tell_new_key(&self, hash: &KeyHash) {
        for connected in self.state().connected.values() {
            if connected.asks_for_keys() {
                connected.signals.new_key(*hash);
            }
        }
    }

    /// What the edges below relays say of a change: those that do not serve it are waited for, at most for `patience`.
    /// Relays that were asked before are not asked again.
    pub(super) async fn reached_below(
        &self,
        change: &Change,
        patience: Duration,
        before: &mut HashSet<u64>,
    ) -> Reached {
        let mut asked = Vec::new();
        let patience_ms = millis(patience - TRANSIT.min(patience / 2));
        {
            let state = &mut *self.state();
            let relays: Vec<u64> = state.relays_concerned(change);
            for connection in relays {
                if !before.insert(connection) {
                    continue;
                }
                asked.push(state.ask(connection, change, patience_ms));
            }
        }
        let mut reached = Reached::default();
        let answers = asked.into_iter().map(|asked| async move {
            let answer = timeout(patience, asked.answer).await;
            (
                asked.number,
                answer.map_err(|_| ()).and_then(|a| a.map_err(|_| ())),
                asked.silent,
            )
        });
        for (number, answer, silent) in futures_util::future::join_all(answers).await {
            self.state().questions.open.remove(&number);
            // Of a relay that does not answer nobody can say what is served below it.
            reached.merge(answer.unwrap_or(Reached {
                acknowledged: Vec::new(),
                lagging: silent,
            }));
        }
        reached
    }
}

/// A question to one relay.
struct Asked {
    number: u64,
    answer: oneshot::Receiver<Reached>,
    /// The edges below it.
    silent: Vec<String>,
}

impl Connected {
    /// Its name, and those of the edges below it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let below = self.below.iter().flat_map(Below::names);
        std::iter::once(self.identity.name.as_str()).chain(below)
    }

    /// Whether it looks up keys that it does not know, itself or for edges below it.
    pub(super) fn asks_for_keys(&self) -> bool {
        self.subscriber.interest() == Interest::Named || self.below.is_some()
    }
}

impl State {
    fn describe(&self, connected: &Connected) -> Option<EdgeBelow> {
        let certificate = connected.fingerprint?;
        let counts = connected.subscriber.counts();
        let identity = &connected.identity;
        let vitals = &connected.signals.vitals;
        let small = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        let since_ms = identity.since.unix_timestamp_nanos() / 1_000_000;
        Some(EdgeBelow {
            certificate,
            name: identity.name.clone(),
            region: identity.region.clone(),
            build: identity.build.clone(),
            since_ms: i64::try_from(since_ms).unwrap_or(i64::MAX),
            rtt_us: vitals.rtt_us(),
            streams: vitals.streams(),
            held: small(counts.held),
            behind: small(counts.behind),
            via: None,
        })
    }

    /// A connection has ended: what it was asked has no answer.
    pub(super) fn answers_no_more(&mut self, connection: u64) {
        let open = &mut self.questions.open;
        open.retain(|_, question| question.connection != connection);
    }

    /// The relays below which there are edges that may have a part in the change.
    fn relays_concerned(&self, change: &Change) -> Vec<u64> {
        let relays = self.connected.iter().filter(|(_, connected)| {
            let has_edges = connected
                .below
                .as_ref()
                .is_some_and(|below| !below.edges.is_empty());
            has_edges && self.has_part(connected, change)
        });
        relays.map(|(id, _)| *id).collect()
    }

    fn ask(&mut self, connection: u64, change: &Change, patience_ms: u32) -> Asked {
        self.questions.last += 1;
        let number = self.questions.last;
        let (answer, answered) = oneshot::channel();
        let question = Question {
            connection,
            heard: Reached::default(),
            answer,
        };
        let mut silent = Vec::new();
        if let Some(connected) = self.connected.get(&connection) {
            silent.extend(
                connected
                    .below
                    .iter()
                    .flat_map(Below::names)
                    .map(str::to_owned),
            );
            let is_sent = connected.signals.tell_relay(ToRelay::AskReached {
                request: number,
                version: change.version,
                environments: change.environments.clone(),
                patience_ms,
            });
            // Otherwise the sender is dropped, which is an answer too.
            if is_sent {
                self.questions.open.insert(number, question);
            }
        }
        Asked {
            number,
            answer: answered,
            silent,
        }
    }

    /// The versions that an edge is owed, and will be sent: all that is newer than what it serves, and what it has to drop.
    fn owed(&self, id: u64) -> Vec<(EnvId, Option<Version>)> {
        let Some(connected) = self.connected.get(&id) else {
            return Vec::new();
        };
        let owed = connected.subscriber.owed(&self.listing);
        owed.filter(|(env_id, _)| !self.left_out.contains(*env_id))
            .collect()
    }

    fn is_still_owed(&self, id: u64, env_id: EnvId, version: Option<Version>) -> bool {
        let Some(connected) = self.connected.get(&id) else {
            return false;
        };
        let listed = self.listing.get(env_id);
        let edge = &connected.subscriber;
        match (version, listed) {
            (Some(version), Some(listed)) => {
                !self.left_out.contains(env_id)
                    && edge.serves(env_id, version.min(listed.version), Some(listed)) == Some(false)
            }
            _ => edge.is_owed_removal(env_id),
        }
    }
}

impl Subscription {
    /// Messages for a relay, as the hub has them. Cancellation safe.
    pub(crate) async fn next_for_relay(&self) -> ToRelay {
        self.signals.next_for_relay().await
    }

    /// The edges below this relay, in place of those told before.
    pub(crate) fn set_below(&self, edges: Vec<EdgeBelow>) {
        let mut state = self.hub.state();
        let state = &mut *state;
        if let Some(connected) = state.connected.get_mut(&self.id) {
            // They have come back, if they were missing.
            edges
                .iter()
                .for_each(|edge| state.missing.found(&edge.name));
            connected.below = Some(Below { edges });
            state.waits.wake_all();
            self.hub.roster.notify_one();
        }
    }

    /// A part of the relay's answer.
    pub(crate) fn heard_below(&self, request: u64, part: Reached, is_last: bool) {
        let mut state = self.hub.state();
        let Some(question) = state.questions.open.get_mut(&request) else {
            return;
        };
        if question.connection != self.id {
            return;
        }
        question.heard.merge(part);
        if is_last && let Some(question) = state.questions.open.remove(&request) {
            // Whoever asked may have given up.
            drop(question.answer.send(question.heard));
        }
    }

    /// Waits until the edge serves everything that is listed now.
    pub(crate) async fn caught_up(&self) {
        let mut owed = self.hub.state().owed(self.id);
        loop {
            let settled: Arc<Notify> = Arc::clone(&self.signals.settled);
            {
                let state = self.hub.state();
                owed.retain(|(env_id, version)| state.is_still_owed(self.id, *env_id, *version));
            }
            if owed.is_empty() {
                return;
            }
            // What is left out, or gone, is no longer owed without a word from the edge.
            drop(timeout(LOOK, settled.notified()).await);
        }
    }

    /// The data regions of everything that is listed.
    pub(crate) fn regions(&self) -> Vec<(Arc<str>, Vec<EnvId>)> {
        let state = self.hub.state();
        let mut regions: HashMap<Arc<str>, Vec<EnvId>> = HashMap::new();
        for (env_id, listed) in state.listing.iter() {
            let environments = regions.entry(Arc::clone(&listed.region)).or_default();
            environments.push(env_id);
        }
        regions.into_iter().collect()
    }

    /// The data region of an environment, if it is listed.
    pub(crate) fn region(&self, env_id: EnvId) -> Option<Arc<str>> {
        let state = self.hub.state();
        let listed = state.listing.get(env_id)?;
        Some(Arc::clone(&listed.region))
    }
}

/// Whether a message about a refused certificate was taken by the relay that its edge is below.
pub(super) fn dismiss(connected: &Connected, certificate: &Fingerprint, refusal: Refusal) {
    let is_below = connected
        .below
        .as_ref()
        .is_some_and(|below| below.contains(certificate));
    if is_below {
        // If there is no room it is told the next time that certificates are checked.
        let _is_told = connected.signals.tell_relay(ToRelay::Dismiss {
            certificate: *certificate,
            refusal,
        });
    }
}

fn via(edge: &EdgeBelow, relay: &Identity) -> String {
    edge.via.clone().unwrap_or_else(|| relay.name.clone())
}

#[expect(
    clippy::cast_precision_loss,
    reason = "a round trip of 2^53 microseconds is none"
)]
fn rtt_ms(rtt_us: u64) -> Option<f64> {
    (rtt_us > 0).then(|| rtt_us as f64 / 1_000.0)
}

fn millis(time: Duration) -> u32 {
    u32::try_from(time.as_millis()).unwrap_or(u32::MAX)
}
