//! Custom roles.

mod effect;
mod races;
mod refusals;

use harness::{App, Response, User};
use serde_json::{Value, json};

use crate::trail;

/// A control plane, and the owner of an organization on Enterprise.
async fn with_owner_on_enterprise() -> (App, User) {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    (app, owner)
}

async fn create(user: &User, name: &str, keys: &[&str]) -> Response {
    let role = json!({"name": name, "permissions": keys});
    user.post("/v1/roles", role).await
}

/// The path of a role that is created on the way.
async fn created(user: &User, name: &str, keys: &[&str]) -> String {
    let answer = create(user, name, keys).await;
    answer.expect_status(201);
    format!("/v1/roles/{}", answer.text("/id"))
}

fn built_in(number: u8) -> String {
    format!("/v1/roles/00000000-0000-7000-8000-00000000000{number}")
}

#[tokio::test]
async fn a_created_role_is_shown_and_audited() {
    let (app, owner) = with_owner_on_enterprise().await;

    let keys = ["flags.read", "flags.toggle", "flags.read", "moon.land"];
    let answer = create(&owner, "On call", &keys).await;
    let shown = json!({
        "id": "[uuid]",
        "name": "On call",
        "permissions": ["flags.read", "flags.toggle", "moon.land"],
        "built_in": false,
        "created_at": "[time]",
    });
    answer.expect(201, shown);
    let role_id = answer.text("/id");
    let path = format!("/v1/roles/{role_id}");
    owner.get(&path).await.expect(200, answer.body.clone());
    assert_eq!(
        trail::newest(&app, &owner).await,
        json!({
            "action": "role.created",
            "actor_type": "user",
            "actor_id": owner.id,
            "resource_type": "role",
            "resource_id": role_id,
            "project_id": null,
            "before_state": null,
            "after_state": answer.body,
            "metadata": null,
        })
    );
}

#[tokio::test]
async fn built_in_roles_are_listed_first() {
    let (app, owner) = with_owner_on_enterprise().await;
    let stranger = app.signup("globex").await;
    app.set_plan(&stranger, "enterprise").await;
    created(&stranger, "Theirs", &[]).await;
    let zebra = create(&owner, "Zebra", &[]).await.body;
    let ant = create(&owner, "Ant", &[]).await.body;

    let listed = owner.get("/v1/roles").await;
    listed.expect_status(200);
    assert_eq!(listed.body["total"], 6);
    let roles = listed.body["data"].as_array().unwrap();
    let names: Vec<_> = roles.iter().map(|role| &role["name"]).collect();
    assert_eq!(
        names,
        ["Owner", "Admin", "Editor", "Viewer", "Zebra", "Ant"]
    );
    assert_eq!(roles[4..], [zebra, ant]);
    for (number, role) in (1..).zip(&roles[..4]) {
        owner.get(&built_in(number)).await.expect(200, role.clone());
    }
}

#[tokio::test]
async fn built_in_roles_hold_what_is_decided() {
    let (_app, owner) = with_owner_on_enterprise().await;
    let role = async |number| owner.get(&built_in(number)).await.body;

    assert_eq!(
        role(4).await,
        json!({
            "id": "00000000-0000-7000-8000-000000000004",
            "name": "Viewer",
            "permissions": [
                "projects.read", "environments.read", "flags.read", "segments.read", "approvals.read", "members.read",
                "api_keys.read", "audit.read", "metrics.read",
            ],
            "built_in": true,
            "created_at": "1970-01-01T00:00:00Z",
        })
    );
    assert_eq!(
        role(3).await["permissions"],
        json!([
            "projects.read",
            "projects.create",
            "environments.read",
            "environments.create",
            "flags.read",
            "flags.create",
            "flags.update",
            "flags.delete",
            "flags.toggle",
            "flags.edit_rules",
            "flags.promote",
            "flags.kill",
            "segments.read",
            "segments.write",
            "approvals.read",
            "approvals.create",
            "members.read",
            "api_keys.read",
            "audit.read",
            "metrics.read",
            "billing.read",
        ])
    );
    let all = role(1).await["permissions"].as_array().unwrap().clone();
    assert_eq!(all.len(), 33);
    let but_payment: Vec<_> = all
        .into_iter()
        .filter(|key| key != "billing.manage")
        .collect();
    assert_eq!(role(2).await["permissions"], Value::Array(but_payment));
}

#[tokio::test]
async fn an_update_replaces_name_and_permissions_and_is_audited() {
    let (app, owner) = with_owner_on_enterprise().await;
    let path = created(&owner, "On call", &["flags.read"]).await;
    let before = owner.get(&path).await.body;

    // Its own name is not taken, in whatever case.
    let role = json!({"name": "ON CALL", "permissions": ["flags.kill", "flags.kill"]});
    let answer = owner.put(&path, role).await;
    let mut after = before.clone();
    after["name"] = json!("ON CALL");
    after["permissions"] = json!(["flags.kill"]);
    answer.expect(200, after.clone());
    owner.get(&path).await.expect(200, after.clone());
    let entry = trail::newest(&app, &owner).await;
    assert_eq!(entry["action"], "role.updated");
    assert_eq!(entry["before_state"], before);
    assert_eq!(entry["after_state"], after);
}

#[tokio::test]
async fn a_deleted_role_is_gone_and_its_name_free() {
    let (app, owner) = with_owner_on_enterprise().await;
    let path = created(&owner, "On call", &["flags.read"]).await;
    let before = owner.get(&path).await.body;

    owner.delete(&path).await.expect(204, Value::Null);
    let entry = trail::newest(&app, &owner).await;
    assert_eq!(entry["action"], "role.deleted");
    assert_eq!(entry["resource_id"], before["id"]);
    assert_eq!(entry["before_state"], before);
    assert_eq!(entry["after_state"], Value::Null);
    for answer in [owner.get(&path).await, owner.delete(&path).await] {
        answer.expect_error(404, "role not found");
    }
    create(&owner, "on call", &[]).await.expect_status(201);
}
