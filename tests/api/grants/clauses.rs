//! Each clause of a grant, and the refusals named after it.

use std::time::Duration;

use serde_json::json;

use super::{Stage, expect_clause, roll, stored};

#[tokio::test]
async fn a_raise_within_the_budget_needs_no_approval_and_is_told_in_the_audit_log() {
    let stage = Stage::new().await;
    let refused = stage.roll(1_500).await;
    refused.expect_status(403);
    assert!(refused.body.get("grants").is_none());
    let grant = stage.give(json!({})).await;
    stage.roll(1_500).await.expect_status(200);
    assert_eq!(stage.rollout().await, 1_500);
    assert_eq!(stage.left(&grant).await, 500);
    let log = "/v1/audit?action=flag.state_updated&limit=1";
    let entry = stage.setup.owner.get(log).await;
    let told = &entry.body["data"][0]["metadata"]["grant"];
    assert_eq!(told["points"], 500, "{:#}", entry.body);
    assert!(grant.ends_with(told["id"].as_str().unwrap()));
}

#[tokio::test]
async fn what_is_raised_counts_over_flags_and_rules_and_comes_back_after_the_window() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    stage.roll(1_400).await.expect_status(200);
    let rule = json!({"rules": [{"id": "r", "percentage": 1400, "value": true}]});
    stage.developer.change(&stage.state, rule).await;
    stage.setup.app.clock.advance(Duration::from_secs(300));
    let message = "this raises by 2.01 points; 2 are left of 10 in 600 seconds";
    expect_clause(&stage.roll(1_601).await, "max_raise", message);
    stage.roll(1_600).await.expect_status(200);
    let shown = stage.setup.owner.get(&grant).await;
    assert_eq!(shown.body["left"], 0);
    assert_eq!(shown.body["more_at"], "2026-05-04T12:10:00Z");
    stage.setup.app.clock.advance(Duration::from_secs(300));
    assert_eq!(stage.left(&grant).await, 800);
    stage.roll(2_400).await.expect_status(200);
    stage.roll(2_401).await.expect_status(403);
}

#[tokio::test]
async fn lowering_is_a_clause_of_its_own_and_gives_nothing_back() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    stage.roll(2_000).await.expect_status(200);
    let message = "it allows no lowering of percentages";
    expect_clause(&stage.roll(500).await, "lower", message);
    let body = stage.body(json!({"lower": true})).await;
    stage.setup.owner.change(&grant, body).await;
    stage.roll(500).await.expect_status(200);
    assert_eq!(stage.left(&grant).await, 0);
}

#[tokio::test]
async fn a_flag_without_one_of_the_tags_is_not_covered() {
    let stage = Stage::new().await;
    let path = format!("{}/shop", stage.setup.flags());
    stage.give(json!({})).await;
    let other = json!({"tags": ["mobile"]});
    stage.setup.owner.change(&path, other).await;
    let message = "the flag has none of the tags web";
    expect_clause(&stage.roll(1_100).await, "tags", message);
    let both = json!({"tags": ["mobile", "web"]});
    stage.setup.owner.change(&path, both).await;
    stage.roll(1_100).await.expect_status(200);
}

#[tokio::test]
async fn whatever_is_no_percentage_becomes_a_request() {
    let stage = Stage::new().await;
    stage.give(json!({"lower": true, "kill": true})).await;
    for (change, fields) in [
        (json!({"percentage_rollout": null}), "percentage_rollout"),
        (json!({"default_value": false}), "default_value"),
        (json!({"rules": []}), "rules"),
        (
            json!({"rules": [{"id": "r", "percentage": 1100, "value": false}]}),
            "rules",
        ),
        (
            json!({"percentage_rollout": 1100, "scheduled_disable_at": "2026-06-01T00:00:00Z"}),
            "scheduled_disable_at",
        ),
        (
            json!({"variants": [{"key": "a", "weight": 10000, "value": true}]}),
            "variants",
        ),
    ] {
        let refused = stage.developer.put(&stage.state, change).await;
        let message = format!("grants are for percentages alone; this changes more of {fields}");
        expect_clause(&refused, "max_raise", &message);
    }
    let refused = stage.roll(9_000).await;
    let request = refused.body["approval"]["body"].clone();
    let asked = stage.developer.create("/v1/approvals", request).await;
    let review = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approve = json!({"action": "approve"});
    stage.setup.owner.act(&review, approve).await;
    assert_eq!(stage.rollout().await, 9_000);
}

#[tokio::test]
async fn killing_is_not_bound_to_budget_and_hours() {
    let stage = Stage::new().await;
    let sundays = json!({"days": ["sunday"]});
    let grant = stage.give(json!({"hours": sundays})).await;
    let off = || json!({"enabled": false});
    let refused = stage.developer.put(&stage.state, off()).await;
    let message = "it allows no switching off; the kill switch works without it";
    expect_clause(&refused, "kill", message);
    let body = json!({"hours": sundays, "kill": true, "max_raise": 0});
    let body = stage.body(body).await;
    stage.setup.owner.change(&grant, body).await;
    stage.developer.change(&stage.state, off()).await;
    let on = stage
        .developer
        .put(&stage.state, json!({"enabled": true}))
        .await;
    let message = "grants are for percentages alone; this changes more of enabled";
    expect_clause(&on, "max_raise", message);
    stage.setup.owner.remove(&grant).await;
    let kill = format!("{}/shop/kill", stage.setup.flags());
    let place = json!({"env_id": "production"});
    stage.developer.act(&kill, place).await;
}

#[tokio::test]
async fn hours_are_those_on_the_clocks_of_the_zone_in_summer_and_in_winter() {
    let stage = Stage::new().await;
    let hours = json!({"from": "10:00", "until": "17:00", "time_zone": "Europe/Berlin"});
    let grant = stage.give(json!({"hours": hours})).await;
    let days = Duration::from_secs(24 * 60 * 60);
    let again = async |points: i64| {
        let developer = stage.developer.sign_in_again().await;
        roll(&developer, &stage.state, points).await
    };
    // Monday, 4 May 2026, 12:00 UTC.
    stage.roll(1_001).await.expect_status(200);
    // Friday, 23 October, 08:30 UTC.
    let clock = &stage.setup.app.clock;
    clock.advance(days * 171 + days / 24 * 41 / 2);
    let friday = again(1_002).await;
    friday.expect_status(200);
    clock.advance(days);
    let saturday = again(1_003).await;
    let message = |day, time| {
        format!(
            "it is {day}, {time} in Europe/Berlin: it allows from 10:00 until 17:00 on monday, tuesday, wednesday, thursday, \
             friday"
        )
    };
    expect_clause(&saturday, "hours", &message("saturday", "10:30"));
    // The clocks were set back on Sunday.
    clock.advance(days * 2);
    let monday = again(1_003).await;
    expect_clause(&monday, "hours", &message("monday", "09:30"));
    let owner = stage.setup.owner.sign_in_again().await;
    let closed = owner.get(&grant).await.body["closed"].clone();
    assert_eq!(closed["clause"], "hours");
    clock.advance(days / 48);
    let later = again(1_003).await;
    later.expect_status(200);
}

#[tokio::test]
async fn a_grant_ends_at_its_time() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({"ends_at": "2026-05-04T12:05:00Z"})).await;
    stage.roll(1_001).await.expect_status(200);
    stage.setup.app.clock.advance(Duration::from_secs(300));
    expect_clause(&stage.roll(1_002).await, "ends_at", "it has ended");
    let shown = stage.setup.owner.get(&grant).await;
    assert_eq!(shown.body["closed"]["clause"], "ends_at");
}

#[tokio::test]
async fn rolling_back_is_a_change_as_any_other_and_a_dry_run_uses_nothing() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({"lower": true})).await;
    let dry = format!("{}?dry_run=true", stage.state);
    let tried = roll(&stage.developer, &dry, 2_000).await;
    tried.expect_status(200);
    assert_eq!(stage.left(&grant).await, 1_000);
    stage.roll(2_000).await.expect_status(200);
    let rollback = format!("{}/shop/rollback", stage.setup.flags());
    // The second version is the state as it was first stored.
    let body = json!({"env_id": "production", "version": 2});
    stage.developer.act(&rollback, body).await;
    assert_eq!(stage.rollout().await, stored()["percentage_rollout"]);
}

#[tokio::test]
async fn definitions_that_are_applied_use_grants_and_request_the_rest() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    let flags = stage.setup.flags();
    let other = json!({"key": "other", "name": "Other", "tags": ["web"]});
    stage.setup.owner.create(&flags, other).await;
    let content = format!("/v1/projects/{}/content", stage.setup.project.id);
    let state = |points| json!({"production": {"percentage_rollout": points}});
    let body = json!({"flags": [
        {"key": "shop", "states": state(1_900)},
        {"key": "other", "states": state(100)},
    ]});
    let applied = stage.developer.act(&content, body).await;
    assert_eq!(stage.rollout().await, 1_900);
    assert_eq!(stage.left(&grant).await, 100);
    let asked = applied.body["approvals"].as_array().unwrap();
    assert_eq!(asked.len(), 1, "{:#}", applied.body);
    assert_eq!(asked[0]["flag_key"], "other");
}

#[tokio::test]
async fn a_promotion_that_only_moves_percentages_uses_a_grant() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let dev = format!("{}/shop/environments/dev", setup.flags());
    let promote = format!("{}/shop/promote", setup.flags());
    let place = json!({"source_env_id": "dev", "target_env_id": "production"});
    let mut raised = stored();
    raised["percentage_rollout"] = json!(1_600);
    setup.owner.change(&dev, raised).await;
    developer.act(&promote, place.clone()).await;
    assert_eq!(stage.rollout().await, 1_600);
    assert_eq!(stage.left(&grant).await, 400);
    let more = json!({"default_value": true});
    setup.owner.change(&dev, more).await;
    let refused = developer.post(&promote, place).await;
    let message = "grants are for percentages alone; this changes more of default_value";
    expect_clause(&refused, "max_raise", message);
}

#[tokio::test]
async fn a_bulk_edit_uses_a_grant_for_each_flag_that_it_covers() {
    let stage = Stage::new().await;
    stage.give(json!({"kill": true})).await;
    let Stage {
        setup, developer, ..
    } = &stage;
    let other = json!({"key": "other", "name": "Other"});
    setup.owner.create(&setup.flags(), other).await;
    let bulk = format!("/v1/projects/{}/bulk", setup.project.id);
    let body = json!({"action": "disable", "env_id": "production", "keys": ["shop", "other"]});
    let edited = developer.post(&bulk, body).await;
    let statuses: Vec<_> = edited.body["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|one| one["status"].as_u64().unwrap())
        .collect();
    assert_eq!(statuses, [200, 403], "{:#}", edited.body);
    let state = setup.owner.get(&stage.state).await;
    assert_eq!(state.body["enabled"], false);
}

#[tokio::test]
async fn a_change_set_uses_no_grant() {
    let stage = Stage::new().await;
    let grant = stage.give(json!({})).await;
    let sets = format!("/v1/projects/{}/change-sets", stage.setup.project.id);
    let states = json!({"production": {"percentage_rollout": 1_100}});
    let body = json!({"name": "Raise", "changes": {"flags": [{"key": "shop", "states": states}]}});
    let drafted = stage.developer.create(&sets, body).await;
    let apply = format!("{sets}/{}/apply", drafted.text("/id"));
    let refused = stage.developer.post(&apply, json!({})).await;
    refused.expect_status(403);
    assert_eq!(refused.body["error"], "approval_required");
    assert_eq!(stage.left(&grant).await, 1_000);
}
