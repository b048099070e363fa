//! Relays among the connected edges, and the edges below them.
//!
//! A relay acknowledges for everything below it, so nothing here is needed for a write that waits. It is for those who
//! want to know each edge by its name, and for certificates that are no longer accepted.

use std::{collections::HashMap, pin::pin, sync::Arc, time::Duration};

use protocol::{
    ids::EnvId,
    snapshot::{KeyHash, Version},
    wire::relay::{EdgeBelow, Fingerprint, MAX_BELOW, Refusal, ToRelay},
};
use time::OffsetDateTime;
use tokio::time::timeout;

use super::{
    Hub, Interest,
    fleet::{Identity, rtt_ms},
    state::{Connected, State},
    subscriber::Subscriber,
    subscription::Subscription,
};
use crate::{ConnectedEdge, PresentEdge};

/// What a connected relay said of the edges below it.
#[derive(Debug, Default)]
pub(super) struct Below {
    edges: Vec<EdgeBelow>,
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

    pub(super) fn has_edges(&self) -> bool {
        !self.edges.is_empty()
    }

    fn present(&self) -> impl Iterator<Item = PresentEdge> {
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
            via: Some(via(edge, relay)),
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
        // More are not admitted; those below several relays may have come at the same time.
        edges.truncate(MAX_BELOW);
        edges
    }

    /// The connected edges and those below them by name, and whether each holds all environments of its regions, as far as its
    /// numbers tell.
    pub fn roster(&self) -> Vec<(String, bool)> {
        let state = self.state();
        let mut roster = Vec::with_capacity(state.connected.len());
        for connected in state.connected.values() {
            let edge = &connected.subscriber;
            let holds_all = edge.interest() == Interest::All;
            roster.push((connected.identity.name.clone(), holds_all));
            let held = edge.counts().held;
            let below = connected.below.iter().flat_map(|below| &below.edges);
            roster.extend(below.map(|edge| (edge.name.clone(), edge.held as usize == held)));
        }
        roster
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
}

impl Connected {
    /// Its name, and those of the edges below it.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let below = self.below.iter().flat_map(Below::names);
        std::iter::once(self.identity.name.as_str()).chain(below)
    }

    /// It, and the edges below it.
    pub(super) fn present(&self) -> impl Iterator<Item = PresentEdge> {
        let this = PresentEdge {
            name: self.identity.name.clone(),
            region: self.identity.region.clone(),
        };
        std::iter::once(this).chain(self.below.iter().flat_map(Below::present))
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

    /// The versions that an edge is owed, and will be sent: all that is newer than what it serves, and what it has to drop.
    pub(super) fn owed(&self, id: u64) -> Vec<(EnvId, Option<Version>)> {
        let Some(connected) = self.connected.get(&id) else {
            return Vec::new();
        };
        let owed = connected.subscriber.owed(&self.listing);
        owed.filter(|(env_id, _)| !self.left_out.contains(*env_id))
            .collect()
    }

    /// Whether nothing of this is owed any more; what is not is taken away. `None` without a connection. However often it
    /// is asked, everything is looked at once, and one of them each time.
    pub(super) fn owes_none_of(
        &self,
        id: u64,
        owed: &mut Vec<(EnvId, Option<Version>)>,
    ) -> Option<bool> {
        let edge = &self.connected.get(&id)?.subscriber;
        while let Some((env_id, version)) = owed.last() {
            if self.is_still_owed(edge, *env_id, *version) {
                return Some(false);
            }
            owed.pop();
        }
        Some(true)
    }

    fn is_still_owed(&self, edge: &Subscriber, env_id: EnvId, version: Option<Version>) -> bool {
        let listed = self.listing.get(env_id);
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
        let mut held = self.hub.state();
        let state = &mut *held;
        let Some(connected) = state.connected.get_mut(&self.id) else {
            return;
        };
        // They have come back, if they were missing.
        edges
            .iter()
            .for_each(|edge| state.missing.found(&edge.name));
        let before = connected.below.replace(Below { edges });
        state.waits.wake_all();
        drop(held);
        // There may be thousands.
        drop(before);
        self.hub.roster.notify_one();
    }

    /// Waits until the edge serves everything that is listed now. Pending for ever once the hub has ended the session.
    pub(crate) async fn caught_up(&self) {
        let mut owed = self.hub.state().owed(self.id);
        loop {
            let mut settled = pin!(self.signals.settled.notified());
            // Before looking, so that nothing is missed between that and waiting.
            settled.as_mut().enable();
            let owes_none = self.hub.state().owes_none_of(self.id, &mut owed);
            match owes_none {
                None => std::future::pending().await,
                Some(true) => return,
                Some(false) => {}
            }
            // What is left out, or gone, is no longer owed without a word from the edge.
            drop(timeout(Duration::from_millis(100), settled).await);
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
        let _is_told = connected.signals.send_to_relay(ToRelay::Dismiss {
            certificate: *certificate,
            refusal,
        });
    }
}

fn via(edge: &EdgeBelow, relay: &Identity) -> String {
    edge.via.clone().unwrap_or_else(|| relay.name.clone())
}
