//! Buckets that are kept.

use protocol::bucketing::Bucketing;
use serde_json::{Value, json};

use super::{flag_of, kept, rules, said};

const WHO: &str = "which users a percentage reaches differs, since users are hashed in another way; the shares are the same";

fn rollout(percentage: &str, stickiness: &str, group: &str) -> Value {
    let parameters = json!({"rollout": percentage, "stickiness": stickiness, "groupId": group});
    json!({"name": "flexibleRollout", "parameters": parameters})
}

fn by(group: &str) -> Option<Bucketing> {
    Some(Bucketing::Unleash {
        group_id: group.to_owned(),
    })
}

#[test]
fn percentages_of_one_group_are_exact() {
    let strategies = json!([rollout("30", "default", "g"), rollout("50", "userId", "g")]);
    let flag = kept(strategies.clone());
    assert_eq!(flag.states[0].bucketing, by("g"));
    assert_eq!(
        rules(&flag),
        json!([["all", [], [], 3_000, true], ["all", [], [], 5_000, true]])
    );
    assert!(flag.remarks.is_empty(), "{:?}", said(&flag));
    // Only where that is chosen.
    assert_eq!(flag_of(strategies).states[0].bucketing, None);
}

#[test]
fn a_flag_that_divides_nobody_has_no_bucketing() {
    for strategies in [
        json!([]),
        json!([rollout("100", "default", "g")]),
        json!([rollout("0", "default", "g")]),
    ] {
        let flag = kept(strategies);
        assert_eq!(flag.states[0].bucketing, None);
        assert!(flag.remarks.is_empty());
    }
}

#[test]
fn what_goes_by_something_else_is_remarked() {
    let flag = kept(json!([
        rollout("30", "sessionId", "f"),
        rollout("50", "default", "g")
    ]));
    assert_eq!(flag.states[0].bucketing, by("g"));
    assert_eq!(
        said(&flag),
        [
            WHO,
            "production, strategy 1 (flexibleRollout): users are chosen by sessionId there, and by their key here",
            "production, strategy 1 (flexibleRollout) and production, strategy 2 (flexibleRollout) choose users independently there, and the same ones here: of users who meet both, another share is served",
        ]
    );
    let flag = kept(json!([
        rollout("30", "default", "g"),
        rollout("50", "default", "h")
    ]));
    assert_eq!(flag.states[0].bucketing, by("g"));
    assert_eq!(
        said(&flag)[1],
        "production, strategy 2 (flexibleRollout): its groupId is not kept"
    );
    let long = "x".repeat(256);
    assert_eq!(
        kept(json!([rollout("30", "default", &long)])).states[0].bucketing,
        None
    );
}

#[test]
fn variants_are_exact_where_they_are_drawn_by_the_same_group_in_thousandths() {
    let with = |weights: [u32; 2], stickiness: &str| {
        let variant = |name: &str, weight: u32| json!({"name": name, "weight": weight, "stickiness": stickiness});
        let mut strategy = rollout("60", "default", "g");
        strategy["variants"] = json!([variant("a", weights[0]), variant("b", weights[1])]);
        kept(json!([strategy]))
    };
    let flag = with([333, 667], "default");
    assert_eq!(flag.states[0].bucketing, by("g"));
    assert!(flag.remarks.is_empty(), "{:?}", said(&flag));
    for flag in [with([1, 2], "default"), with([500, 500], "sessionId")] {
        assert_eq!(
            said(&flag),
            [
                WHO,
                "production, strategy 1 (flexibleRollout): its groupId is not kept"
            ]
        );
    }
    let german = json!([{"contextName": "country", "operator": "IN", "values": ["DE"]}]);
    let mut split = rollout("60", "default", "g");
    split["constraints"] = german;
    let payload = |value: &str| json!({"type": "string", "value": value});
    split["variants"] = json!([
        {"name": "a", "weight": 500, "stickiness": "default", "payload": payload("A")},
        {"name": "b", "weight": 500, "stickiness": "default", "payload": payload("B")},
    ]);
    // Rules have one bucket, so that a percentage and a split inside it cannot both be kept.
    let flag = kept(json!([split]));
    assert_eq!(flag.states[0].bucketing, None);
    assert!(said(&flag).contains(&WHO));
}
