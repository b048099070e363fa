//! Giving a member a custom role, and taking it away. What it does to them is in `roles::effect`.

use harness::{App, User};
use serde_json::{Value, json};

use super::{ADDRESS, entry, invited, listed, path_of};
use crate::trail;

/// The id of the built-in role Viewer.
const VIEWER: &str = "00000000-0000-7000-8000-000000000004";

/// The owner of an organization on Enterprise, and the id of a custom role of it.
async fn with_role() -> (App, User, String) {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let role = json!({"name": "Reader", "permissions": ["flags.read"]});
    let role = owner.create("/v1/roles", role).await;
    (app, owner, role.text("/id"))
}

fn assignment(role_id: impl Into<Value>) -> Value {
    json!({"custom_role_id": role_id.into()})
}

#[tokio::test]
async fn a_custom_role_is_shown_only_while_it_is_assigned() {
    let (app, owner, role_id) = with_role().await;
    let path = invited(&owner, ADDRESS, "developer").await;
    let before = listed(&owner, ADDRESS).await;
    assert!(before.get("custom_role_id").is_none());

    let answer = owner.put(&path, assignment(role_id.clone())).await;
    answer.expect(204, Value::Null);
    let mut held = before.clone();
    held["custom_role_id"] = json!(role_id);
    assert_eq!(listed(&owner, ADDRESS).await, held);
    let id = &before["id"];
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry(&owner, "member.role_changed", id, &before, &held)
    );

    let answer = owner.put(&path, assignment(Value::Null)).await;
    answer.expect(204, Value::Null);
    assert_eq!(listed(&owner, ADDRESS).await, before);
}

#[tokio::test]
async fn role_and_custom_role_change_alone_or_together() {
    let (_app, owner, role_id) = with_role().await;
    let path = invited(&owner, ADDRESS, "developer").await;
    let seen = async || {
        let member = listed(&owner, ADDRESS).await;
        (member["role"].clone(), member["custom_role_id"].clone())
    };
    for (body, expected) in [
        (
            json!({"role": "viewer", "custom_role_id": role_id}),
            (json!("viewer"), json!(role_id)),
        ),
        (json!({"role": "admin"}), (json!("admin"), json!(role_id))),
        (assignment(VIEWER), (json!("admin"), json!(VIEWER))),
        (
            json!({"role": "viewer", "custom_role_id": null}),
            (json!("viewer"), Value::Null),
        ),
    ] {
        owner.put(&path, body).await.expect_status(204);
        assert_eq!(seen().await, expected);
    }
}

#[tokio::test]
async fn an_unknown_custom_role_is_404_and_nothing_is_changed() {
    let (app, owner, _) = with_role().await;
    let stranger = app.signup("globex").await;
    app.set_plan(&stranger, "enterprise").await;
    let foreign = json!({"name": "Foreign", "permissions": []});
    let foreign = stranger.post("/v1/roles", foreign).await.text("/id");
    let path = invited(&owner, ADDRESS, "developer").await;
    let unknown = "01890000-0000-7000-8000-000000000000";
    for role_id in [unknown, "reader", &foreign] {
        let body = json!({"role": "viewer", "custom_role_id": role_id});
        let answer = owner.put(&path, body).await;
        answer.expect_error(404, "role not found");
    }
    assert_eq!(listed(&owner, ADDRESS).await["role"], "developer");
}

#[tokio::test]
async fn an_update_without_anything_to_change_is_400() {
    let (_app, owner, role_id) = with_role().await;
    let path = invited(&owner, ADDRESS, "developer").await;
    let empty = owner.put(&path, json!({"name": "Ada"})).await;
    empty.expect_error(400, "role or custom_role_id is required");
    for text in ["", " "] {
        let answer = owner.put(&path, assignment(text)).await;
        answer.expect_error(400, "custom_role_id is required");
    }
    owner.put(&path, assignment(5)).await.expect_status(400);
    let body = json!({"role": "editor", "custom_role_id": role_id});
    let refused = owner.put(&path, body).await;
    refused.expect_error(400, "role must be owner, admin, developer or viewer");
}

#[tokio::test]
async fn below_enterprise_custom_roles_are_taken_away_and_not_given() {
    let (app, owner, role_id) = with_role().await;
    let path = invited(&owner, ADDRESS, "developer").await;
    let given = owner.put(&path, assignment(role_id.clone())).await;
    given.expect_status(204);
    for plan in ["pro", "trial", "free"] {
        app.set_plan(&owner, plan).await;
        for role_id in [role_id.as_str(), VIEWER] {
            let refused = owner.put(&path, assignment(role_id)).await;
            refused.expect_error(402, "custom roles require the enterprise plan");
        }
    }
    let taken = owner.put(&path, assignment(Value::Null)).await;
    taken.expect_status(204);
}

#[tokio::test]
async fn an_admin_does_not_narrow_an_owner() {
    let (app, owner, role_id) = with_role().await;
    let admin = app.member(&owner, "admin").await;
    let second = invited(&owner, ADDRESS, "owner").await;
    for body in [assignment(role_id.clone()), assignment(Value::Null)] {
        let answer = admin.put(&second, body).await;
        answer.expect_error(403, "insufficient permissions");
    }
    let answer = owner.put(&second, assignment(role_id)).await;
    answer.expect_status(204);
}

#[tokio::test]
async fn the_last_owner_without_a_custom_role_stays_so() {
    let (_app, owner, role_id) = with_role().await;
    let own = path_of(&owner.member_id().await);
    let needed = "an organization needs an owner";
    let narrow = owner.put(&own, assignment(role_id.clone())).await;
    narrow.expect_error(409, needed);

    let second = invited(&owner, ADDRESS, "owner").await;
    let narrowed = owner.put(&second, assignment(role_id.clone())).await;
    narrowed.expect_status(204);
    for body in [assignment(role_id.clone()), json!({"role": "admin"})] {
        owner.put(&own, body).await.expect_error(409, needed);
    }
    let freed = owner.put(&second, assignment(Value::Null)).await;
    freed.expect_status(204);
    let narrow = owner.put(&own, assignment(role_id)).await;
    narrow.expect_status(204);
}

#[tokio::test]
async fn a_role_that_is_deleted_meanwhile_is_not_assigned() {
    let (app, owner, role_id) = with_role().await;
    let path = invited(&owner, ADDRESS, "developer").await;
    let there = owner.at(&app.another_replica().await);
    let role = format!("/v1/roles/{role_id}");
    let (assigned, deleted) = tokio::join!(
        owner.put(&path, assignment(role_id.clone())),
        there.delete(&role),
    );
    let outcome = (assigned.status, deleted.status);
    assert!(matches!(outcome, (204, 409) | (404, 204)), "{outcome:?}");
}
