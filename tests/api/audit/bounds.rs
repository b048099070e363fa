//! How much an entry, a page and a day's entries take, and how far entries are counted.

use std::time::Duration;

use harness::{App, Response, User};
use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

/// A flag of type `json`, and the path of its state.
async fn state(owner: &User) -> String {
    let project = owner.default_project().await;
    let flags = format!("/v1/projects/{}/flags", project.id);
    let body = json!({"key": "f", "name": "F", "flag_type": "json"});
    owner.create(&flags, body).await;
    format!("{flags}/f/environments/{}", project.dev)
}

async fn newest(owner: &User) -> Value {
    let page = owner.get("/v1/audit?limit=1").await;
    page.expect_status(200).body["data"][0].clone()
}

fn length(value: &Value) -> usize {
    value.to_string().len()
}

/// Executes a statement for the owner's organization.
async fn execute(app: &App, owner: &User, statement: &str) {
    let statement = statement.replace("{org}", &format!("'{}'::uuid", owner.org_id));
    sqlx::query(AssertSqlSafe(statement))
        .execute(app.pool())
        .await
        .unwrap();
}

#[tokio::test]
async fn an_entry_about_a_large_state_keeps_its_short_members_and_the_hashes_of_the_rest() {
    let (_app, owner) = App::with_owner().await;
    let path = state(&owner).await;
    let rule = |id: usize, value: &str| json!({"id": id.to_string(), "value": [value]});
    let mut rules: Vec<_> = (0..100).map(|id| rule(id, &"x".repeat(8_000))).collect();
    owner.change(&path, json!({"rules": rules})).await;
    let first = newest(&owner).await;
    assert!(length(&first) < 3_000, "{}", length(&first));
    assert_eq!(first["after_state"]["enabled"], false);
    let omitted = &first["after_state"]["rules"]["omitted"];
    assert!(omitted["bytes"].as_u64().unwrap() > 800_000);
    assert_eq!(omitted["sha256"].as_str().unwrap().len(), 64);

    rules[7] = rule(7, "short");
    let changed = json!({"rules": rules, "enabled": true});
    owner.change(&path, changed).await;
    let second = newest(&owner).await;
    assert!(length(&second) < 5_000, "{}", length(&second));
    let (before, after) = (&second["before_state"], &second["after_state"]);
    assert_eq!(*before, first["after_state"]);
    assert_eq!(after["enabled"], true);
    assert_ne!(before["rules"], after["rules"]);
    assert!(after["rules"]["omitted"]["bytes"].as_u64().unwrap() > 780_000);
    assert!(second["metadata"]["omitted_bytes"].as_u64().unwrap() > 1_500_000);
    assert!(second["metadata"]["env_id"].is_string());
}

#[tokio::test]
async fn beyond_the_budget_of_a_day_changes_are_recorded_with_hashes_in_place_of_states() {
    let (app, owner) = App::with_owner().await;
    let path = state(&owner).await;
    let put = async |value: &str| -> Response {
        let body = json!({"default_value": [value.repeat(500)]});
        owner.change(&path, body).await
    };
    put("a").await;
    let whole = newest(&owner).await;
    assert_eq!(whole["after_state"]["default_value"][0], "a".repeat(500));
    let charged: i64 = app
        .value(
            "SELECT bytes FROM audit_budgets WHERE org_id = $1::uuid",
            &[&owner.org_id],
        )
        .await;
    assert!(charged > 500);

    execute(
        &app,
        &owner,
        "UPDATE audit_budgets SET bytes = 64 * 1024 * 1024 WHERE org_id = {org}",
    )
    .await;
    let answer = put("b").await;
    let brief = newest(&owner).await;
    assert_eq!(brief["action"], "flag.state_updated");
    assert_eq!(brief["actor_id"], json!(owner.id));
    for state in ["before_state", "after_state"] {
        let mark = brief[state]["omitted"].as_object().unwrap();
        assert!(mark["bytes"].as_u64().unwrap() > 500);
        assert_eq!(mark["sha256"].as_str().unwrap().len(), 64);
    }
    assert!(brief["metadata"]["omitted_bytes"].as_u64().unwrap() > 1_000);
    assert_eq!(answer.body["default_value"][0], "b".repeat(500));

    // Of a state that is too long for any entry, the mark is of all of it.
    let body = json!({"default_value": [&"b".repeat(20_000), &"b".repeat(20_000)]});
    owner.change(&path, body).await;
    let brief = newest(&owner).await;
    let mark = &brief["after_state"]["omitted"];
    assert!(mark["bytes"].as_u64().unwrap() > 40_000, "{mark}");
    let states = ["before_state", "after_state"].map(|state| &brief[state]);
    let marks: usize = states.iter().map(|state| length(state)).sum();
    let whole: u64 = states
        .iter()
        .map(|state| state["omitted"]["bytes"].as_u64().unwrap())
        .sum();
    assert_eq!(
        brief["metadata"]["omitted_bytes"].as_u64().unwrap(),
        whole - u64::try_from(marks).unwrap()
    );

    // Another organization has its own budget, and the next day begins anew.
    let other = app.signup("globex").await;
    let their_path = state(&other).await;
    let body = json!({"default_value": ["c".repeat(500)]});
    other.change(&their_path, body).await;
    assert_eq!(newest(&other).await["metadata"].get("omitted_bytes"), None);
    app.clock.advance(Duration::from_secs(24 * 60 * 60));
    let owner = owner.sign_in_again().await;
    let body = json!({"default_value": ["d".repeat(500)]});
    owner.change(&path, body).await;
    let next_day = newest(&owner).await;
    assert_eq!(next_day["after_state"]["default_value"][0], "d".repeat(500));
}

#[tokio::test]
async fn entries_are_counted_up_to_ten_thousand_and_pages_go_on_beyond() {
    let (app, owner) = App::with_owner().await;
    let before = owner.get("/v1/audit").await.body["total"].as_i64().unwrap();
    let insert = |count: i64| {
        format!(
            "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
             SELECT gen_random_uuid(), {{org}}, 'system', 'flag.killed', 'flag', now() - number * interval '1 s'
             FROM generate_series(1, {count}) AS number"
        )
    };
    execute(&app, &owner, &insert(10_000 - before)).await;
    let page = async |query: &str| {
        let page = owner.get(&format!("/v1/audit?{query}")).await;
        page.expect_status(200);
        (
            page.body["total"].as_i64().unwrap(),
            page.body["has_more"].as_bool().unwrap(),
        )
    };
    assert_eq!(page("limit=1").await, (10_000, true));
    assert_eq!(page("limit=1&offset=9999").await, (10_000, false));

    execute(&app, &owner, &insert(500)).await;
    assert_eq!(page("limit=1").await, (10_000, true));
    assert_eq!(page("limit=1&offset=9999").await, (10_001, true));
    assert_eq!(page("limit=1&offset=10499").await, (10_500, false));
    assert_eq!(page("limit=1&offset=20000").await, (10_000, false));
    assert_eq!(page("limit=1&action=project.created").await.0, 1);
}

#[tokio::test]
async fn pages_can_go_on_after_an_entry_and_neither_repeat_nor_leave_out_any() {
    let (app, owner) = App::with_owner().await;
    // Several of one moment.
    execute(
        &app,
        &owner,
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         SELECT gen_random_uuid(), {org}, 'system', 'flag.killed', 'flag', now() + (number % 3) * interval '1 s'
         FROM generate_series(1, 25) AS number",
    )
    .await;
    let ids = |page: &Response| -> Vec<String> {
        let entries = page.body["data"].as_array().unwrap().iter();
        entries
            .map(|entry| entry["id"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = ids(&owner.get("/v1/audit?limit=100&action=flag.killed").await);
    let mut followed: Vec<String> = Vec::new();
    loop {
        let before = followed.last().cloned().unwrap_or_default();
        let path = format!("/v1/audit?limit=10&action=flag.killed&before={before}");
        let page = owner.get(&path).await;
        assert_eq!(page.expect_status(200).body["total"], 25);
        followed.extend(ids(&page));
        if page.body["has_more"] == json!(false) {
            break;
        }
    }
    assert_eq!(followed, all);
    let other = app.signup("globex").await;
    for unknown in [&all[3], "no-id", &other.org_id] {
        let page = other.get(&format!("/v1/audit?before={unknown}")).await;
        assert_eq!(page.expect_status(200).body["data"], json!([]));
    }
}
