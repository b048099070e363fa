//! Flags as such: variants, dependencies, types.

use protocol::snapshot::FlagType;
use serde_json::{Value, json};

use super::{
    super::{Source, translate},
    flag_of, plan, rules, said,
};
use crate::plan::Choices;

const NAMES: &str = "the names of its variants are not kept: rules serve values, and no variant";
const WHO: &str = "which users a percentage reaches differs, since users are hashed in another way; the shares are the same";

#[test]
fn the_variants_of_a_strategy_for_everybody_keep_their_names() {
    let variants = json!([
        {"name": "blue", "weight": 333, "payload": {"type": "string", "value": "B"}},
        {"name": "green", "weight": 667, "payload": {"type": "string", "value": "G"}},
    ]);
    let listed = json!({"name": "userWithId", "parameters": {"userIds": "ada"}});
    let rollout = |percentage: &str| json!({"name": "flexibleRollout", "parameters": {"rollout": percentage}, "variants": variants});
    let flag = flag_of(json!([listed, rollout("30")]));
    assert_eq!(flag.flag_type, FlagType::Ab);
    let state = &flag.states[0];
    assert_eq!(
        json!(state.variants),
        json!([{"key": "blue", "value": "B", "weight": 3_330}, {"key": "green", "value": "G", "weight": 6_670}])
    );
    assert_eq!(state.percentage_rollout, Some(3_000));
    assert_eq!(
        rules(&flag),
        json!([["all", [["key", "in", ["ada"]]], [], 10_000, ""]])
    );
    // Strategies after it are never asked.
    let flag = flag_of(json!([rollout("100"), listed]));
    assert_eq!(flag.states[0].percentage_rollout, None);
    assert_eq!((rules(&flag), said(&flag)), (json!([]), vec![WHO]));
}

#[test]
fn names_that_rules_cannot_serve_are_remarked() {
    let variants = json!([
        {"name": "blue", "weight": 500, "payload": {"type": "string", "value": "B"}},
        {"name": "green", "weight": 500, "payload": {"type": "string", "value": "G"}},
    ]);
    let german = json!([{"contextName": "country", "operator": "IN", "values": ["DE"]}]);
    let constrained = json!({"name": "default", "constraints": german, "variants": variants});
    let flag = flag_of(json!([constrained]));
    assert_eq!(flag.flag_type, FlagType::String);
    assert!(flag.states[0].variants.is_empty());
    let lost = format!("production, strategy 1 (default): {NAMES}");
    assert_eq!(said(&flag), [lost.as_str(), WHO]);
    let names = json!([{"name": "blue", "weight": 500}, {"name": "green", "weight": 500}]);
    let names_only = json!({"name": "default", "constraints": german, "variants": names});
    let flag = flag_of(json!([names_only]));
    assert_eq!(
        (flag.flag_type, said(&flag)),
        (FlagType::Boolean, vec![lost.as_str()])
    );
    // One environment that keeps them decides the type.
    let flag = flag_of(json!([constrained, {"name": "default", "variants": variants}]));
    assert_eq!(flag.flag_type, FlagType::Ab);
    assert_eq!(said(&flag)[0], lost);
}

#[test]
fn payloads_are_served_inside_the_rollout() {
    let payload = |value: &str| json!({"type": "string", "value": value});
    let flag = flag_of(json!([{
        "name": "flexibleRollout", "parameters": {"rollout": "50"},
        "variants": [
            {"name": "a", "weight": 250, "payload": payload("A")},
            {"name": "b", "weight": 750, "payload": payload("B")},
        ],
    }, {"name": "default"}]));
    assert_eq!(flag.flag_type, FlagType::String);
    assert_eq!(
        rules(&flag),
        json!([
            ["all", [], [], 1_250, "A"],
            ["all", [], [], 5_000, "B"],
            ["all", [], [], 10_000, ""]
        ])
    );
    assert_eq!(
        (&flag.default_value, &flag.states[0].default_value),
        (&json!(""), &None)
    );
}

#[test]
fn strategies_without_variants_serve_those_of_the_flag() {
    let variants = json!([
        {"name": "a", "weight": 1000, "payload": {"type": "number", "value": "1"}},
        {"name": "b", "weight": 0, "payload": {"type": "number", "value": "2"},
         "overrides": [{"contextName": "userId", "values": ["ada"]}]},
    ]);
    let expected = json!([["all", [["key", "in", ["ada"]]], [], 10_000, 2]]);
    for strategies in [json!([{"name": "default"}]), json!([])] {
        let state = json!({"name": "production", "enabled": true, "strategies": strategies, "variants": variants});
        let of_environment = json!([{"name": "f", "environments": [state]}]);
        let mut of_flag = of_environment.clone();
        of_flag[0]["environments"][0]["variants"] = json!(null);
        of_flag[0]["variants"] = variants.clone();
        for features in [of_environment, of_flag] {
            let flag = plan(features, json!([])).flags.remove(0);
            assert_eq!(rules(&flag), expected);
            let drawn = json!([{"key": "a", "value": 1, "weight": 10_000}, {"key": "b", "value": 2, "weight": 0}]);
            assert_eq!(json!(flag.states[0].variants), drawn);
            assert_eq!(flag.flag_type, FlagType::Ab);
            assert!(
                matches!(said(&flag)[..], [only] if only.ends_with(NAMES)),
                "{:?}",
                said(&flag)
            );
        }
    }
}

#[test]
fn variants_that_lose_something_say_so() {
    let of = |payload: Value, other: Value| {
        flag_of(json!([{"name": "default", "variants": [
            {"name": "a", "weight": 500, "payload": payload}, {"name": "b", "weight": 500, "payload": other},
        ]}]))
    };
    let flag = of(Value::Null, Value::Null);
    assert_eq!(flag.flag_type, FlagType::Ab);
    assert_eq!(
        json!(flag.states[0].variants),
        json!([{"key": "a", "value": true, "weight": 5_000}, {"key": "b", "value": true, "weight": 5_000}])
    );
    assert_eq!(said(&flag), [WHO]);
    let flag = of(json!({"type": "json", "value": "{}"}), Value::Null);
    assert_eq!(
        said(&flag),
        [
            "production, strategy 1 (default): variant \"b\" has no payload, and serves the default value",
            WHO,
        ]
    );
    let mixed = json!([{"name": "default", "variants": [
        {"name": "a", "payload": {"type": "json", "value": "1"}}, {"name": "b", "payload": {"type": "number", "value": "1"}},
    ]}]);
    let state = json!({"name": "production", "strategies": mixed});
    let plan = plan(
        json!([{"name": "f", "type": "release", "environments": [state]}]),
        json!([]),
    );
    assert_eq!(
        plan.left_out[0].reason,
        "its variants have payloads of different types"
    );
    assert_eq!(
        (
            plan.flags.len(),
            plan.source_flags,
            plan.counts["release_toggles"]
        ),
        (0, 1, 1)
    );
}

#[test]
fn what_a_flag_depends_on_is_a_prerequisite() {
    let payload = json!([{"name": "default", "variants": [{"name": "v", "weight": 1000, "payload": {"type": "string", "value": "x"}}]}]);
    let child = |dependency: Value| json!({"name": "child", "dependencies": [dependency]});
    for (dependency, prerequisites, remarks) in [
        (json!({"feature": "parent"}), json!(["parent"]), vec![]),
        (
            json!({"feature": "parent", "enabled": true, "variants": []}),
            json!(["parent"]),
            vec![],
        ),
        (
            json!({"feature": "parent", "enabled": false}),
            json!([]),
            vec!["it is off there unless parent is off, which is not kept"],
        ),
        (
            json!({"feature": "parent", "variants": ["a", "b"]}),
            json!(["parent"]),
            vec!["it needs certain variants of parent there (a, b), and any here"],
        ),
        (
            json!({"feature": "typed"}),
            json!(["typed"]),
            vec![
                "it needs a strategy of typed to serve the context there; here it is enough that typed is on, since its values are not boolean",
            ],
        ),
    ] {
        let typed = json!({"name": "typed", "environments": [{"name": "production", "strategies": payload}]});
        let plan = plan(
            json!([{"name": "parent"}, typed, child(dependency)]),
            json!([]),
        );
        let flag = &plan.flags[2];
        assert_eq!(json!(flag.prerequisites), prerequisites);
        assert_eq!(said(flag), remarks);
    }
}

#[test]
fn flags_are_counted_by_type_and_archived_ones_left_out() {
    let types = [
        "release",
        "experiment",
        "operational",
        "ops",
        "permission",
        "kill-switch",
        "killswitch",
        "other",
    ];
    let mut features: Vec<_> = types
        .iter()
        .map(|kind| json!({"name": kind, "type": kind, "createdAt": "2024-01-01T10:00:00Z"}))
        .collect();
    features.push(json!({"name": "old", "type": "release", "archived": true}));
    let plan = plan(Value::Array(features), json!([]));
    let counts = [
        ("experiment_toggles", 1),
        ("killswitch_toggles", 2),
        ("ops_toggles", 2),
        ("permission_toggles", 1),
        ("release_toggles", 1),
    ];
    assert_eq!(plan.counts, counts.into());
    assert_eq!((plan.flags.len(), plan.source_flags), (8, 8));
    assert_eq!(
        (
            plan.left_out[0].source.as_str(),
            plan.left_out[0].reason.as_str()
        ),
        ("old", "it is archived")
    );
    assert!(plan.flags[0].created_at.is_some());
}

#[test]
fn a_flag_has_one_state_in_an_environment() {
    let environments = json!([{"name": "b.c"}, {"name": "b-c"}, {"name": "a"}]);
    let state = |name: &str, on: bool| json!({"name": name, "enabled": on});
    let states = json!([
        state("b.c", true),
        state("b-c", false),
        state("a", true),
        state("a", false),
        state("x", true)
    ]);
    let plan = translate(
        Source {
            environments: serde_json::from_value(environments).unwrap(),
            segments: Vec::new(),
            features: serde_json::from_value(json!([{"name": "f", "environments": states}]))
                .unwrap(),
        },
        &Choices::default(),
    );
    let states: Vec<_> = plan.flags[0]
        .states
        .iter()
        .map(|state| (state.environment.as_str(), state.enabled))
        .collect();
    assert_eq!(states, [("b-c", false), ("a", true)]);
    let slugs: Vec<_> = plan
        .environments
        .iter()
        .map(|environment| environment.slug.as_str())
        .collect();
    assert_eq!(slugs, ["a", "b-c"]);
    assert_eq!(plan.left_out[0].source, "b.c");
}

#[test]
fn what_is_left_out_makes_a_state_incomplete_where_it_opens_it() {
    let unknown = json!({"name": "default", "constraints": [{"contextName": "x", "operator": "LIKE", "values": ["a"]}]});
    let custom = json!({"name": "custom"});
    let served = |text: &str| json!([{"name": "v", "weight": 1000, "payload": {"type": "string", "value": text}}]);
    let fallback = json!({"name": "default", "variants": served("b")});
    for left_out in [unknown, custom] {
        // Without it, a boolean flag is on for fewer.
        let flag = flag_of(json!([left_out, {"name": "default"}]));
        assert!(!flag.states[0].is_incomplete, "{left_out}");
        // Whoever it served `a` would get `b`.
        let mut first = left_out.clone();
        first["variants"] = served("a");
        assert!(
            flag_of(json!([first, fallback])).states[0].is_incomplete,
            "{left_out}"
        );
    }
    assert!(!flag_of(json!([fallback])).states[0].is_incomplete);
    let reversed = json!([{
        "name": "f", "environments": [{"name": "production", "enabled": true}],
        "dependencies": [{"feature": "g", "enabled": false}],
    }]);
    assert!(plan(reversed, json!([])).flags[0].states[0].is_incomplete);
}
