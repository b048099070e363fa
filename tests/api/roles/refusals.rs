//! What is refused of custom roles, and how.

use serde_json::{Value, json};

use super::{built_in, create, created, with_owner_on_enterprise};
use crate::trail;

#[tokio::test]
async fn custom_roles_require_enterprise() {
    let (app, owner) = with_owner_on_enterprise().await;
    let path = created(&owner, "On call", &[]).await;
    for plan in ["trial", "free", "pro"] {
        app.set_plan(&owner, plan).await;
        for answer in [
            owner.get("/v1/roles").await,
            create(&owner, "Another", &[]).await,
            owner.get(&path).await,
            owner.put(&path, json!({})).await,
            owner.delete(&path).await,
            owner.delete(&built_in(1)).await,
        ] {
            answer.expect_error(402, "custom roles require the enterprise plan");
        }
    }
}

#[tokio::test]
async fn updating_a_built_in_role_is_403() {
    let (_app, owner) = with_owner_on_enterprise().await;
    for number in 1..=4 {
        // Before the body is looked at.
        for body in [json!({"name": "Mine", "permissions": []}), json!({})] {
            let answer = owner.put(&built_in(number), body).await;
            answer.expect_error(403, "built-in roles cannot be changed");
        }
    }
}

#[tokio::test]
async fn deleting_a_built_in_role_is_403() {
    let (_app, owner) = with_owner_on_enterprise().await;
    for number in 1..=4 {
        let answer = owner.delete(&built_in(number)).await;
        answer.expect_error(403, "built-in roles cannot be deleted");
    }
}

#[tokio::test]
async fn a_taken_name_is_409_in_any_case() {
    let (_app, owner) = with_owner_on_enterprise().await;
    created(&owner, "Größe", &[]).await;
    let other = created(&owner, "Other", &[]).await;
    for name in ["Größe", "größe", "GRÖßE", " größe "] {
        let role = json!({"name": name, "permissions": []});
        for answer in [
            owner.post("/v1/roles", role.clone()).await,
            owner.put(&other, role).await,
        ] {
            answer.expect_error(409, "role name already exists");
        }
    }
}

#[tokio::test]
async fn names_of_built_in_roles_are_taken() {
    let (_app, owner) = with_owner_on_enterprise().await;
    let path = created(&owner, "Other", &[]).await;
    for name in ["Owner", "ADMIN", "editor", " Viewer"] {
        let role = json!({"name": name, "permissions": []});
        for answer in [
            owner.post("/v1/roles", role.clone()).await,
            owner.put(&path, role).await,
        ] {
            answer.expect_error(409, "role name already exists");
        }
    }
}

#[tokio::test]
async fn another_organization_may_use_the_same_name() {
    let (app, owner) = with_owner_on_enterprise().await;
    created(&owner, "On call", &["flags.read"]).await;
    let stranger = app.signup("globex").await;
    app.set_plan(&stranger, "enterprise").await;
    created(&stranger, "On call", &[]).await;
}

#[tokio::test]
async fn a_role_assigned_to_members_cannot_be_deleted() {
    let (app, owner) = with_owner_on_enterprise().await;
    let member = app.member(&owner, "viewer").await;
    let role_id = app.hold_to(&owner, &member, &["flags.read"]).await;
    let path = format!("/v1/roles/{role_id}");
    let entries = trail::length(&app, &owner).await;

    let refused = owner.delete(&path).await;
    refused.expect_error(409, "role is assigned to members");
    assert_eq!(trail::length(&app, &owner).await, entries);
    app.assign(&owner, &member, None).await;
    owner.delete(&path).await.expect(204, Value::Null);
}

#[tokio::test]
async fn name_and_permissions_are_required_and_bounded() {
    let (_app, owner) = with_owner_on_enterprise().await;
    let path = created(&owner, "Other", &["flags.read"]).await;
    let before = owner.get(&path).await.body;
    let form = "permissions must be keys of the form word.word, of at most 100 characters";
    let many: Vec<_> = (0..=200).map(|number| format!("a.{number}")).collect();
    for (body, message) in [
        (json!({}), "name and permissions are required"),
        (json!({"permissions": []}), "name is required"),
        (json!({"name": null, "permissions": []}), "name is required"),
        (
            json!({"name": " \t", "permissions": []}),
            "name is required",
        ),
        (
            json!({"name": "ü".repeat(101), "permissions": []}),
            "name must have at most 100 characters",
        ),
        (json!({"name": "A"}), "permissions is required"),
        (
            json!({"name": "A", "permissions": null}),
            "permissions is required",
        ),
        (json!({"name": "A", "permissions": ["flags"]}), form),
        (
            json!({"name": "A", "permissions": ["flags.read", ""]}),
            form,
        ),
        (json!({"name": "A", "permissions": ["flags.*"]}), form),
        (
            json!({"name": "A", "permissions": many}),
            "permissions must be at most 200 keys",
        ),
    ] {
        let posted = owner.post("/v1/roles", body.clone()).await;
        posted.expect_error(400, message);
        owner.put(&path, body).await.expect_error(400, message);
    }
    for keys in [json!("flags.read"), json!([7]), json!([null])] {
        let body = json!({"name": "A", "permissions": keys});
        let refused = owner.post("/v1/roles", body.clone()).await;
        refused.expect_status(400);
        owner.put(&path, body).await.expect_status(400);
    }
    owner.get(&path).await.expect(200, before);
    create(&owner, &"ü".repeat(100), &[])
        .await
        .expect_status(201);
}

#[tokio::test]
async fn an_organization_has_at_most_200_custom_roles() {
    let (app, owner) = with_owner_on_enterprise().await;
    app.execute(
        "INSERT INTO custom_roles (id, org_id, name, folded_name, permissions, created_at, updated_at)
         SELECT gen_random_uuid(), $1::uuid, 'r' || number, 'r' || number, '{}', now(), now()
         FROM generate_series(1, 199) AS number",
        &[&owner.org_id],
    )
    .await;
    create(&owner, "The last", &[]).await.expect_status(201);
    create(&owner, "One more", &[])
        .await
        .expect_error(400, "an organization has at most 200 custom roles");
}
