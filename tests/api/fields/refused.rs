//! Inside of rules, conditions and variants an unknown field is refused, wherever they are sent.

use serde_json::{Value, json};

use super::{Setup, ignored};

const RULE: &str =
    "id, priority, description, conditions, segment_keys, percentage, value, match_type";

/// What may be wrong in a flag state, and what is said of it.
fn misspelt() -> Vec<(Value, String)> {
    let condition = |condition: Value| json!({"rules": [{}, {"conditions": [condition]}]});
    [
        (
            json!({"rules": [{"segmentKeys": ["beta"], "value": true}]}),
            "rules[0].segmentKeys is no field; did you mean segment_keys?",
        ),
        (
            json!({"rules": [{}, {"condition": []}]}),
            "rules[1].condition is no field; did you mean conditions?",
        ),
        (
            condition(json!({"attribute": "plan", "op": "eq", "values": ["pro"]})),
            "rules[1].conditions[0].op is no field; did you mean operator?",
        ),
        (
            condition(
                json!({"attribute": "plan", "operator": "eq", "value": "pro", "values": ["x"]}),
            ),
            "rules[1].conditions[0].value is no field; did you mean values?",
        ),
        (
            json!({"variants": [{"key": "a", "weigth": 10_000, "weight": 10_000}]}),
            "variants[0].weigth is no field; did you mean weight?",
        ),
        (
            json!({"rules": [{"enabled": false}]}),
            &format!("rules[0].enabled is no field; there are {RULE}"),
        ),
        (
            json!({"rules": [{"": 1}]}),
            &format!("rules[0]. is no field; there are {RULE}"),
        ),
    ]
    .map(|(state, message)| (state, message.to_owned()))
    .to_vec()
}

#[tokio::test]
async fn a_misspelt_rule_of_a_state_is_refused_and_changes_nothing() {
    let setup = Setup::new().await;
    let before = json!({"enabled": true, "percentage_rollout": 500});
    let before = setup.owner.change(&setup.state(), before).await;
    for (mut state, message) in misspelt() {
        state["enabled"] = json!(false);
        let refused = setup.owner.put(&setup.state(), state).await;
        refused.expect_error(400, &message);
    }
    let after = setup.owner.get(&setup.state()).await;
    after.expect(200, before.body.clone());
}

#[tokio::test]
async fn a_misspelt_rule_of_a_draft_is_refused_at_its_place() {
    let setup = Setup::new().await;
    for (draft, message) in misspelt() {
        let refused = setup
            .owner
            .post("/v1/explain", setup.question(&draft))
            .await;
        refused.expect_error(400, &format!("state.{message}"));
    }
}

#[tokio::test]
async fn a_misspelt_rule_of_a_payload_is_refused_at_its_place() {
    let setup = Setup::new().await;
    for (payload, message) in misspelt() {
        let asked = setup.asking(&payload);
        let refused = setup.owner.post("/v1/approvals", asked).await;
        refused.expect_error(400, &format!("payload.{message}"));
    }
    let listed = setup.owner.get("/v1/approvals").await;
    assert_eq!(listed.body["total"], 0);
}

#[tokio::test]
async fn a_misspelt_rule_that_waits_for_approval_is_not_applied() {
    let setup = Setup::new().await;
    let good = json!({"rules": [{"segment_keys": ["beta"], "value": true}]});
    let asked = setup
        .owner
        .create("/v1/approvals", setup.asking(&good))
        .await;
    // As one that was stored when rules could have any fields.
    setup.app.execute(
        "UPDATE approvals SET payload = '{\"rules\": [{\"segmentKeys\": [\"beta\"], \"value\": true}]}'
         WHERE org_id = $1::uuid",
        &[&setup.owner.org_id],
    )
    .await;
    let admin = setup.app.member(&setup.owner, "admin").await;
    let path = format!("/v1/approvals/{}/review", asked.text("/id"));
    let approved = admin.post(&path, json!({"action": "approve"})).await;
    approved.expect_error(
        409,
        "the approval request can no longer be applied: payload.rules[0].segmentKeys is no field",
    );
    let state = setup.owner.get(&setup.state()).await;
    state.expect(200, json!({"enabled": false}));
    admin.act(&path, json!({"action": "reject"})).await;
}

#[tokio::test]
async fn a_misspelt_condition_of_a_segment_is_refused() {
    let setup = Setup::new().await;
    let segments = format!("{}/segments", setup.path);
    let segment = |rule: &Value| json!({"key": "s", "name": "S", "rules": [rule]});
    let good = json!({"attribute": "plan", "operator": "exists"});
    let made = setup.owner.create(&segments, segment(&good)).await;
    for (rule, message) in [
        (
            json!({"atribute": "plan", "operator": "exists"}),
            "rules[0].atribute is no field; did you mean attribute?",
        ),
        (
            json!({"attribute": "plan", "operator": "exists", "segmentKeys": []}),
            "rules[0].segmentKeys is no field; there are attribute, operator, values",
        ),
    ] {
        let other = json!({"key": "t", "name": "T", "rules": [rule]});
        let refused = setup.owner.post(&segments, other).await;
        refused.expect_error(400, message);
        let refused = setup
            .owner
            .put(&format!("{segments}/s"), segment(&rule))
            .await;
        refused.expect_error(400, message);
    }
    let listed = setup.owner.get(&segments).await;
    assert_eq!(listed.body["data"], json!([made.body]));
}

#[tokio::test]
async fn of_a_very_long_name_the_beginning_is_told() {
    let setup = Setup::new().await;
    let long = "é".repeat(100_000);
    let refused = setup
        .owner
        .put(&setup.state(), json!({"rules": [{&long: 1}]}))
        .await;
    let told = "é".repeat(100);
    refused.expect_error(
        400,
        &format!("rules[0].{told}... is no field; there are {RULE}"),
    );
    assert_eq!(ignored(&refused), None);
}
