//! Members: the list and the invitation. Claiming, changing, removing and environment permissions are in files of their own.

mod change;
mod claims;
mod custom_roles;
mod invitation_mail;
mod limits;
mod mail_bounds;
mod permissions;
mod races;
mod removal;
mod sessions;

use harness::{App, Response, User};
use serde_json::{Value, json};

use crate::trail;

const ADDRESS: &str = "ada@example.com";

async fn invite(user: &User, email: &str, role: &str) -> Response {
    let body = json!({"email": email, "role": role});
    user.post("/v1/members/invite", body).await
}

/// Path of a new member who never signs up.
async fn invited(owner: &User, email: &str, role: &str) -> String {
    let answer = invite(owner, email, role).await;
    answer.expect_status(201);
    path_of(&answer.text("/id"))
}

fn path_of(member_id: &str) -> String {
    format!("/v1/members/{member_id}")
}

/// The member as the list shows them.
async fn listed(user: &User, email: &str) -> Value {
    let members = user.get("/v1/members").await;
    members.expect_status(200);
    let all = members.body["data"].as_array().unwrap();
    let found = all.iter().find(|member| member["email"] == email);
    found.cloned().unwrap_or_default()
}

/// The audit entry of a change of a member.
fn entry(actor: &User, action: &str, member_id: &Value, before: &Value, after: &Value) -> Value {
    json!({
        "action": action, "actor_type": "user", "actor_id": actor.id, "resource_type": "member",
        "resource_id": member_id, "project_id": null, "before_state": before, "after_state": after,
        "metadata": null,
    })
}

#[tokio::test]
async fn an_invited_address_is_a_member_at_once() {
    let (app, owner) = App::with_owner().await;
    let answer = invite(&owner, " Ada@Example.com", "viewer").await;
    let member = json!({
        "id": "[uuid]", "org_id": owner.org_id, "role": "viewer", "email": ADDRESS, "name": ADDRESS,
    });
    answer.expect(201, member);
    assert_eq!(listed(&owner, ADDRESS).await, answer.body);
    let id = &answer.body["id"];
    assert_eq!(
        trail::newest(&app, &owner).await,
        entry(&owner, "member.invited", id, &Value::Null, &answer.body)
    );
}

#[tokio::test]
async fn a_role_that_is_not_given_is_developer() {
    let (_app, owner) = App::with_owner().await;
    for (email, body) in [
        ("a@example.com", json!({"email": "a@example.com"})),
        (
            "b@example.com",
            json!({"email": "b@example.com", "role": null}),
        ),
    ] {
        let answer = owner.post("/v1/members/invite", body).await;
        answer.expect(
            201,
            json!({
                "id": "[uuid]", "org_id": owner.org_id, "role": "developer", "email": email, "name": email,
            }),
        );
    }
}

#[tokio::test]
async fn an_unknown_address_is_mailed_a_link_to_the_sign_up() {
    let app = App::start_with(&[("DASHBOARD_URL", "https://flags.example.com/app/")]).await;
    let owner = app.signup("acme").await;
    invite(&owner, "ada+flags@example.com", "admin")
        .await
        .expect_status(201);
    let mail = app.mail_to("ada+flags@example.com").await;
    assert_eq!(
        mail.subject,
        "You were invited to an organization on Halyard"
    );
    assert!(mail.text.contains("as admin"), "{}", mail.text);
    let link = "https://flags.example.com/app/signup?email=ada%2Bflags%40example.com&invited=1";
    assert_eq!(mail.link(), link);
}

#[tokio::test]
async fn an_address_with_an_account_is_mailed_a_link_to_the_login() {
    let (app, owner) = App::with_owner_and(&[("DASHBOARD_URL", "https://flags.example.com")]).await;
    let other = app.signup("globex").await;
    let answer = invite(&owner, &other.email, "viewer").await;
    answer.expect(
        201,
        json!({
            "id": "[uuid]", "org_id": owner.org_id, "role": "viewer", "email": other.email, "name": other.email,
        }),
    );
    let mail = app.mail_to(&other.email).await;
    assert_eq!(
        mail.subject,
        "You were invited to an organization on Halyard"
    );
    assert_eq!(mail.link(), "https://flags.example.com/login");
}

#[tokio::test]
async fn what_somebody_is_called_elsewhere_is_theirs_to_tell() {
    let (app, owner) = App::with_owner().await;
    let other = app.signup("globex").await;
    invite(&owner, &other.email, "viewer")
        .await
        .expect_status(201);
    let name = async || {
        let members = owner.get("/v1/members").await;
        let all = members.body["data"].as_array().unwrap();
        let guest = all.iter().find(|member| member["email"] == other.email);
        guest.unwrap()["name"].clone()
    };
    assert_eq!(name().await, json!(other.email));
    User::login(&app.anonymous(), &other.email, &owner.org_id).await;
    assert_eq!(name().await, "Owner");
}

#[tokio::test]
async fn nobody_is_mailed_when_the_invitation_is_refused() {
    let (app, owner) = App::with_owner().await;
    let mails = app.mails().await.len();
    invite(&owner, &owner.email, "viewer")
        .await
        .expect_error(409, "user is already a member");
    assert_eq!(app.mails().await.len(), mails);
}

#[tokio::test]
async fn an_invitation_without_an_address_is_400() {
    let (_app, owner) = App::with_owner().await;
    for body in [json!({}), json!({"email": " "}), json!({"email": null})] {
        let refused = owner.post("/v1/members/invite", body).await;
        refused.expect_error(400, "email is required");
    }
    invite(&owner, "ada", "viewer")
        .await
        .expect_error(400, "invalid email");
    let refused = owner.post("/v1/members/invite", json!({"email": 5})).await;
    refused.expect_status(400);
}

#[tokio::test]
async fn an_invitation_for_an_unknown_role_is_400() {
    let (_app, owner) = App::with_owner().await;
    for role in ["", "Owner", "editor"] {
        invite(&owner, ADDRESS, role)
            .await
            .expect_error(400, "role must be owner, admin, developer or viewer");
    }
}

#[tokio::test]
async fn a_user_who_is_already_a_member_is_409() {
    let (_app, owner) = App::with_owner().await;
    invite(&owner, ADDRESS, "viewer").await.expect_status(201);
    for email in [ADDRESS, "ADA@example.com", &owner.email] {
        invite(&owner, email, "developer")
            .await
            .expect_error(409, "user is already a member");
    }
    assert_eq!(listed(&owner, ADDRESS).await["role"], "viewer");
}

#[tokio::test]
async fn only_an_owner_invites_owners() {
    let (app, owner) = App::with_owner().await;
    let admin = app.member(&owner, "admin").await;
    invite(&admin, ADDRESS, "owner")
        .await
        .expect_error(403, "insufficient permissions");
    invite(&admin, ADDRESS, "admin").await.expect_status(201);
    invite(&owner, "bob@example.com", "owner")
        .await
        .expect_status(201);
}

#[tokio::test]
async fn every_role_sees_the_members_in_creation_order_and_in_pages() {
    let (app, owner) = App::with_owner().await;
    app.signup("globex").await;
    let viewer = app.member(&owner, "viewer").await;
    let expected = json!([
        {"id": "[uuid]", "org_id": owner.org_id, "role": "owner", "email": owner.email, "name": "Owner"},
        {"id": "[uuid]", "org_id": owner.org_id, "role": "viewer", "email": viewer.email, "name": "viewer"},
    ]);
    viewer.get("/v1/members").await.expect(
        200,
        json!({"data": expected, "total": 2, "limit": 50, "offset": 0, "has_more": false}),
    );
    viewer.get("/v1/members?limit=1&offset=1").await.expect(
        200,
        json!({"data": [expected[1]], "total": 2, "limit": 1, "offset": 1, "has_more": false}),
    );
    let first = viewer.get("/v1/members?limit=1").await;
    assert_eq!(first.body["has_more"], true);
}
