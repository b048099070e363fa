//! Data regions: an edge never receives what does not belong to its own.

use std::fs;
use std::path::Path;

use harness::{Stack, User, eventually};
use reqwest::Method;
use serde_json::json;
use sqlx::{Connection, PgConnection};

use crate::scene::{FLAG, question};

/// An organization of a data region with a flag named after it; a key of its dev environment.
pub async fn organization(stack: &Stack, region: &str) -> (User, String) {
    let owner = stack.signup(region).await;
    let mut connection = PgConnection::connect(stack.database().url()).await.unwrap();
    sqlx::query("UPDATE organizations SET data_region = $1 WHERE id = $2::uuid")
        .bind(region)
        .bind(&owner.org_id)
        .execute(&mut connection)
        .await
        .unwrap();
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let marker = format!("marked-{region}");
    for key in [FLAG, &marker] {
        let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
        owner.create(&flags, flag).await;
    }
    let key = owner.api_key(&project.dev).await;
    (owner, key)
}

#[tokio::test]
async fn an_edge_of_a_region_never_receives_an_organization_of_another() {
    let mut stack = Stack::start().await;
    let (european, european_key) = organization(&stack, "eu").await;
    let (american, american_key) = organization(&stack, "us").await;
    let mut edge = stack.enrolled_edge_of("eu", &[]);
    edge.start().await;
    let mut on_demand = stack.enrolled_edge_of("eu", &[("EDGE_SUBSCRIBE", "on-demand")]);
    on_demand.start().await;

    for edge in [&edge, &on_demand] {
        let answer = edge.with_key(&european_key);
        answer.act("/v1/evaluate", question()).await;
        let answer = edge.with_key(&american_key);
        let refused = answer.post("/v1/evaluate", question()).await;
        refused.expect_status(401);
    }
    // Nor later, by a change.
    for owner in [&american, &european] {
        let project = owner.default_project().await;
        let flags = format!("/v1/projects/{}/flags", project.id);
        let flag = json!({"key": "later", "name": "Later", "flag_type": "boolean"});
        owner.create(&flags, flag).await;
    }
    let knows_later = json!({"flag_key": "later", "context": {"key": "user-1"}});
    for edge in [&mut edge, &mut on_demand] {
        eventually("the European change is served", async || {
            let sdk = edge.with_key(&european_key);
            let answer = sdk.post("/v1/evaluate", knows_later.clone()).await;
            (answer.body["reason"] != "NOT_FOUND").then_some(())
        })
        .await;
        let sdk = edge.with_key(&american_key);
        sdk.post("/v1/evaluate", question())
            .await
            .expect_status(401);

        edge.process.terminate();
        assert!(
            is_in(&edge.cache(), b"marked-eu"),
            "its own is in the cache"
        );
        assert!(!is_in(&edge.cache(), b"marked-us"), "the other is not");
    }
    // In reach of an edge without a region.
    let everywhere = stack.edge().await;
    let answer = everywhere.with_key(&american_key);
    answer.act("/v1/evaluate", question()).await;
}

/// Whether some file of a folder has these bytes.
pub fn is_in(folder: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(folder).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            is_in(&path, bytes)
        } else {
            let file = fs::read(path).unwrap();
            file.windows(bytes.len()).any(|window| window == bytes)
        }
    })
}

#[tokio::test]
async fn a_narrowed_edge_serves_nothing_from_its_cache_until_it_knows_what_is_its_own() {
    let mut stack = Stack::start().await;
    let (_, european_key) = organization(&stack, "eu").await;
    let (_, american_key) = organization(&stack, "us").await;
    let mut edge = stack.edge().await;
    let european = edge.with_key(&european_key);
    let american = edge.with_key(&american_key);
    for sdk in [&european, &american] {
        sdk.act("/v1/evaluate", question()).await;
    }
    assert!(edge.process.terminate().success());
    stack.control.kill();

    edge.process.set("EDGE_REGION", "eu");
    edge.start_unready().await;
    eventually("the edge has looked into its cache", async || {
        edge.process
            .log()
            .contains("cannot be used, starting")
            .then_some(())
    })
    .await;
    for sdk in [&european, &american] {
        let answer = sdk.post("/v1/evaluate", question()).await;
        assert!(answer.status == 503 || answer.status == 401, "{answer:?}");
    }
    stack.start_control().await;
    eventually("its own is served", async || {
        let request = european.request(Method::POST, "/v1/evaluate");
        let answer = european.try_send(request.json(&question())).await.ok()?;
        (answer.status == 200).then_some(())
    })
    .await;
    let answer = american.post("/v1/evaluate", question()).await;
    answer.expect_status(401);

    // What it stored since is its own.
    assert!(edge.process.terminate().success());
    assert!(!is_in(&edge.cache(), b"marked-us"));
    stack.control.kill();
    edge.start().await;
    european.act("/v1/evaluate", question()).await;
}
