//! Entries of an environment, and of a time.

use std::time::Duration;

use harness::{App, User};
use serde_json::{Value, json};

use super::{column, project};

/// A project is made at 12:00:00, 12:00:10, 12:00:20 and 12:00:30; gives the owner after that.
async fn four_projects(app: &App) -> User {
    let owner = app.signup("acme").await;
    for number in 0..4 {
        if number > 0 {
            app.clock.advance(Duration::from_secs(10));
        }
        project(&owner, &format!("p{number}")).await;
    }
    owner
}

async fn names(owner: &User, query: &str) -> Vec<String> {
    let query = format!("action=project.created&{query}");
    let states = column(owner, &query, "after_state").await;
    let names = states.iter().map(|state| state["name"].as_str().unwrap());
    names.map(str::to_owned).collect()
}

#[tokio::test]
async fn a_period_has_its_beginning_and_not_its_end() {
    let app = App::start().await;
    let owner = four_projects(&app).await;
    for (query, expected) in [
        ("from=2026-05-04T12:00:20Z", vec!["p3", "p2"]),
        ("from=2026-05-04T12:00:20.000001Z", vec!["p3"]),
        (
            "from=2026-05-04T12:00:10Z&to=2026-05-04T12:00:30Z",
            vec!["p2", "p1"],
        ),
        (
            "from=2026-05-04T14:00:10%2B02:00&to=2026-05-04T12:00:10.5Z",
            vec!["p1"],
        ),
        ("from=2026-05-04T12:00:10Z&to=2026-05-04T12:00:10Z", vec![]),
        ("from=2030-01-01T00:00:00Z", vec![]),
        ("to=2020-01-01T00:00:00Z", vec![]),
        ("from=&to=2026-05-04T12:00:20Z&limit=1", vec!["p1"]),
    ] {
        assert_eq!(names(&owner, query).await, expected, "{query}");
    }
    let page = "/v1/audit?action=project.created&from=2026-05-04T12:00:10Z&limit=2";
    let page = owner.get(page).await.body;
    assert_eq!(
        (&page["total"], &page["has_more"]),
        (&json!(3), &json!(true))
    );

    // Also without another filter, and after an entry.
    let alone = column(&owner, "from=2026-05-04T12:00:20Z", "id").await;
    assert_eq!(alone.len(), 2);
    let before = format!(
        "from=2026-05-04T12:00:10Z&before={}",
        alone[1].as_str().unwrap()
    );
    assert_eq!(names(&owner, &before).await, ["p1"]);
}

#[tokio::test]
async fn a_time_that_is_none_is_refused() {
    let (_app, owner) = App::with_owner().await;
    for field in ["from", "to"] {
        for text in [
            "yesterday",
            "2026-05-04",
            "1777896000",
            "2026-05-04T12:00:00",
        ] {
            let refused = owner.get(&format!("/v1/audit?{field}={text}")).await;
            refused.expect_error(400, &format!("{field} must be an RFC 3339 date-time"));
        }
    }
}

#[tokio::test]
async fn a_period_that_ends_before_it_begins_is_refused() {
    let (_app, owner) = App::with_owner().await;
    let refused = owner
        .get("/v1/audit?from=2026-05-04T12:00:01Z&to=2026-05-04T12:00:00Z")
        .await;
    refused.expect_error(400, "from must not be later than to");
}

/// What was done in an environment: `action` of each entry, the newest first.
async fn actions(owner: &User, env: &str, query: &str) -> Vec<Value> {
    column(owner, &format!("env_id={env}{query}"), "action").await
}

#[tokio::test]
async fn an_environment_has_the_entries_about_it_and_what_is_in_it() {
    let (app, owner) = App::with_owner().await;
    let developer = app.member(&owner, "developer").await;
    let project = owner.default_project().await;
    let (dev, staging) = (&project.dev, &project.staging);
    let flags = format!("/v1/projects/{}/flags", project.id);
    let flag = owner.post(&flags, json!({"key": "f", "name": "F"})).await;
    let state = |env: &str| format!("{flags}/f/environments/{env}");
    let on = json!({"enabled": true});
    owner.change(&state(dev), on.clone()).await;
    let off = json!({"enabled": false});
    owner.change(&state(staging), off).await;
    owner
        .act(
            &format!("{flags}/f/promote"),
            json!({"source_env_id": dev, "target_env_id": staging}),
        )
        .await;
    owner
        .act(&format!("{flags}/f/kill"), json!({"env_id": dev}))
        .await;
    owner.api_key(dev).await;
    for action in ["approve", "reject"] {
        let asked = json!({"flag_id": flag.text("/id"), "env_id": dev, "change_type": "enable"});
        let asked = developer.post("/v1/approvals", asked).await;
        let path = format!("/v1/approvals/{}/review", asked.text("/id"));
        owner.act(&path, json!({"action": action})).await;
    }
    let environment = format!("/v1/projects/{}/environments/{dev}", project.id);
    owner.change(&environment, json!({"name": "Devel"})).await;

    let expected = [
        "environment.updated",
        "approval.rejected",
        "approval.created",
        "flag.approved_change_applied",
        "approval.created",
        "api_key.created",
        "flag.killed",
        "flag.state_updated",
        "environment.created",
    ];
    assert_eq!(actions(&owner, dev, "").await, expected);
    assert_eq!(actions(&owner, &dev.to_uppercase(), "").await, expected);
    assert_eq!(
        actions(&owner, staging, "").await,
        ["flag.promoted", "flag.state_updated", "environment.created"]
    );
    let by = format!("&actor_id={}&resource_type=approval", developer.id);
    assert_eq!(actions(&owner, dev, &by).await, ["approval.created"; 2]);
    assert_eq!(
        actions(&owner, "", "").await,
        column(&owner, "", "action").await
    );

    let stranger = app.signup("stranger").await;
    assert_eq!(actions(&stranger, dev, "").await, [""; 0]);
    owner.remove(&environment).await;
    let deleted = actions(&owner, dev, "&limit=1").await;
    assert_eq!(deleted, ["environment.deleted"]);
}
