//! `halyard secret rotate`, between stopping the control plane and starting it again.

use harness::{Stack, eventually};
use serde_json::json;

const OLD: &str = "the secret of the installation until today";
const NEW: &str = "the secret of the installation from today on";

#[tokio::test]
async fn a_control_plane_starts_with_a_new_secret_and_knows_its_edges() {
    let mut stack = Stack::start_with(&[("APP_SECRET", OLD)]).await;
    let mut edge = stack.edge().await;
    let owner = stack.signup("acme").await;
    let webhook = json!({"name": "w", "url": "https://hooks.example.com/", "secret": "hush"});
    owner.post("/v1/webhooks", webhook).await.expect_status(201);

    stack.control.set("APP_SECRET_OLD", OLD);
    stack.control.set("APP_SECRET", NEW);
    let refused = stack.control.refused(&["secret", "rotate"]);
    assert!(
        refused.contains("1 control planes run or ran seconds ago"),
        "{refused}"
    );

    assert!(stack.control.terminate().success());
    let told = stack.halyard(&["secret", "rotate"]);
    for line in [
        "key of the link's authority: 1 sealed anew, 0 sealed with APP_SECRET before, 0 opened by neither secret\n",
        "secrets of webhooks: 1 sealed anew, 0 sealed with APP_SECRET before, 0 opened by neither secret\n",
    ] {
        assert!(told.contains(line), "{told}");
    }
    stack.start_control().await;
    edge.process.kill();
    edge.start().await;
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = json!({"key": "f", "name": "F"});
    owner.post(&flags, flag).await.expect_status(201);
    eventually("the edge takes changes again", async || {
        let path = format!("{flags}/f?wait=edges");
        let changed = owner.put(&path, json!({"name": "F"})).await;
        changed.expect_status(200);
        let acknowledged = changed.header("x-edges-acknowledged");
        acknowledged
            .split(',')
            .any(|name| name == edge.name)
            .then_some(())
    })
    .await;
}
