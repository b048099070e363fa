//! Operators among the members enroll and revoke edges; nobody else does.

use harness::{App, User};
use serde_json::{Value, json};

const OPERATOR: (&str, &str) = ("FLEET_OPERATORS", "owner@acme.test, somebody@else.test");
const MAY_NOT_ENROLL: &str = "only operators of this service may enroll edges (FLEET_OPERATORS): ask one to run `halyard edge enroll --name NAME --out FOLDER`";
const MAY_NOT_REVOKE: &str = "only operators of this service may revoke edges (FLEET_OPERATORS): ask one to run `halyard edge revoke NAME`";

async fn operated() -> (App, User) {
    let (app, owner) = App::with_owner_and(&[OPERATOR]).await;
    owner.prove_address(app.pool()).await;
    (app, owner)
}

async fn names(owner: &User) -> Vec<String> {
    let edges = owner.get("/v1/edges").await;
    let all = edges.body["data"].as_array().unwrap().iter();
    let enrolled = all.filter(|edge| edge["kind"] != "built-in");
    let name = |edge: &Value| edge["name"].as_str().unwrap().to_owned();
    enrolled.map(name).collect()
}

async fn history(app: &App) -> Vec<(String, Value)> {
    sqlx::query_as("SELECT action, details FROM operator_events ORDER BY id")
        .fetch_all(app.pool())
        .await
        .unwrap()
}

#[tokio::test]
async fn an_operator_enrolls_an_edge_and_revokes_it() {
    let (app, owner) = operated().await;
    assert_eq!(owner.get("/v1/edges").await.body["may_enroll"], true);
    let body = json!({"name": "fra-1", "region": "us", "valid_for_days": 90});
    let mut made = owner.post("/v1/edges", body).await;
    for (member, mark) in [
        ("ca_pem", "BEGIN CERTIFICATE"),
        ("edge_pem", "BEGIN CERTIFICATE"),
        ("edge_key", "PRIVATE KEY"),
    ] {
        let text = made.body[member].take();
        assert!(text.as_str().unwrap().contains(mark), "{member}");
    }
    let command = made.body["command"].take();
    let command = command.as_str().unwrap();
    assert!(command.starts_with("EDGE_IDENTITY=fra-1 \\\nEDGE_UPSTREAM="));
    assert!(command.ends_with("\nhalyard-edge"));
    made.expect(
        201,
        json!({
            "name": "fra-1", "region": "us", "expires_at": "2026-08-02T12:00:00Z", "ca_pem": null, "edge_pem": null,
            "edge_key": null, "command": null,
        }),
    );
    assert_eq!(names(&owner).await, ["fra-1"]);

    let again = owner.post("/v1/edges", json!({"name": "fra-1"})).await;
    let words = "an edge of this name is enrolled already; revoke it first";
    again.expect(409, json!({"error": words}));

    owner.delete("/v1/edges/fra-1").await.expect_status(204);
    assert!(names(&owner).await.is_empty());
    let gone = owner.delete("/v1/edges/fra-1").await;
    gone.expect(404, json!({"error": "edge not found"}));
    let told = history(&app).await;
    let actions: Vec<_> = told.iter().map(|(action, _)| &**action).collect();
    assert_eq!(actions, ["edge.enrolled", "edge.revoked"]);
    for (_, details) in &told {
        assert_eq!(details["account"], "owner@acme.test");
    }
}

#[tokio::test]
async fn nobody_but_an_operator_enrolls_or_revokes() {
    let (app, owner) = operated().await;
    owner.create("/v1/edges", json!({"name": "any"})).await;
    let eu = json!({"name": "eu-1", "region": "eu"});
    owner.create("/v1/edges", eu).await;
    let admin = app.member(&owner, "admin").await;
    let stranger = app.proven("stranger").await;
    for other in [&admin, &stranger] {
        assert_eq!(other.get("/v1/edges").await.body["may_enroll"], false);
        let refused = other.post("/v1/edges", json!({"name": "b"})).await;
        refused.expect(403, json!({"error": MAY_NOT_ENROLL}));
        let refused = other.delete("/v1/edges/any").await;
        refused.expect(403, json!({"error": MAY_NOT_REVOKE}));
        // Those of other regions are not disclosed.
        let refused = other.delete("/v1/edges/eu-1").await;
        refused.expect(404, json!({"error": "edge not found"}));
    }
    assert_eq!(history(&app).await.len(), 2);
}

#[tokio::test]
async fn an_operator_whose_address_is_not_proven_enrolls_nothing() {
    let (app, owner) = App::with_owner_and(&[OPERATOR]).await;
    let refused = owner.post("/v1/edges", json!({"name": "a"})).await;
    refused.expect(403, json!({"error": MAY_NOT_ENROLL}));
    assert!(history(&app).await.is_empty());
}

#[tokio::test]
async fn an_operator_who_is_only_a_developer_elsewhere_enrolls_nothing_there() {
    let (app, owner) = operated().await;
    let elsewhere = app.signup("elsewhere").await;
    let body = json!({"email": owner.email, "role": "developer"});
    elsewhere
        .post("/v1/members/invite", body)
        .await
        .expect_status(201);
    let developer = User::login(&app.anonymous(), &owner.email, &elsewhere.org_id).await;
    let refused = developer.post("/v1/edges", json!({"name": "a"})).await;
    refused.expect(403, json!({"error": "insufficient permissions"}));
}

#[tokio::test]
async fn what_no_edge_can_be_is_refused() {
    let (app, owner) = operated().await;
    for (body, words) in [
        (json!({}), "name is required"),
        (
            json!({"name": "a b"}),
            "name: a name has 1 to 63 letters, digits, dots and hyphens, and begins and ends with a letter or digit",
        ),
        (
            json!({"name": "halyard-control"}),
            "name: the names of control planes (CONTROL_QUIC_NAME), relays (halyard-relay) and keys that sign (halyard-signer) are not for a single edge",
        ),
        (
            json!({"name": "a", "region": "moon"}),
            "region must be one of us, eu, in",
        ),
        (
            json!({"name": "a", "valid_for_days": 0}),
            "valid_for_days must be an integer from 1 to 3650",
        ),
        (
            json!({"name": "a", "valid_for_days": 3_651}),
            "valid_for_days must be an integer from 1 to 3650",
        ),
    ] {
        let refused = owner.post("/v1/edges", body).await;
        refused.expect(400, json!({"error": words}));
    }
    assert!(history(&app).await.is_empty());
}

#[tokio::test]
async fn of_two_who_enroll_the_same_name_one_does() {
    let (app, owner) = operated().await;
    let enroll = || owner.post("/v1/edges", json!({"name": "fra-1"}));
    let (one, two) = tokio::join!(enroll(), enroll());
    let mut statuses = [one.status, two.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [201, 409]);
    assert_eq!(history(&app).await.len(), 1);
}
