//! As many control planes as a small machine can take; `HALYARD_TEST_CONTROLS` for another number.

use std::time::Instant;

use harness::eventually;
use serde_json::Value;

use super::{Fleet, asked, leader, tell};
use crate::scene::{eventually_serves, readiness, state_serving};

/// Few connections each, as beside so many others.
const SMALL: [(&str, &str); 2] = [
    ("DATABASE_CONNECTIONS", "4"),
    ("KEY_LOOKUP_CONNECTIONS", "1"),
];

fn number() -> usize {
    let number = std::env::var("HALYARD_TEST_CONTROLS").ok();
    number.map_or(6, |number| number.parse().expect("a number"))
}

#[tokio::test(flavor = "multi_thread")]
async fn many_control_planes_are_one_service() {
    let started = Instant::now();
    let fleet = Fleet::start_with(number(), &SMALL, None).await;
    tell("started", started);
    let (urls, owner) = (fleet.urls(), &fleet.scene.owner);
    leader(&fleet.admins()).await;

    // What is written at one is seen at all.
    for (number, url) in urls.iter().enumerate() {
        let value = format!("v-{number}");
        owner
            .at(url)
            .change(&fleet.scene.state_path(), state_serving(&value))
            .await;
        for other in &urls {
            eventually_serves(&owner.at(other).with_key(&fleet.scene.key), &value).await;
        }
        eventually_serves(&fleet.sdk(), &value).await;
    }
    tell("a change through each was seen at all", started);

    let session = owner.sign_in_again().await;
    for url in &urls {
        session.at(url).get("/v1/projects").await.expect_status(200);
    }
    let last = urls.last().unwrap();
    session.at(last).act("/v1/auth/logout", Value::Null).await;
    for url in &urls {
        let refused = session.at(url).get("/v1/projects").await;
        refused.expect_error(401, "invalid or expired token");
    }

    for (url, field, value) in [
        (&urls[0], "scheduled_disable_at", "off"),
        (
            last,
            "scheduled_enable_at",
            &*format!("v-{}", urls.len() - 1),
        ),
    ] {
        let due = fleet.schedule(url, field).await;
        fleet.takes_effect(url, due, value).await;
    }
    fleet.told_once(2).await;

    let _printed = fleet
        .scene
        .stack
        .halyard(&["edge", "revoke", &fleet.edge.name]);
    let revoked = Instant::now();
    eventually("no control plane lets the edge in", async || {
        (readiness(&fleet.edge).await["link"] == "revoked").then_some(())
    })
    .await;
    tell("the edge was out", revoked);
    for admin in fleet.admins() {
        let edges = asked(&admin, "/edges").await.unwrap();
        let named = edges.as_array().unwrap();
        assert!(
            named.iter().all(|edge| edge["name"] != *fleet.edge.name),
            "{edges}"
        );
    }

    let all = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database()";
    let memory = fleet.scene.stack.control.resident_bytes().unwrap_or(0) >> 20;
    println!("{} connections, {memory} MiB", fleet.count(all).await);
}
