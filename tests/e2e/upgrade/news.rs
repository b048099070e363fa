//! What this release adds, while parts of the previous one still run.

use harness::{
    Edge, eventually,
    places::Release::{Current, Previous},
};
use serde_json::{Value, json};

use super::{Mixed, is_left_out, metric};
use crate::scene::{FLAG, eventually_serves, question, state_serving, value_at};

#[tokio::test(flavor = "multi_thread")]
async fn a_part_that_edges_before_do_not_know_is_refused_by_them_until_they_are_upgraded() {
    if is_left_out() {
        return;
    }
    let mut mixed = Mixed::start(&[]).await;
    let quic = mixed.control.quic.clone();
    let mut old = mixed.scene.stack.enrolled_edge_below(&[&quic], &[]);
    old.process.install(Previous);
    old.start().await;
    let new = mixed.scene.stack.edge_below(&[&quic]).await;
    mixed.scene.stack.control.kill();
    mixed.scene.edge.process.kill();

    let owner = mixed.owner_at(Current);
    let mut state = state_serving("kept users");
    state["bucketing"] = json!({"algorithm": "unleash", "group_id": "group"});
    owner.change(&mixed.scene.state_path(), state).await;
    eventually_serves(&new.with_key(&mixed.scene.key), "kept users").await;
    eventually("the edge before refuses it", async || {
        let refused = metric(&old.admin(), "halyard_edge_refused_frames_total").await;
        (refused == 1.0).then_some(())
    })
    .await;
    assert_eq!(value_at(&old.with_key(&mixed.scene.key)).await, "v0");

    old.process.terminate();
    old.process.install(Current);
    old.start().await;
    mixed.all_serve(&[&old, &new], "kept users").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn control_planes_before_serve_archived_flags_until_they_are_replaced_and_then_all_agree() {
    if is_left_out() {
        return;
    }
    let mut mixed = Mixed::start(&[]).await;
    let stack = &mut mixed.scene.stack;
    let upstream = [stack.quic().to_owned(), mixed.control.quic.clone()];
    let moving = stack.edge_below(&[&upstream[0], &upstream[1]]).await;
    let new = stack.edge_below(&[&upstream[1]]).await;
    let at = async |edge: &Edge, reason: &str| {
        let sdk = edge.with_key(&mixed.scene.key);
        eventually(&format!("{} says {reason}", edge.name), async || {
            let answer = sdk.act("/v1/evaluate", question()).await;
            (answer.body["reason"] == reason).then_some(())
        })
        .await;
    };

    let flag = format!("/v1/projects/{}/flags/{FLAG}", mixed.scene.project);
    let owner = mixed.owner_at(Current);
    let archived = owner.post(&format!("{flag}/archive"), Value::Null).await;
    archived.expect_status(204);
    at(&new, "NOT_FOUND").await;
    at(&moving, "FALLTHROUGH").await;

    mixed.scene.stack.control.kill();
    at(&moving, "NOT_FOUND").await;
    let restored = owner.post(&format!("{flag}/restore"), Value::Null).await;
    restored.expect_status(204);
    mixed.all_serve(&[&moving, &new], "v0").await;
    // It held the same version with the flag, which is a reason to greet all edges anew: once.
    let rewinds = metric(&mixed.control.admin(), "halyard_database_rewinds_total").await;
    assert!(rewinds <= 1.0, "{rewinds}");
}
