//! Names of whoever acted.

use base::ids::{ApiKeyId, MigrationId, OrgId, ScimTokenId, UserId};
use domain::events::{self, Action, Actor, Event, Subject};
use harness::{App, User};
use serde_json::{Value, json};

use super::project;

/// Type, name and address of who did what the newest entry tells.
async fn newest(reader: &User) -> Value {
    let page = reader.get("/v1/audit?limit=1").await;
    let entry = &page.expect_status(200).body["data"][0];
    json!([
        entry["actor_type"],
        entry["actor_name"],
        entry["actor_email"]
    ])
}

/// Has somebody do something in the organization of the user.
async fn act(app: &App, user: &User, actor: Actor) {
    let org_id = OrgId::parse(&user.org_id).unwrap();
    app.clock.advance(std::time::Duration::from_secs(1));
    let event = Event::new(Action::FlagKilled, Subject::Org(org_id));
    let mut tx = app.db().begin().await.unwrap();
    events::record(&mut tx, org_id, actor, event, app.clock.now())
        .await
        .unwrap();
    tx.commit().await.unwrap();
}

#[tokio::test]
async fn members_are_named_as_they_are_now() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    project(&developer, "Shop").await;
    assert_eq!(
        newest(&owner).await,
        json!(["user", "developer", developer.email])
    );
    app.execute(
        "UPDATE users SET name = 'Ada' WHERE id = $1::uuid",
        &[&developer.id],
    )
    .await;
    assert_eq!(
        newest(&owner).await,
        json!(["user", "Ada", developer.email])
    );
}

#[tokio::test]
async fn somebody_who_was_removed_keeps_the_name_and_not_the_address() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    project(&developer, "Shop").await;
    let path = format!("/v1/members/{}", developer.member_id().await);
    owner.remove(&path).await;
    let page = owner.get("/v1/audit?action=project.created&limit=1").await;
    let entry = &page.body["data"][0];
    assert_eq!(entry["actor_id"], developer.id);
    assert_eq!(entry["actor_name"], "developer");
    assert_eq!(entry["actor_email"], Value::Null);

    // Where the account is gone too, nobody knows the name any more.
    app.execute("DELETE FROM users WHERE id = $1::uuid", &[&developer.id])
        .await;
    let page = owner.get("/v1/audit?action=project.created&limit=1").await;
    let entry = &page.body["data"][0];
    assert_eq!(entry["actor_id"], developer.id);
    assert_eq!(entry["actor_name"], Value::Null);
}

#[tokio::test]
async fn a_member_of_another_organization_has_no_address_here() {
    let app = App::start().await;
    let (owner, other) = (app.signup("acme").await, app.signup("other").await);
    let developer = app.member(&owner, "developer").await;
    let id = UserId::parse(&developer.id).unwrap();
    let ip = "127.0.0.1".parse().unwrap();
    act(&app, &other, Actor::user(id, ip)).await;
    assert_eq!(newest(&other).await, json!(["user", "developer", null]));
}

#[tokio::test]
async fn keys_tokens_and_imports_are_named_by_those_of_the_organization() {
    let app = App::start().await;
    let (owner, other) = (app.signup("acme").await, app.signup("other").await);
    app.set_plan(&owner, "enterprise").await;
    let project = owner.default_project().await;
    let path = format!("/v1/environments/{}/api-keys", project.dev);
    let key = owner.post(&path, json!({"name": "Backend"})).await;
    let key = ApiKeyId::parse(&key.text("/id")).unwrap();
    let token = owner
        .post("/v1/scim/tokens", json!({"name": "Okta"}))
        .await
        .text("/id");
    let import = Actor::Import {
        id: MigrationId::new(app.clock.now()),
        started_by: UserId::parse(&owner.id).unwrap(),
    };
    let scim = Actor::Scim {
        id: ScimTokenId::parse(&token).unwrap(),
        made_by: None,
    };
    for (actor, expected) in [
        (Actor::ApiKey(key), json!(["api_key", "Backend", null])),
        (scim, json!(["scim", "Okta", null])),
        (import, json!(["user", "Owner", owner.email])),
        (Actor::System, json!(["system", null, null])),
    ] {
        act(&app, &owner, actor).await;
        assert_eq!(newest(&owner).await, expected, "{actor:?}");
    }
    for (actor, kind) in [(Actor::ApiKey(key), "api_key"), (scim, "scim")] {
        act(&app, &other, actor).await;
        assert_eq!(newest(&other).await, json!([kind, null, null]));
    }

    act(&app, &owner, scim).await;
    let path = format!("/v1/scim/tokens/{token}");
    owner.remove(&path).await;
    let page = owner.get("/v1/audit?action=flag.killed&limit=1").await;
    assert_eq!(page.body["data"][0]["actor_id"], token);
    assert_eq!(page.body["data"][0]["actor_name"], Value::Null);
}
