//! Every change of a project and of what it has is in the trail, with the whole states around it.

use harness::App;
use serde_json::{Value, json};

use crate::trail;

#[tokio::test]
async fn every_change_of_a_project_and_of_its_things_is_in_the_trail() {
    for (kind, body, in_path) in [
        ("project", json!({"name": "Shop"}), "id"),
        ("environment", json!({"name": "QA"}), "id"),
        ("flag", json!({"key": "f", "name": "F"}), "key"),
        (
            "segment",
            json!({"key": "s", "name": "S", "rules": []}),
            "key",
        ),
    ] {
        let (app, owner) = App::with_owner().await;
        let project = owner.default_project().await.id;
        let collection = match kind {
            "project" => "/v1/projects".to_owned(),
            of_project => format!("/v1/projects/{project}/{of_project}s"),
        };
        let made = owner.create(&collection, body).await.body;
        let path = format!("{collection}/{}", made[in_path].as_str().unwrap());
        let project_id = match kind {
            "project" => made["id"].clone(),
            _ => json!(project),
        };
        let entry = |what: &str, before: &Value, after: &Value| {
            json!({
                "action": format!("{kind}.{what}"), "actor_type": "user", "actor_id": owner.id, "resource_type": kind,
                "resource_id": made["id"], "project_id": project_id, "before_state": before, "after_state": after,
                "metadata": null,
            })
        };
        let newest = trail::newest(&app, &owner).await;
        assert_eq!(newest, entry("created", &Value::Null, &made));

        let changed = owner.change(&path, json!({"name": "New"})).await.body;
        let newest = trail::newest(&app, &owner).await;
        assert_eq!(newest, entry("updated", &made, &changed));

        owner.remove(&path).await;
        let newest = trail::newest(&app, &owner).await;
        assert_eq!(newest, entry("deleted", &changed, &Value::Null));

        let length = trail::length(&app, &owner).await;
        owner.delete(&path).await.expect_status(404);
        let after = trail::length(&app, &owner).await;
        assert_eq!(after, length, "{kind}: a refusal leaves no entry");
    }
}
