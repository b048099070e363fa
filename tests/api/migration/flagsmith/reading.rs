//! What is asked for, and what becomes of the answers.

use harness::migration::import;
use serde_json::{Value, json};

use super::source::{Dialect, Flagsmith};
use super::{Target, small_project};

/// What an import makes of the small project, without what differs in every run.
async fn imported(dialect: Dialect) -> (Value, Vec<Value>) {
    let target = Target::new().await;
    let source = Flagsmith::start(dialect, small_project()).await;
    let imported = import(&target.owner, &source.body(&target.project)).await;
    assert_eq!(imported.status["status"], "completed");
    let environments = target.list("environments").await;
    let mut made = json!({"segments": [], "flags": []});
    for segment in target.list("segments").await {
        made["segments"].as_array_mut().unwrap().push(json!([
            segment["key"],
            segment["name"],
            segment["description"],
            segment["match_type"],
            segment["rules"],
        ]));
    }
    for flag in target.list("flags").await {
        let key = flag["key"].as_str().unwrap();
        let mut states = Vec::new();
        for environment in &environments {
            let id = environment["id"].as_str().unwrap();
            let path = format!(
                "/v1/projects/{}/flags/{key}/environments/{id}",
                target.project
            );
            let state = target.owner.get(&path).await.body;
            let rules = state["rules"].as_array().unwrap().iter();
            let rules: Vec<_> = rules
                .map(|rule| json!([rule["conditions"], rule["percentage"], rule["value"]]))
                .collect();
            states.push(json!([
                environment["slug"],
                state["enabled"],
                state["default_value"],
                rules
            ]));
        }
        made["flags"].as_array_mut().unwrap().push(json!([
            key,
            flag["flag_type"],
            flag["default_value"],
            flag["tags"],
            flag["created_at"],
            states,
        ]));
    }
    (made, imported.items)
}

#[tokio::test]
async fn a_project_is_imported_whole() {
    let (made, items) = imported(Dialect::Current).await;
    let alice = json!([{"attribute": "key", "operator": "in", "values": ["alice"]}]);
    let state = |default: Value, rules: Value| {
        json!([
            ["production", true, default, rules],
            ["qa-europe", true, default, rules]
        ])
    };
    let expected = json!({
        "segments": [[
            "provider_c-segment-5", "Germans", "who are there", "all",
            [{"attribute": "country", "operator": "in", "values": ["DE", "AT"]}],
        ]],
        "flags": [
            ["colour", "string", "red", ["team x"], "2024-05-06T07:08:09.123456Z", state(json!("blue"), json!([[alice, 10000, "green"]]))],
            ["layout", "string", "old", ["team x"], "2024-05-06T07:08:09.123456Z",
             state(json!("old"), json!([[alice, 10000, "older"], [[], 3000, "new"]]))],
            ["toggle", "boolean", false, ["team x"], "2024-05-06T07:08:09.123456Z", state(json!(true), json!([[alice, 10000, false]]))],
        ],
    });
    assert_eq!(sorted(made), sorted(expected));
    let verdicts = items.iter().filter(|item| item["verdict"] != "exact");
    let named: Vec<_> = verdicts
        .map(|item| item["source"].as_str().unwrap())
        .collect();
    assert_eq!(named, ["layout"], "only a split is drawn differently");
}

#[tokio::test]
async fn a_server_that_knows_only_older_addresses_gives_the_same() {
    let (current, items) = imported(Dialect::Current).await;
    let (older, older_items) = imported(Dialect::Older).await;
    assert_eq!(sorted(current), sorted(older));
    assert_eq!(items, older_items);
}

#[tokio::test]
async fn identities_at_the_edge_override_alike() {
    let (current, _) = imported(Dialect::Current).await;
    let (edge, _) = imported(Dialect::Edge { answers: true }).await;
    assert_eq!(sorted(current), sorted(edge));
}

#[tokio::test]
async fn overrides_that_cannot_be_read_are_said_of_every_flag() {
    let (_, items) = imported(Dialect::Edge { answers: false }).await;
    for flag in items.iter().filter(|item| item["kind"] == "flag") {
        let reasons = flag["reasons"].to_string();
        for slug in ["production", "qa-europe"] {
            let expected = format!("{slug}: what identities override could not be read");
            assert!(reasons.contains(&expected), "{flag}");
        }
    }
}

#[tokio::test]
async fn an_analysis_counts_flags_by_their_kind() {
    let target = Target::new().await;
    let mut project = small_project();
    project["features"][1]["is_archived"] = json!(true);
    let source = Flagsmith::start(Dialect::Current, project).await;
    let body = source.body(&target.project);
    let analyzed = target.owner.act("/v1/migration/analyze", body).await;
    let summary = json!({"total_flags": 2, "total_environments": 2, "total_segments": 1, "source_system": "provider_c"});
    assert_eq!(analyzed.body["summary"], summary);
    let details = &analyzed.body["details"];
    assert_eq!(
        (&details["boolean_flags"], &details["config_flags"]),
        (&json!(1), &json!(1))
    );
}

#[tokio::test]
async fn the_address_may_lead_to_the_version_or_not() {
    let target = Target::new().await;
    let source = Flagsmith::start(Dialect::Current, small_project()).await;
    for end in ["", "/", "/api", "/api/", "/api/v1", "/api/v1/"] {
        let mut body = source.body(&target.project);
        body["base_url"] = json!(format!("{}{end}", source.url()));
        let connected = target.owner.post("/v1/migration/connect", body).await;
        connected.expect(
            200,
            json!({"status": "connected", "provider": "provider_c"}),
        );
    }
    assert!(
        source
            .asked()
            .iter()
            .all(|path| path.starts_with("/api/v1/environments"))
    );
}

#[tokio::test]
async fn without_a_project_key_there_must_be_one_project() {
    let target = Target::new().await;
    for (others, expected) in [(vec![], 200), (vec![13], 400)] {
        let source = Flagsmith::start_beside(Dialect::Current, small_project(), others).await;
        let mut body = source.body(&target.project);
        body["project_key"] = json!("");
        target
            .owner
            .act("/v1/migration/connect", body.clone())
            .await;
        let analyzed = target.owner.post("/v1/migration/analyze", body).await;
        analyzed.expect_status(expected);
        if expected == 400 {
            let words = "project_key is required: the credential is not for exactly one project";
            analyzed.expect_error(400, words);
        }
    }
}

#[tokio::test]
async fn older_servers_tell_the_project_of_a_credential() {
    let target = Target::new().await;
    let source = Flagsmith::start(Dialect::Older, small_project()).await;
    let mut body = source.body(&target.project);
    body["project_key"] = json!("");
    let analyzed = target.owner.act("/v1/migration/analyze", body).await;
    assert_eq!(analyzed.body["summary"]["total_flags"], 3);
}

#[tokio::test]
async fn a_wrong_credential_and_an_unknown_project_are_refused() {
    let target = Target::new().await;
    let source = Flagsmith::start(Dialect::Current, small_project()).await;
    let mut body = source.body(&target.project);
    body["project_key"] = json!("999");
    let refused = target.owner.post("/v1/migration/connect", body).await;
    refused.expect_error(400, "the source answered 404");
    let mut body = source.body(&target.project);
    body["api_key"] = json!("wrong");
    let refused = target.owner.post("/v1/migration/connect", body).await;
    refused.expect_error(400, "the source answered 401");
}

/// Lists whose order means nothing, in one order.
fn sorted(mut made: Value) -> Value {
    for list in ["segments", "flags"] {
        let list = made[list].as_array_mut().unwrap();
        for item in list.iter_mut() {
            let last = item.as_array_mut().unwrap().last_mut().unwrap();
            if let Some(states) = last.as_array_mut() {
                states.sort_by_key(|state| state[0].to_string());
            }
        }
        list.sort_by_key(|item| item[0].to_string());
    }
    made
}
