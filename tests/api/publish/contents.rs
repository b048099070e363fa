//! What is published: whole environments, changes, and that both come to the same.

use harness::{App, eventually};
use serde_json::json;

use super::replica::Replica;

#[tokio::test]
async fn a_write_is_answered_when_edges_serve_it() {
    let app = App::start().await;
    let owner = app.signup("acme").await;
    let project = owner.default_project().await;
    let edge = Replica::follow(&app.publisher);
    eventually("the edge holds all environments", async || {
        (edge.digests().len() == 3).then_some(())
    })
    .await;

    let flags = format!("/v1/projects/{}/flags", project.id);
    let created = owner
        .post(
            &flags,
            json!({"key": "new-flow", "name": "New flow", "flag_type": "boolean"}),
        )
        .await;
    created.expect_status(201);
    let dev = edge.environment(&project.dev).unwrap();
    assert_eq!(dev.flags[0].key, "new-flow");
    assert_eq!(
        dev.head.version.to_string(),
        created.header("x-snapshot-version")
    );

    let state = format!("{flags}/new-flow/environments/{}", project.dev);
    for enabled in [true, false, true] {
        owner
            .put(&state, json!({"enabled": enabled}))
            .await
            .expect_status(200);
        let dev = edge.environment(&project.dev).unwrap();
        assert_eq!(dev.flags[0].state.as_ref().unwrap().enabled, enabled);
    }
    assert_eq!(
        edge.environment(&project.staging).unwrap().flags[0].state,
        None
    );
    assert_eq!((edge.snapshots(), edge.refused()), (3, 0));
    assert_eq!(edge.deltas(), [1, 1, 1, 1, 1, 1]);
}
