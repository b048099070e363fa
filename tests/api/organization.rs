//! Renaming the organization, and oneself.

use harness::{App, User};
use serde_json::{Value, json};

use crate::trail;

const PATH: &str = "/v1/organization";

#[tokio::test]
async fn an_owner_renames_the_organization_and_its_slug_stays() {
    let (app, owner) = App::with_owner().await;
    let answer = owner
        .patch(PATH, json!({"name": "Analytical Engines"}))
        .await;
    answer.expect(
        200,
        json!({
            "id": owner.org_id, "name": "Analytical Engines", "slug": "acme", "plan": "trial",
            "trial_expires_at": "2026-05-18T12:00:00Z", "created_at": "[time]", "updated_at": "[time]",
        }),
    );
    let me = owner.get("/v1/me").await;
    assert_eq!(me.body["organization"], answer.body);
    assert_eq!(
        trail::newest(&app, &owner).await,
        json!({
            "action": "organization.updated", "actor_type": "user", "actor_id": owner.id, "resource_type": "organization",
            "resource_id": owner.org_id, "project_id": null, "before_state": {"name": "acme"},
            "after_state": {"name": "Analytical Engines"}, "metadata": null,
        })
    );
    let length = trail::length(&app, &owner).await;
    let again = owner
        .patch(PATH, json!({"name": "Analytical Engines"}))
        .await;
    again.expect(200, answer.body.clone());
    assert_eq!(trail::length(&app, &owner).await, length, "nothing changed");
}

#[tokio::test]
async fn a_missing_too_long_or_broken_name_is_400() {
    let (_app, owner) = App::with_owner().await;
    let long = "x".repeat(256);
    for path in [PATH, "/v1/me"] {
        for (name, message) in [
            (Value::Null, "name is required"),
            (json!(" "), "name is required"),
            (json!(long), "name must have at most 255 characters"),
            (json!("a\nb"), "name must not contain control characters"),
        ] {
            let answer = owner.patch(path, json!({"name": name})).await;
            answer.expect_error(400, message);
        }
    }
}

#[tokio::test]
async fn a_member_changes_their_own_name_everywhere() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.member(&owner, "viewer").await;
    let answer = viewer
        .patch("/v1/me", json!({"name": "Ada Lovelace"}))
        .await;
    answer.expect(
        200,
        json!({
            "id": viewer.id, "email": viewer.email, "name": "Ada Lovelace", "email_verified": true, "created_at": "[time]",
        }),
    );
    assert_eq!(viewer.get("/v1/me").await.body["user"], answer.body);
    let members = owner.get("/v1/members").await;
    assert_eq!(members.body["data"][1]["name"], "Ada Lovelace");
    assert_eq!(
        trail::newest(&app, &owner).await,
        json!({
            "action": "auth.name_changed", "actor_type": "user", "actor_id": viewer.id, "resource_type": "auth",
            "resource_id": viewer.id, "project_id": null, "before_state": {"name": "viewer"},
            "after_state": {"name": "Ada Lovelace"}, "metadata": null,
        })
    );
    // Also where they are a member besides: the log shows the new name there too.
    let elsewhere = app.signup("globex").await;
    let invitation = json!({"email": viewer.email, "role": "viewer"});
    elsewhere.create("/v1/members/invite", invitation).await;
    let joined = User::login(&app.anonymous(), &viewer.email, &elsewhere.org_id).await;
    joined
        .patch("/v1/me", json!({"name": "Ada"}))
        .await
        .expect_status(200);
    for admin in [&owner, &elsewhere] {
        let newest = trail::newest(&app, admin).await;
        assert_eq!(newest["action"], "auth.name_changed");
        assert_eq!(newest["after_state"], json!({"name": "Ada"}));
    }
    viewer
        .patch("/v1/me", json!({"name": "Ada Lovelace"}))
        .await
        .expect_status(200);
    let length = trail::length(&app, &owner).await;
    let again = viewer
        .patch("/v1/me", json!({"name": "Ada Lovelace"}))
        .await;
    again.expect(200, answer.body.clone());
    assert_eq!(trail::length(&app, &owner).await, length, "nothing changed");
}
