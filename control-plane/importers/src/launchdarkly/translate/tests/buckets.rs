//! Buckets that are kept.

use protocol::bucketing::Bucketing;
use serde_json::{Value, json};

use super::{boolean, on, only, plan_with, rules, said};
use crate::plan::{Buckets, Flag};

const OTHER_USERS: &str = "about: which users get which value of a percentage differs from the source; how many do is the same";

fn kept(mut config: Value) -> Flag {
    config["salt"] = json!("salt");
    let flag = boolean("f", json!({"production": on(config)}));
    only(plan_with(
        &["production"],
        json!([flag]),
        json!({}),
        Buckets::Keep,
    ))
}

fn rollout(variations: &[(u32, u32)]) -> Value {
    let each = variations
        .iter()
        .map(|(variation, weight)| json!({"variation": variation, "weight": weight}));
    json!({"variations": each.collect::<Vec<_>>()})
}

fn by(seed: Option<i64>) -> Option<Bucketing> {
    Some(Bucketing::LaunchDarkly {
        salt: "salt".to_owned(),
        seed,
    })
}

#[test]
fn a_percentage_is_exact_in_the_order_of_its_variations() {
    let flag = kept(json!({"fallthrough": {"rollout": rollout(&[(0, 30_000), (1, 70_000)])}}));
    let state = &flag.states[0];
    assert_eq!(
        (&state.bucketing, state.percentage_rollout),
        (&by(None), Some(3_000))
    );
    assert!(flag.remarks.is_empty(), "{:?}", said(&flag.remarks));

    let flag = kept(json!({"fallthrough": {"rollout": rollout(&[(1, 70_000), (0, 30_000)])}}));
    let state = &flag.states[0];
    assert_eq!(
        (&state.bucketing, state.percentage_rollout),
        (&by(None), None)
    );
    assert_eq!(
        rules(&flag),
        json!([["all", [], [], 7_000, false], ["all", [], [], 10_000, true]])
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn rollouts_that_draw_otherwise_are_remarked() {
    let seeded = |seed: i64| {
        let mut seeded = rollout(&[(0, 50_000), (1, 50_000)]);
        seeded["seed"] = json!(seed);
        seeded
    };
    let flag =
        kept(json!({"rules": [{"rollout": seeded(7)}], "fallthrough": {"rollout": seeded(8)}}));
    assert_eq!(flag.states[0].bucketing, by(Some(7)));
    assert_eq!(said(&flag.remarks), [OTHER_USERS]);
    let mut by_country = rollout(&[(0, 50_000), (1, 50_000)]);
    by_country["bucketBy"] = json!("country");
    let flag = kept(json!({"fallthrough": {"rollout": by_country}}));
    assert_eq!(flag.states[0].bucketing, None);
    assert!(said(&flag.remarks).contains(&OTHER_USERS.to_owned()));
}

#[test]
fn a_flag_that_divides_nobody_has_no_bucketing() {
    let flag = kept(json!({"fallthrough": {"rollout": rollout(&[(0, 100_000), (1, 0)])}}));
    assert_eq!(flag.states[0].bucketing, None);
    assert!(flag.remarks.is_empty());
}
