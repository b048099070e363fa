//! Who somebody is: their account, what they may do, where they are a member.

use std::collections::BTreeSet;

use harness::access::{ROLES, protected};
use harness::user::PASSWORD;
use harness::{App, Authenticator, User};
use serde_json::{Value, json};

const PATH: &str = "/v1/me";

/// The key of what a field of a question asks for, which no endpoint requires as a whole. It is of managers.
const EXAMPLES: &str = "what_if.examples";

/// All keys that endpoints require, as the harness knows them, and that one.
fn all_keys() -> BTreeSet<&'static str> {
    let keys = protected().into_iter().flat_map(|row| row.keys);
    keys.chain([EXAMPLES]).collect()
}

/// The keys that some endpoint requires which is open to the role.
fn keys_of(role: &str) -> BTreeSet<&'static str> {
    let all = protected();
    // An endpoint that takes any one of several keys says nothing of those that others take alone.
    let is_taken_alone = |key: &str| all.iter().any(|row| row.keys == [key]);
    let open = all.iter().filter(|row| row.admits(role));
    open.flat_map(|row| row.keys.iter().map(|key| (row.keys.len() == 1, *key)))
        .filter(|(is_alone, key)| *is_alone || !is_taken_alone(key))
        .map(|(_, key)| key)
        .chain(["owner", "admin"].contains(&role).then_some(EXAMPLES))
        .collect()
}

fn permissions(me: &Value) -> BTreeSet<&str> {
    let listed = me["permissions"].as_array().expect("a list");
    let set: BTreeSet<_> = listed.iter().filter_map(Value::as_str).collect();
    assert_eq!(set.len(), listed.len(), "each once: {me}");
    set
}

#[tokio::test]
async fn an_owner_sees_account_organization_role_and_projects() {
    let (_app, owner, project) = App::with_project().await;
    let answer = owner.get(PATH).await;
    answer.expect(
        200,
        json!({
            "user": {
                "id": owner.id, "email": owner.email, "name": "Owner", "email_verified": false, "created_at": "[time]",
            },
            "organization": {
                "id": owner.org_id, "name": "acme", "slug": "acme", "plan": "trial",
                "trial_expires_at": "2026-05-18T12:00:00Z", "created_at": "[time]", "updated_at": "[time]",
            },
            "data_region": "us",
            "role": "owner",
            "custom_role_id": null,
            "permissions": answer.body["permissions"],
            "environment_permissions": [],
            "features": {"mfa": true, "custom_roles": false, "scim": false},
            "mfa_enabled": false,
            "organizations": [{"id": owner.org_id, "name": "acme", "role": "owner"}],
            "projects": [{"id": project.id, "name": "[text]", "slug": "[text]"}],
            "edge_url": answer.body["edge_url"],
        }),
    );
    assert_eq!(permissions(&answer.body), all_keys());
}

#[tokio::test]
async fn the_permissions_of_a_role_are_the_keys_of_the_endpoints_that_it_may_call() {
    let (app, owner) = App::with_owner().await;
    for role in ROLES {
        let me = app.member(&owner, role).await.get(PATH).await;
        assert_eq!(me.text("/role"), role);
        assert_eq!(permissions(&me.body), keys_of(role), "{role}");
    }
}

#[tokio::test]
async fn a_custom_role_narrows_the_permissions_and_hides_projects() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let developer = app.member(&owner, "developer").await;
    let keys = ["flags.read", "members.manage", "something.else"];
    let role_id = app.hold_to(&owner, &developer, &keys).await;
    let me = developer.get(PATH).await;
    assert_eq!(me.body["custom_role_id"], json!(role_id));
    assert_eq!(me.body["permissions"], json!(["flags.read"]));
    assert_eq!(me.body["projects"], json!([]));

    let role = json!({"name": "Reader", "permissions": ["projects.read"]});
    owner.change(&format!("/v1/roles/{role_id}"), role).await;
    let me = developer.get(PATH).await;
    assert_eq!(me.body["permissions"], json!(["projects.read"]));
    assert_eq!(me.body["projects"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn environment_permissions_are_those_that_are_stored() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    let dev = owner.default_project().await.dev;
    let row = json!({"env_id": dev, "can_toggle": false, "can_edit_rules": true});
    let path = format!("/v1/members/{}/permissions", developer.member_id().await);
    owner.change(&path, json!({"permissions": [row]})).await;
    let me = developer.get(PATH).await;
    assert_eq!(me.body["environment_permissions"], json!([row]));
    let me = owner.get(PATH).await;
    assert_eq!(me.body["environment_permissions"], json!([]));
}

#[tokio::test]
async fn features_are_those_of_the_plan_in_effect() {
    let (app, owner) = App::with_owner().await;
    for (plan, mfa, enterprise) in [
        ("free", false, false),
        ("pro", true, false),
        ("enterprise", true, true),
    ] {
        app.set_plan(&owner, plan).await;
        let me = owner.get(PATH).await;
        let features = json!({"mfa": mfa, "custom_roles": enterprise, "scim": enterprise});
        assert_eq!(me.body["features"], features, "{plan}");
        assert_eq!(me.text("/organization/plan"), plan);
    }
}

#[tokio::test]
async fn a_second_factor_shows_once_it_is_active() {
    let (app, owner) = App::with_owner().await;
    let enrolment = owner.post("/v1/auth/mfa/enable", Value::Null).await;
    assert_eq!(owner.get(PATH).await.body["mfa_enabled"], false);
    let authenticator = Authenticator::new(&enrolment.text("/secret"));
    let code = json!({"code": authenticator.code(app.clock.now())});
    owner.act("/v1/auth/mfa/verify", code).await;
    assert_eq!(owner.get(PATH).await.body["mfa_enabled"], true);
}

/// What a login needs to be told which organization to act for.
#[tokio::test]
async fn every_organization_that_a_login_may_name_is_listed() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    app.signup("initech").await;
    let body = json!({"email": guest.email, "role": "viewer"});
    app.clock.advance(std::time::Duration::from_secs(1));
    owner.create("/v1/members/invite", body).await;
    let listed = json!([
        {"id": guest.org_id, "name": "globex", "role": "owner"},
        {"id": owner.org_id, "name": "acme", "role": "viewer"},
    ]);
    let me = guest.get(PATH).await;
    assert_eq!(me.body["organizations"], listed);

    let there = User::login(
        &app.anonymous(),
        &guest.email,
        &me.text("/organizations/1/id"),
    )
    .await;
    let me = there.get(PATH).await;
    assert_eq!(me.body["organizations"], listed);
    assert_eq!(me.text("/organization/id"), owner.org_id);
    assert_eq!(me.text("/role"), "viewer");
}

#[tokio::test]
async fn an_organization_is_listed_until_it_goes_for_good() {
    let (app, owner) = App::with_owner().await;
    let guest = app.signup("globex").await;
    let body = json!({"email": guest.email, "role": "viewer"});
    owner.create("/v1/members/invite", body).await;
    let listed = async || {
        let me = guest.get(PATH).await;
        me.body["organizations"].as_array().map(Vec::len)
    };
    let change = async |change: &'static str| {
        let query = format!("UPDATE organizations SET {change} WHERE id = $1::uuid");
        sqlx::query(sqlx::AssertSqlSafe(query))
            .bind(&owner.org_id)
            .execute(app.pool())
            .await
            .unwrap();
    };
    change("plan = 'free', deleted_at = now()").await;
    assert_eq!(listed().await, Some(2), "a login restores it");
    change("purge_started_at = now()").await;
    assert_eq!(listed().await, Some(1));
    let login = json!({"email": guest.email, "password": PASSWORD, "org_id": owner.org_id});
    app.anonymous()
        .post("/v1/auth/login", login)
        .await
        .expect_error(403, "not a member of the organization");
}

#[tokio::test]
async fn at_most_1000_organizations_are_listed() {
    let (app, owner) = App::with_owner().await;
    sqlx::query(
        "WITH made AS (
             INSERT INTO organizations (id, name, slug, plan, data_region, created_at, updated_at)
             SELECT gen_random_uuid(), 'o', 'o-' || number, 'free', 'us', $2, $2
             FROM generate_series(1, 1000) AS number
             RETURNING id
         )
         INSERT INTO members (id, org_id, user_id, role, created_at)
         SELECT gen_random_uuid(), id, $1::uuid, 'viewer', $2 FROM made",
    )
    .bind(&owner.id)
    .bind(app.clock.now() + std::time::Duration::from_secs(1))
    .execute(app.pool())
    .await
    .unwrap();
    let me = owner.get(PATH).await;
    let organizations = me.body["organizations"].as_array().unwrap();
    assert_eq!(organizations.len(), 1_000);
    assert_eq!(organizations[0]["id"], json!(owner.org_id));
}

#[tokio::test]
async fn a_removed_member_is_nobody() {
    let (app, owner) = App::with_owner().await;
    let viewer = app.member(&owner, "viewer").await;
    let path = format!("/v1/members/{}", viewer.member_id().await);
    owner.remove(&path).await;
    let refused = viewer.get(PATH).await;
    refused.expect_error(401, "invalid or expired token");
}

#[tokio::test]
async fn the_address_of_edges_is_the_one_that_is_set_or_that_of_the_built_in_edge() {
    let edge = ("EDGE_PUBLIC_URL", "https://edge.acme.test/eu/");
    let without = ("CONTROL_BUILTIN_EDGE", "false");
    let api = ("APP_BASE_URL", "https://flags.acme.test");
    for (settings, expected) in [
        (vec![edge, api], json!("https://edge.acme.test/eu")),
        (vec![api], json!("https://flags.acme.test")),
        (vec![api, without], Value::Null),
        (vec![api, without, edge], json!("https://edge.acme.test/eu")),
    ] {
        let app = App::start_with(&settings).await;
        let owner = app.signup("acme").await;
        assert_eq!(
            owner.get(PATH).await.body["edge_url"],
            expected,
            "{settings:?}"
        );
    }
}
