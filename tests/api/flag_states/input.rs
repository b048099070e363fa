//! What a state PUT refuses. Every rule has its unit test beside the rule; here is one of each kind, over HTTP.

use serde_json::{Value, json};

use super::Setup;

async fn expect_refusals(setup: &Setup, refusals: &[(Value, &str)]) {
    let before = setup
        .put(json!({"enabled": true, "percentage_rollout": 500}))
        .await
        .body;
    for (body, message) in refusals {
        // A good field beside the bad one is not stored either.
        let mut body = body.clone();
        if body.get("enabled").is_none() {
            body["enabled"] = json!(false);
        }
        setup.put(body).await.expect_error(400, message);
    }
    setup.owner.get(&setup.dev()).await.expect(200, before);
}

#[tokio::test]
async fn fields_of_the_state_are_checked() {
    let setup = Setup::with("number").await;
    let rollout = "percentage_rollout must be an integer in basis points, 0 to 10000";
    let due = "scheduled_enable_at must be an RFC 3339 date-time";
    expect_refusals(
        &setup,
        &[
            (json!({"enabled": null}), "enabled must not be null"),
            (json!({"rules": null}), "rules must not be null"),
            (json!({"variants": null}), "variants must not be null"),
            (
                json!({"default_value": "5"}),
                "default_value must be a number",
            ),
            (json!({"percentage_rollout": -1}), rollout),
            (json!({"percentage_rollout": 10_001}), rollout),
            (json!({"scheduled_enable_at": "tomorrow"}), due),
            (json!({"scheduled_enable_at": "2030-12-31T23:59:60Z"}), due),
            (json!({"scheduled_enable_at": "2030-12-31 23:59:59Z"}), due),
            (json!({"scheduled_enable_at": "2030-12-31\t23:59:59Z"}), due),
            (json!({"scheduled_enable_at": "2030-12-31_23:59:59Z"}), due),
            (
                json!({"scheduled_disable_at": "2026-01-01"}),
                "scheduled_disable_at must be an RFC 3339 date-time",
            ),
        ],
    )
    .await;
    for wrong_type in [
        json!({"enabled": "true"}),
        json!({"rules": {}}),
        json!({"rules": [["a", 1]]}),
        json!({"rules": [{"conditions": [["plan", "eq", ["pro"]]]}]}),
        json!({"variants": [["a", true, 10_000]]}),
        json!({"percentage_rollout": 0.5}),
        json!({"percentage_rollout": "50"}),
        json!({"scheduled_enable_at": 5}),
    ] {
        setup.put(wrong_type).await.expect_status(400);
    }
}

#[tokio::test]
async fn rules_are_checked_with_their_place() {
    let setup = Setup::with("boolean").await;
    let condition = |operator: &str, values: Value| json!({"rules": [{}, {"conditions": [{"attribute": "a", "operator": operator, "values": values}]}]});
    let operators = "rules[1].conditions[0].operator must be one of eq, neq, gt, gte, lt, lte, contains, notIn, in, regex, \
                     startsWith, endsWith, exists";
    expect_refusals(
        &setup,
        &[
            (
                json!({"rules": [{"id": "a"}, {"id": "a"}]}),
                "rule ids must not repeat",
            ),
            (
                json!({"rules": [{"match_type": "none"}]}),
                "rules[0].match_type must be all or any",
            ),
            (
                json!({"rules": [{"percentage": 10_001}]}),
                "rules[0].percentage must be an integer in basis points, 0 to 10000",
            ),
            (
                json!({"rules": [{"value": null}]}),
                "rules[0].value must be a boolean",
            ),
            (
                json!({"rules": vec![json!({}); 101]}),
                "rules must have at most 100 items",
            ),
            (condition("matches", json!(["x"])), operators),
            (
                condition("eq", json!([])),
                "rules[1].conditions[0].values must not be empty",
            ),
            (
                condition("regex", json!(["("])),
                "rules[1].conditions[0].values must be regular expressions of bounded size",
            ),
        ],
    )
    .await;
    let refused = setup.put(condition("eq", json!([5]))).await;
    refused.expect_status(400);
    let refused = setup.put(condition("eq", json!("x"))).await;
    refused.expect_status(400);
    let refused = setup.put(condition("eq", json!(["a\u{0}"]))).await;
    refused.expect_error(400, "text must not contain NUL characters");
}

#[tokio::test]
async fn a_state_has_at_most_200_patterns_over_all_its_rules() {
    let setup = Setup::with("boolean").await;
    let with = |patterns: usize| {
        let values: Vec<_> = (0..patterns).map(|n| format!("^{n}$")).collect();
        let condition = json!({"attribute": "a", "operator": "regex", "values": values});
        json!({"conditions": [condition]})
    };
    // The one that does not compile is not reached.
    let broken = json!({"conditions": [{"attribute": "a", "operator": "regex", "values": ["("]}]});
    expect_refusals(
        &setup,
        &[(
            json!({"rules": [broken, with(100), with(100)]}),
            "rules must have at most 200 regex patterns in all",
        )],
    )
    .await;
    let answer = setup.put(json!({"rules": [with(100), with(100)]})).await;
    answer.expect_status(200);
}

#[tokio::test]
async fn the_compiled_patterns_of_a_state_take_at_most_2_mib() {
    let setup = Setup::with("boolean").await;
    // A few bytes of text that would take megabytes in every edge.
    let rules = |patterns: usize| {
        let values: Vec<_> = (0..patterns).map(|n| format!("N_{n}.{{800}}")).collect();
        json!({"rules": [{"conditions": [{"attribute": "a", "operator": "regex", "values": values}]}]})
    };
    expect_refusals(
        &setup,
        &[
            (
                rules(200),
                "rules[0].conditions[0].values must not bring the compiled regex patterns of all rules beyond 2 MiB",
            ),
            (
                json!({"rules": [{"conditions": [{"attribute": "a", "operator": "regex", "values": ["\\w{200}"]}]}]}),
                "rules[0].conditions[0].values must be regular expressions of bounded size",
            ),
        ],
    )
    .await;
    setup.put(rules(5)).await.expect_status(200);
}

#[tokio::test]
async fn a_state_names_a_bounded_number_of_segments_and_each_once_in_a_rule() {
    let setup = Setup::with("boolean").await;
    let keys = |count: usize| (0..count).map(|n| format!("s{n}")).collect::<Vec<_>>();
    expect_refusals(
        &setup,
        &[
            (
                json!({"rules": [{"segment_keys": keys(101)}]}),
                "rules[0].segment_keys must have at most 100 items",
            ),
            (
                json!({"rules": vec![json!({"segment_keys": keys(100)}); 11]}),
                "rules must name at most 1000 segments in all",
            ),
        ],
    )
    .await;
    let twice = json!({"rules": [{"segment_keys": vec!["large"; 200]}]});
    let stored = setup.put(twice).await;
    stored.expect_status(200);
    assert_eq!(stored.body["rules"][0]["segment_keys"], json!(["large"]));
}

#[tokio::test]
async fn variants_share_the_whole() {
    let setup = Setup::with("ab").await;
    let variant = |key: &str, weight: i64| json!({"key": key, "value": key, "weight": weight});
    expect_refusals(
        &setup,
        &[
            (
                json!({"variants": [variant("a", 9_999)]}),
                "variant weights must sum to 10000",
            ),
            (
                json!({"variants": [variant("a", 5_000), variant("a", 5_000)]}),
                "variant keys must not repeat",
            ),
            (
                json!({"variants": [variant("", 10_000)]}),
                "variants[0].key is required",
            ),
            (
                json!({"variants": [variant("a", 10_001)]}),
                "variants[0].weight must be an integer in basis points, 0 to 10000",
            ),
        ],
    )
    .await;
    let answer = setup
        .put(json!({"variants": [variant("a", 0), variant("b", 10_000)]}))
        .await;
    answer.expect_status(200);
}

#[tokio::test]
async fn a_served_value_has_at_most_64_kib() {
    let setup = Setup::with("ab").await;
    let value = "v".repeat(64 * 1024);
    expect_refusals(
        &setup,
        &[
            (
                json!({"default_value": value}),
                "default_value must have at most 64 KiB",
            ),
            (
                json!({"rules": [{"value": value}]}),
                "rules[0].value must have at most 64 KiB",
            ),
            (
                json!({"variants": [{"key": "a", "value": value, "weight": 10_000}]}),
                "variants[0].value must have at most 64 KiB",
            ),
        ],
    )
    .await;
}
