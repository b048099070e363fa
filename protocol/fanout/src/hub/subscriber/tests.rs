use uuid::Uuid;

use super::*;

const ENV: EnvId = EnvId::new(Uuid::from_u128(1));
const US: &str = "us";

/// An edge, and the listing that goes with it.
struct Edge {
    listing: Listing,
    edge: Subscriber,
}

fn edge() -> Edge {
    Edge::new(Regions::All, Interest::All)
}

impl Edge {
    fn new(regions: Regions, interest: Interest) -> Self {
        let listing = Listing::default();
        let edge = Subscriber::greet(regions, interest, &[], &listing);
        Self { listing, edge }
    }

    /// It held this version when it greeted, of an environment that is its own.
    fn greet(&mut self, env_id: EnvId, held: Option<Version>) {
        let region = self.edge.regions().only().unwrap_or(US);
        self.listing
            .insert(env_id, held.unwrap_or(0), &region.into(), None);
        self.edge.greet_with(env_id, held, self.listing.get(env_id));
    }

    fn list(&mut self, env_id: EnvId, region: &str, current: Version) {
        let before = self.listing.insert(env_id, current, &region.into(), None);
        let now = self.listing.get(env_id).unwrap();
        self.edge.list(env_id, before.as_ref(), now);
    }

    fn unlist(&mut self, env_id: EnvId) {
        let before = self.listing.remove(env_id);
        self.edge.unlist(env_id, before.as_ref(), None);
    }

    /// What is listed of the environment, which has come to `current` if that was not heard yet.
    fn listed(&mut self, env_id: EnvId, current: Option<Version>) -> Option<Listed> {
        let listed = self.listing.get(env_id).cloned();
        if let (Some(listed), Some(current)) = (&listed, current)
            && listed.version < current
        {
            self.list(env_id, &listed.region, current);
        }
        let listed = self.listing.get(env_id).cloned();
        assert_eq!(listed.as_ref().map(|listed| listed.version), current);
        listed
    }

    fn settle(&mut self, env_id: EnvId, version: Version, current: Option<Version>) {
        let listed = self.listed(env_id, current);
        self.edge.settle(env_id, version, listed.as_ref());
    }

    fn retry(&mut self, env_id: EnvId, current: Option<Version>) {
        let listed = self.listed(env_id, current);
        self.edge.retry(env_id, listed.as_ref());
    }

    fn adopt(&mut self, env_id: EnvId, region: &str, held: Version, current: Version) {
        self.list(env_id, region, current);
        let listed = self.listing.get(env_id).unwrap();
        self.edge.adopt(env_id, held, listed);
    }

    fn lose(&mut self, env_id: EnvId) -> Option<u32> {
        self.edge.lose(env_id, self.listing.get(env_id))
    }

    fn name(&mut self, env_id: EnvId) {
        self.edge.name(env_id, self.listing.get(env_id).unwrap());
    }

    fn forget(&mut self, env_id: EnvId) {
        self.edge.forget(env_id, self.listing.get(env_id));
    }

    fn send(&mut self, env_id: EnvId, version: Version) {
        self.edge.send(env_id, version);
    }

    fn take_update(&mut self) -> Option<Work> {
        self.edge.take_update(&self.listing)
    }

    fn take_whole(&mut self) -> Option<Work> {
        self.edge.take_whole(&self.listing)
    }

    fn has_updates(&self) -> bool {
        self.edge.has_updates()
    }

    fn give_up(&mut self, env_id: EnvId) {
        self.edge.give_up(env_id, self.listing.get(env_id));
    }

    fn is_rejection(&self, env_id: EnvId, version: Version) -> bool {
        self.edge.is_rejection(env_id, version)
    }

    fn is_awaited(&self, env_id: EnvId, version: Version) -> bool {
        self.edge
            .is_awaited(env_id, version, self.listing.get(env_id))
    }

    fn is_awaited_gone(&self, env_id: EnvId) -> bool {
        self.edge.is_awaited_gone(env_id)
    }

    /// Whether it holds or awaits the environment.
    fn has_part_in(&self, env_id: EnvId) -> bool {
        self.edge
            .holding(env_id, self.listing.get(env_id))
            .is_some()
    }
}

fn contents(base: Option<Version>) -> Option<Work> {
    Some(Work::Contents { env_id: ENV, base })
}

#[test]
fn only_one_message_about_an_environment_is_on_its_way() {
    let mut edge = edge();
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert_eq!(edge.take_update(), contents(Some(1)));
    edge.list(ENV, US, 3);
    edge.list(ENV, US, 4);
    assert_eq!(edge.take_update(), None);

    edge.settle(ENV, 2, Some(4));
    assert_eq!(edge.take_update(), contents(Some(2)));
    edge.settle(ENV, 4, Some(4));
    assert_eq!(edge.take_update(), None);
}

#[test]
fn whole_environments_do_not_hold_up_updates() {
    let mut edge = edge();
    let other = EnvId::new(Uuid::from_u128(2));
    edge.greet(other, Some(1));
    edge.list(ENV, US, 7);
    edge.list(other, US, 2);
    assert_eq!(
        edge.take_update(),
        Some(Work::Contents {
            env_id: other,
            base: Some(1)
        })
    );
    assert_eq!(edge.take_whole(), contents(None));
}

#[test]
fn what_could_not_be_used_is_sent_whole() {
    let mut edge = edge();
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert_eq!(edge.take_update(), contents(Some(1)));
    assert_eq!(edge.lose(ENV), Some(1));
    assert_eq!(edge.lose(ENV), None);
    edge.retry(ENV, Some(2));
    assert_eq!(edge.take_whole(), contents(None));
    assert_eq!(edge.lose(ENV), Some(2));
    edge.retry(ENV, Some(2));
    assert_eq!(edge.take_whole(), contents(None));
    edge.settle(ENV, 2, Some(2));
    assert_eq!(edge.lose(ENV), Some(1));
}

#[test]
fn an_edge_that_stays_where_it_is_rejects_what_it_was_sent() {
    let mut edge = edge();
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 3);
    assert_eq!(edge.take_update(), contents(Some(1)));
    edge.send(ENV, 3);
    assert!(edge.is_rejection(ENV, 1));
    assert!(!edge.is_rejection(ENV, 3));
    edge.settle(ENV, 3, Some(3));
    assert!(!edge.is_rejection(ENV, 1));
}

#[test]
fn a_removal_is_told_after_what_was_on_its_way_and_then_forgotten() {
    let mut edge = edge();
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert_eq!(edge.take_update(), contents(Some(1)));
    edge.unlist(ENV);
    assert!(edge.is_awaited_gone(ENV));

    edge.settle(ENV, 2, None);
    assert_eq!(edge.take_update(), Some(Work::Removal { env_id: ENV }));
    assert!(edge.is_awaited_gone(ENV));
    edge.settle(ENV, 0, None);
    assert!(!edge.is_awaited_gone(ENV) && !edge.has_part_in(ENV));
}

#[test]
fn another_region_is_never_offered() {
    let mut edge = Edge::new(Regions::Only("eu".into()), Interest::All);
    edge.list(ENV, US, 1);
    assert!(!edge.has_part_in(ENV));
    edge.list(ENV, "eu", 1);
    assert_eq!(edge.take_whole(), contents(None));
}

#[test]
fn an_organization_that_moves_away_is_removed() {
    let mut edge = Edge::new(Regions::Only("eu".into()), Interest::All);
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert_eq!(edge.take_update(), Some(Work::Removal { env_id: ENV }));
}

#[test]
fn an_organization_that_comes_back_while_it_is_removed_is_sent_whole() {
    let mut edge = Edge::new(Regions::Only("eu".into()), Interest::All);
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert_eq!(edge.take_update(), Some(Work::Removal { env_id: ENV }));
    edge.list(ENV, "eu", 3);
    edge.settle(ENV, 0, Some(3));
    assert_eq!(edge.take_whole(), contents(None));
}

#[test]
fn an_edge_on_demand_hears_only_of_what_was_named() {
    let mut edge = Edge::new(Regions::All, Interest::Named);
    edge.list(ENV, US, 1);
    assert!(!edge.has_part_in(ENV));
    edge.name(ENV);
    edge.list(ENV, US, 1);
    assert_eq!(edge.take_whole(), contents(None));
}

#[test]
fn a_write_waits_for_edges_that_serve_something_older() {
    let mut edge = edge();
    assert!(!edge.is_awaited(ENV, 2));
    edge.greet(ENV, None);
    assert!(
        !edge.is_awaited(ENV, 2),
        "an edge that is starting answers that it is not ready"
    );
    edge.list(ENV, US, 1);
    assert_eq!(edge.take_whole(), contents(None));
    edge.send(ENV, 1);
    assert!(
        edge.is_awaited(ENV, 2),
        "it is about to serve what was sent"
    );
    assert!(!edge.is_awaited(ENV, 1));
    edge.settle(ENV, 1, Some(1));
    assert!(edge.is_awaited(ENV, 2));
    edge.give_up(ENV);
    assert!(!edge.is_awaited(ENV, 2));
    edge.settle(ENV, 1, Some(1));
    assert!(edge.is_awaited(ENV, 2), "it has answered since");
    edge.settle(ENV, 2, Some(2));
    assert!(!edge.is_awaited(ENV, 2));
}

#[test]
fn a_new_environment_is_awaited_at_an_edge_that_wants_all() {
    let mut edge = edge();
    edge.list(ENV, US, 1);
    assert!(edge.is_awaited(ENV, 1));
}

#[test]
fn what_an_edge_on_demand_forgot_is_adopted_when_it_serves_it_again() {
    let mut edge = Edge::new(Regions::Only(US.into()), Interest::Named);
    edge.list(ENV, US, 1);
    edge.name(ENV);
    assert_eq!(edge.take_whole(), contents(None));
    edge.list(ENV, US, 2);
    edge.forget(ENV);
    edge.list(ENV, US, 3);
    assert_eq!((edge.take_whole(), edge.take_update()), (None, None));

    // The whole environment was in flight when the edge dropped it.
    edge.adopt(ENV, US, 1, 3);
    assert_eq!(edge.take_update(), contents(Some(1)));
    edge.adopt(ENV, US, 9, 9);
    assert_eq!(edge.take_update(), None, "known already");
    let other = EnvId::new(Uuid::from_u128(2));
    edge.adopt(other, "eu", 1, 3);
    assert_eq!(edge.take_update(), None, "not of its regions");
}

#[test]
fn a_forgotten_environment_leaves_the_queues() {
    let mut edge = Edge::new(Regions::All, Interest::Named);
    edge.greet(ENV, Some(1));
    edge.list(ENV, US, 2);
    assert!(edge.has_updates());
    edge.forget(ENV);
    assert!(!edge.has_updates());
}
