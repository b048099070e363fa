//! Rules of a draft that never serve or match less than they seem to, and the values that it serves beside its rules.

use serde_json::{Value, json};

use super::Setup;

fn german() -> Value {
    json!({"attribute": "country", "operator": "notIn", "values": ["DE"]})
}

#[tokio::test]
async fn rules_that_never_serve_are_warned_about() {
    let setup = Setup::new().await;
    let state = json!({"rules": [
        {"id": "a", "conditions": [german()], "value": true},
        {"id": "b", "conditions": [german()], "percentage": 5000, "value": false},
        {"id": "c", "percentage": 0, "value": true},
        {"id": "d", "conditions": [{"attribute": "v", "operator": "gt", "values": ["new"]}], "value": true},
    ]});
    let told = setup.explain(setup.question_with(&json!({"state": state})));
    let told = told.await;
    told.expect_status(200);
    let absent = "does not match contexts without country; to include them, \
                  add a condition that it is missing, and match any";
    let warning = |place: &str, message: &str| json!({"place": place, "message": message});
    assert_eq!(
        told.body["warnings"],
        json!([
            warning("rules[0].conditions[0]", absent),
            warning(
                "rules[1]",
                "never reached: rules[0] serves everyone whom it matches"
            ),
            warning("rules[1].conditions[0]", absent),
            warning("rules[2]", "serves nobody: its percentage is 0"),
            warning(
                "rules[3].conditions[0]",
                "never matches: new is no number, date-time or version"
            ),
        ])
    );
}

#[tokio::test]
async fn a_draft_is_answered_with_the_values_beside_its_rules() {
    let setup = Setup::new().await;
    let some = json!([{"id": "a", "conditions": [german()]}]);
    let everyone = json!([{"id": "a", "percentage": 50}, {"id": "b"}]);
    for (state, fallthrough, unset, last) in [
        (json!({}), true, true, None),
        (json!({"default_value": false}), false, true, None),
        (json!({"rules": some}), false, false, None),
        (
            json!({"rules": some, "percentage_rollout": 2500}),
            true,
            true,
            None,
        ),
        (
            json!({"rules": everyone, "default_value": true}),
            true,
            false,
            Some("b"),
        ),
    ] {
        let told = setup.explain(setup.question_with(&json!({"state": state})));
        let told = told.await;
        told.expect_status(200);
        assert_eq!(
            told.body["draft"],
            json!({
                "fallthrough_value": fallthrough, "unset_value": unset, "rule_value": true, "last_rule_id": last,
            }),
            "{state}"
        );
    }
}

#[tokio::test]
async fn the_values_beside_rules_are_of_the_flag_s_type() {
    let setup = Setup::new().await;
    let flags = format!("/v1/projects/{}/flags", setup.project.id);
    let plan =
        json!({"key": "plan", "name": "Plan", "flag_type": "string", "default_value": "none"});
    setup.owner.create(&flags, plan).await;
    let state = json!({"default_value": "basic", "rules": [{"id": "a", "percentage": 50}]});
    let question = setup.question_with(&json!({"flag_key": "plan", "state": state}));
    assert_eq!(
        setup.explain(question).await.body["draft"],
        json!({
            "fallthrough_value": "basic", "unset_value": "none", "rule_value": "basic", "last_rule_id": null,
        })
    );
}
