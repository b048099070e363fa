//! Data regions below relays: no edge receives what does not belong to its own.

use harness::{Edge, Stack, User, eventually};
use serde_json::json;

use crate::{
    regions::{is_in, organization},
    scene::question,
};

/// An organization in each of two regions.
struct Regions {
    stack: Stack,
    european: (User, String),
    american: (User, String),
}

impl Regions {
    async fn start() -> Self {
        let stack = Stack::start().await;
        let european = organization(&stack, "eu").await;
        let american = organization(&stack, "us").await;
        Self {
            stack,
            european,
            american,
        }
    }

    async fn relay(&mut self, region: Option<&str>) -> Edge {
        let quic = self.stack.quic().to_owned();
        let mut relay = self.stack.enrolled_relay_below(&[&quic], region);
        relay.start().await;
        relay
    }

    /// An edge of a region below a relay; it does not run yet.
    fn edge_of(&mut self, region: &str, relay: &Edge) -> Edge {
        let address = relay.relay_address();
        self.stack
            .enrolled_edge_of(region, &[("EDGE_UPSTREAM", &address)])
    }

    /// What is European is served, now and after changes in both regions, and nothing else is in the cache.
    async fn holds_european_alone(&self, edge: &mut Edge) {
        let own = edge.with_key(&self.european.1);
        let other = edge.with_key(&self.american.1);
        own.act("/v1/evaluate", question()).await;
        let refused = other.post("/v1/evaluate", question()).await;
        refused.expect_status(401);

        let key = format!("later-{}", edge.name);
        for (owner, _) in [&self.american, &self.european] {
            let project = owner.default_project().await;
            let flags = format!("/v1/projects/{}/flags", project.id);
            let flag = json!({"key": key, "name": "Later", "flag_type": "boolean"});
            owner.create(&flags, flag).await;
        }
        let knows_later = json!({"flag_key": key, "context": {"key": "user-1"}});
        eventually("the European change is served", async || {
            let answer = own.post("/v1/evaluate", knows_later.clone()).await;
            (answer.body["reason"] != "NOT_FOUND").then_some(())
        })
        .await;
        let refused = other.post("/v1/evaluate", question()).await;
        refused.expect_status(401);

        edge.process.terminate();
        assert!(is_in(&edge.cache(), b"marked-eu"), "its own is there");
        assert!(!is_in(&edge.cache(), b"marked-us"), "the other is not");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn below_a_relay_of_a_region_edges_hold_what_belongs_to_it() {
    let mut regions = Regions::start().await;
    let mut relay = regions.relay(Some("eu")).await;
    let mut leaf = regions.edge_of("eu", &relay);
    leaf.start().await;
    regions.holds_european_alone(&mut leaf).await;

    // One that may hold everything, and wants no more than the relay has.
    let address = relay.relay_address();
    let mut narrowed = regions
        .stack
        .enrolled_edge_below(&[&address], &[("EDGE_REGION", "eu")]);
    narrowed.start().await;
    regions.holds_european_alone(&mut narrowed).await;
    regions.holds_european_alone(&mut relay).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_of_a_region_refuses_edges_of_others_and_of_all() {
    let mut regions = Regions::start().await;
    let relay = regions.relay(Some("eu")).await;
    let american = regions.edge_of("us", &relay);
    let address = relay.relay_address();
    let of_all = regions.stack.enrolled_edge_below(&[&address], &[]);
    for mut edge in [american, of_all] {
        edge.start_unready().await;
        eventually("it is told why", async || {
            let log = edge.process.log();
            log.contains("region outside").then_some(())
        })
        .await;
        assert_eq!(edge.admin().get("/ready").await.status, 503);
        for (_, key) in [&regions.european, &regions.american] {
            let answer = edge.with_key(key).post("/v1/evaluate", question()).await;
            assert_eq!(answer.status, 503);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn below_a_relay_of_all_regions_an_edge_gets_those_of_its_own() {
    let mut regions = Regions::start().await;
    let relay = regions.relay(None).await;
    let mut leaf = regions.edge_of("eu", &relay);
    leaf.start().await;
    let address = relay.relay_address();
    let everywhere = regions.stack.edge_below(&[&address]).await;
    regions.holds_european_alone(&mut leaf).await;

    let mut on_demand = regions.edge_of("eu", &relay);
    on_demand.process.set("EDGE_SUBSCRIBE", "on-demand");
    on_demand.start().await;
    regions.holds_european_alone(&mut on_demand).await;

    for (_, key) in [&regions.european, &regions.american] {
        let sdk = everywhere.with_key(key);
        sdk.act("/v1/evaluate", question()).await;
    }
}
