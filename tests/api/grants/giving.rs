//! Giving, changing and withdrawing grants.

use std::collections::BTreeMap;

use harness::Caller;
use serde_json::{Value, json};

use super::{Stage, expect_clause};

#[tokio::test]
async fn a_grant_is_shown_as_it_was_given_with_what_is_left() {
    let stage = Stage::new().await;
    let hours =
        json!({"days": ["friday", "monday"], "from": "09:00", "time_zone": "America/New_York"});
    let grant = stage
        .give(json!({"hours": hours, "lower": true, "ends_at": "2027-01-01T01:00:00+01:00"}))
        .await;
    let shown = stage.setup.owner.get(&grant).await;
    let id = grant.rsplit('/').next().unwrap();
    let expected = json!({
        "id": id, "env_id": stage.setup.project.production, "name": "Rollouts",
        "holder": {"kind": "member", "id": stage.developer.member_id().await}, "holder_name": "developer",
        "tags": ["web"], "max_raise": 1000, "window_seconds": 600, "lower": true, "kill": false,
        "hours": {"days": ["monday", "friday"], "from": "09:00", "until": "24:00", "time_zone": "America/New_York"},
        "ends_at": "2027-01-01T00:00:00Z", "given_by": stage.setup.owner.id, "created_at": "2026-05-04T12:00:00Z",
        "left": 1000, "more_at": null,
        "closed": {
            "clause": "hours",
            "message": "it is monday, 08:00 in America/New_York: it allows from 09:00 until 24:00 on monday, friday",
        },
    });
    assert_eq!(shown.body, expected);
    assert_eq!(shown.header("etag"), "\"1\"");
    let all = stage.developer.get(&stage.grants).await;
    assert_eq!(all.body, json!({"data": [expected]}));
}

#[tokio::test]
async fn grants_are_listed_by_environment_and_by_who_can_use_them() {
    let stage = Stage::new().await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let admin = setup.app.member(&setup.owner, "admin").await;
    stage.give(json!({})).await;
    let of_admin = json!({"kind": "member", "id": admin.member_id().await});
    stage
        .give(json!({"name": "B", "holder": of_admin, "env_id": setup.project.dev}))
        .await;
    let names = async |caller: &Caller, query: &str| {
        let listed = caller.get(&format!("{}{query}", stage.grants)).await;
        let data = listed.body["data"].as_array().unwrap().clone();
        data.iter()
            .map(|one| one["name"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(developer, "").await, ["Rollouts", "B"]);
    assert_eq!(names(developer, "?mine=true").await, ["Rollouts"]);
    assert_eq!(names(&admin, "?mine=true&env_id=dev").await, ["B"]);
    assert_eq!(names(&admin, "?env_id=production").await, ["Rollouts"]);
    assert!(names(&setup.owner, "?mine=true").await.is_empty());
}

#[tokio::test]
async fn bodies_that_break_a_rule_are_refused() {
    let stage = Stage::new().await;
    for (others, message) in [
        (
            json!({"name": " ", "env_id": null, "holder": null}),
            "name, env_id and holder are required",
        ),
        (
            json!({"holder": {"kind": "team", "id": stage.setup.owner.id}}),
            "holder.kind must be member, role or access_token",
        ),
        (
            json!({"holder": {"kind": "member"}}),
            "holder.id is required",
        ),
        (
            json!({"max_raise": 10001}),
            "max_raise must be an integer from 0 to 10000",
        ),
        (
            json!({"window_seconds": 59}),
            "window_seconds must be an integer from 60 to 604800",
        ),
        (
            json!({"max_raise": 0}),
            "a grant allows something: max_raise, lower or kill",
        ),
        (
            json!({"tags": vec!["t"; 1].into_iter().chain(["", "u"]).collect::<Vec<_>>()}),
            "a tag must have 1 to 64 characters",
        ),
        (
            json!({"tags": (0..21).map(|n| n.to_string()).collect::<Vec<_>>()}),
            "tags must have at most 20 items",
        ),
        (
            json!({"hours": {"time_zone": "Europe/Atlantis"}}),
            "hours.time_zone must be a name of the time zone database, such as Europe/Berlin",
        ),
        (
            json!({"hours": {"days": []}}),
            "hours.days must be some of monday, tuesday, wednesday, thursday, friday, saturday and sunday",
        ),
        (
            json!({"hours": {"from": "17:00", "until": "09:00"}}),
            "hours.from and hours.until must be times such as 09:00, until (at most 24:00) the later one",
        ),
        (
            json!({"ends_at": "tomorrow"}),
            "ends_at must be a date-time (RFC 3339)",
        ),
        (
            json!({"ends_at": "2026-05-04T12:00:00Z"}),
            "ends_at must be in the future",
        ),
        (
            json!({"holder": {"kind": "member", "id": stage.setup.owner.member_id().await}}),
            "nobody gives a grant to themselves",
        ),
    ] {
        let body = stage.body(others).await;
        let refused = stage.setup.owner.post(&stage.grants, body).await;
        refused.expect_error(400, message);
    }
}

#[tokio::test]
async fn holders_and_environments_of_others_are_not_found() {
    let stage = Stage::new().await;
    let stranger = stage.setup.app.signup("rival").await;
    let theirs = stranger.default_project().await;
    let unknown = stranger.member_id().await;
    let token = stranger.create("/v1/me/tokens", json!({"name": "x"})).await;
    for (kind, id, message) in [
        ("member", unknown.clone(), "member not found"),
        ("role", unknown, "role not found"),
        ("access_token", token.text("/id"), "access token not found"),
    ] {
        let body = stage
            .body(json!({"holder": {"kind": kind, "id": id}}))
            .await;
        let refused = stage.setup.owner.post(&stage.grants, body).await;
        refused.expect_error(404, message);
    }
    let body = stage.body(json!({"env_id": theirs.production})).await;
    let refused = stage.setup.owner.post(&stage.grants, body).await;
    refused.expect_error(404, "environment not found");
    let grant = stage.give(json!({})).await;
    let id = grant.rsplit('/').next().unwrap();
    let at_theirs = format!("/v1/projects/{}/grants/{id}", theirs.id);
    stranger
        .get(&at_theirs)
        .await
        .expect_error(404, "grant not found");
    stranger.get(&grant).await.expect_status(404);
    let answers = [
        stranger.put(&at_theirs, stage.body(json!({})).await).await,
        stranger.delete(&at_theirs).await,
    ];
    assert!(answers.iter().all(|answer| answer.status == 404));
}

#[tokio::test]
async fn a_changed_grant_keeps_what_was_used_and_has_a_new_giver() {
    let stage = Stage::new().await;
    let Stage { setup, .. } = &stage;
    let grant = stage.give(json!({})).await;
    stage.roll(1_800).await.expect_status(200);
    let admin = setup.app.member(&setup.owner, "admin").await;
    let body = stage.body(json!({"max_raise": 900})).await;
    let stale = admin.request(reqwest::Method::PUT, &grant);
    let stale = admin
        .send(stale.header("If-Match", "\"2\"").json(&body))
        .await;
    stale.expect_status(412);
    let changed = admin.change(&grant, body.clone()).await;
    assert_eq!(changed.body["left"], 100);
    assert_eq!(changed.body["given_by"], admin.id.as_str());
    assert_eq!(changed.header("etag"), "\"2\"");
    let same = admin.change(&grant, body).await;
    assert_eq!(same.header("etag"), "\"2\"");
    setup.owner.remove(&grant).await;
    setup
        .owner
        .get(&grant)
        .await
        .expect_error(404, "grant not found");
    let refused = stage.roll(1_801).await;
    refused.expect_status(403);
    assert!(refused.body.get("grants").is_none());
}

#[tokio::test]
async fn an_organization_has_a_bounded_number_of_grants() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    let id = grant.rsplit('/').next().unwrap();
    sqlx::query(
        "INSERT INTO grants SELECT (jsonb_populate_record(g, jsonb_build_object('id', gen_random_uuid()))).*
         FROM grants g, generate_series(1, 199) WHERE g.id = $1::uuid",
    )
    .bind(id)
    .execute(stage.setup.app.pool())
    .await
    .unwrap();
    let body = stage.body(json!({})).await;
    let refused = stage.setup.owner.post(&stage.grants, body).await;
    refused.expect_error(400, "an organization has at most 200 grants");
}

#[tokio::test]
async fn a_grant_ends_with_its_givers_right_to_approve() {
    let stage = Stage::new().await;
    let Stage { setup, .. } = &stage;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let body = stage.body(json!({})).await;
    let given = admin.create(&stage.grants, body).await;
    let grant = format!("{}/{}", stage.grants, given.text("/id"));
    stage.roll(1_100).await.expect_status(200);
    let member = format!("/v1/members/{}", admin.member_id().await);
    let role = json!({"role": "developer"});
    setup.owner.put(&member, role).await.expect_status(204);
    let message = "whoever gave it may not approve changes any more";
    expect_clause(&stage.roll(1_200).await, "given_by", message);
    let closed = setup.owner.get(&grant).await.body["closed"].clone();
    assert_eq!(closed, json!({"clause": "given_by", "message": message}));
    setup.owner.remove(&member).await;
    expect_clause(&stage.roll(1_200).await, "given_by", message);
    let body = stage.body(json!({})).await;
    setup.owner.change(&grant, body).await;
    stage.roll(1_200).await.expect_status(200);
}

#[tokio::test]
async fn the_audit_log_tells_what_became_of_a_grant() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    let body = stage.body(json!({"name": "Other"})).await;
    stage.setup.owner.change(&grant, body).await;
    stage.setup.owner.remove(&grant).await;
    let log = stage.setup.owner.get("/v1/audit?limit=3").await;
    let entries = log.body["data"].as_array().unwrap();
    let told: BTreeMap<_, _> = entries
        .iter()
        .map(|entry| {
            let name = |side: &str| entry[side]["name"].clone();
            let action = entry["action"].as_str().unwrap();
            (action, (name("before_state"), name("after_state")))
        })
        .collect();
    let expected = [
        ("grant.created", (Value::Null, json!("Rollouts"))),
        ("grant.deleted", (json!("Other"), Value::Null)),
        ("grant.updated", (json!("Rollouts"), json!("Other"))),
    ];
    assert_eq!(told, expected.into_iter().collect(), "{:#}", log.body);
}
