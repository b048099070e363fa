//! Strategies, with their percentages and segments.

use protocol::snapshot::MatchType;
use serde_json::{Value, json};

use super::{flag_of, on_for, plan, rules, said, with_segments};
use crate::plan::Kind;

#[test]
fn each_kind_of_strategy_has_its_rule() {
    let rollout = |stickiness: &str| json!({"rollout": "100", "stickiness": stickiness, "groupId": "another"});
    for (name, parameters, expected) in [
        ("default", json!({}), on_for(json!([]))),
        ("flexibleRollout", rollout("default"), on_for(json!([]))),
        ("flexibleRollout", rollout("random"), on_for(json!([]))),
        (
            "flexibleRollout",
            rollout("sessionId"),
            on_for(json!([["sessionId", "exists", []]])),
        ),
        (
            "flexibleRollout",
            json!({"rollout": "0"}),
            json!([["all", [], [], 0, true]]),
        ),
        (
            "userWithId",
            json!({"userIds": "a, b ,c"}),
            on_for(json!([["key", "in", ["a", "b", "c"]]])),
        ),
        (
            "gradualRolloutUserId",
            json!({"percentage": "100", "groupId": "g"}),
            on_for(json!([])),
        ),
        (
            "gradualRolloutSessionId",
            json!({"percentage": "100", "groupId": "g"}),
            on_for(json!([["sessionId", "exists", []]])),
        ),
        (
            "gradualRolloutRandom",
            json!({"percentage": "100"}),
            on_for(json!([])),
        ),
        (
            "remoteAddress",
            json!({"IPs": "10.0.0.1"}),
            on_for(json!([["remoteAddress", "in", ["10.0.0.1"]]])),
        ),
    ] {
        let flag = flag_of(json!([{"name": name, "parameters": parameters}]));
        assert_eq!(rules(&flag), expected, "{name} {parameters}");
        assert!(flag.remarks.is_empty(), "{name}: {:?}", said(&flag));
    }
    for name in ["applicationHostname", "ofOurOwn"] {
        let flag = flag_of(json!([{"name": name, "parameters": {}}]));
        assert_eq!(rules(&flag), json!([["all", [], [], 0, true]]));
        assert_eq!(
            said(&flag),
            [format!(
                "production, strategy 1 ({name}): strategies of this kind have no counterpart, and this one is kept with a percentage of 0"
            )]
        );
    }
}

#[test]
fn percentages_say_once_that_they_reach_other_users() {
    let rollout = |percentage: &str, stickiness: &str, group: &str| {
        let parameters = json!({"rollout": percentage, "stickiness": stickiness, "groupId": group});
        json!({"name": "flexibleRollout", "parameters": parameters})
    };
    let flag = flag_of(json!([
        rollout("30", "default", "f"),
        rollout("50", "userId", "f")
    ]));
    assert_eq!(
        rules(&flag),
        json!([["all", [], [], 3_000, true], ["all", [], [], 5_000, true]])
    );
    let who = "which users a percentage reaches differs, since users are hashed in another way; the shares are the same";
    assert_eq!(said(&flag), [who]);

    let flag = flag_of(json!([
        rollout("30", "sessionId", "f"),
        rollout("50", "default", "g")
    ]));
    assert_eq!(
        said(&flag),
        [
            who,
            "production, strategy 1 (flexibleRollout): users are chosen by sessionId there, and by their key here",
            "production, strategy 2 (flexibleRollout): its groupId is not kept",
            "production, strategy 1 (flexibleRollout) and production, strategy 2 (flexibleRollout) choose users independently there, and the same ones here: of users who meet both, another share is served",
        ]
    );
}

#[test]
fn strategies_that_are_disabled_are_none() {
    let flag = flag_of(
        json!([{"name": "default", "disabled": true}, {"name": "userWithId", "parameters": {"userIds": "a"}}]),
    );
    assert_eq!(rules(&flag), on_for(json!([["key", "in", ["a"]]])));
    assert!(flag.remarks.is_empty());

    let flag = flag_of(json!([{"name": "default", "disabled": true}]));
    assert_eq!(
        (rules(&flag), &flag.states[0].default_value),
        (json!([]), &Some(json!(false)))
    );
    assert_eq!(said(&flag).len(), 1);
}

#[test]
fn without_strategies_a_flag_is_on_for_everybody() {
    let flag = flag_of(json!([]));
    assert_eq!(
        (rules(&flag), &flag.states[0].default_value),
        (json!([]), &Some(json!(true)))
    );
    assert!(flag.remarks.is_empty());
}

#[test]
fn strategies_come_in_their_order() {
    let strategy = |order: i32| json!({"name": "userWithId", "sortOrder": order, "parameters": {"userIds": order.to_string()}});
    let flag = flag_of(json!([strategy(2), strategy(1)]));
    assert_eq!(rules(&flag)[0][1], json!([["key", "in", ["1"]]]));
}

#[test]
fn a_segment_is_referred_to_and_several_are_inlined() {
    let segments = json!([
        {"id": 1, "name": "germans", "constraints": [{"contextName": "x", "operator": "IN", "values": ["DE"]}]},
        {"id": 2, "name": "others", "constraints": [{"contextName": "y", "operator": "NOT_IN", "values": ["a"]}]},
        {"id": 3, "name": "everybody", "constraints": []},
    ]);
    let use_of = |ids: Value| {
        let (flag, _) = with_segments(
            json!([{"name": "default", "segments": ids}]),
            segments.clone(),
        );
        assert!(flag.remarks.is_empty(), "{:?}", said(&flag));
        rules(&flag)
    };
    assert_eq!(
        use_of(json!([1])),
        json!([["all", [], ["provider_b-segment-1"], 10_000, true]])
    );
    assert_eq!(
        use_of(json!([2, 3])),
        json!([["all", [], ["provider_b-segment-2"], 10_000, true]])
    );
    assert_eq!(use_of(json!([3])), on_for(json!([])));
    let both = use_of(json!([1, 2]));
    let german = json!(["x", "in", ["DE"]]);
    assert_eq!(
        both,
        json!([
            ["all", [german, ["y", "notIn", ["a"]]], [], 10_000, true],
            ["all", [german, ["y", "neq", []]], [], 10_000, true]
        ])
    );

    let plan = plan(json!([]), segments);
    assert_eq!(plan.source_segments, 3);
    let keys: Vec<_> = plan
        .segments
        .iter()
        .map(|segment| (segment.key.as_str(), segment.match_type))
        .collect();
    assert_eq!(
        keys,
        [
            ("provider_b-segment-1", MatchType::All),
            ("provider_b-segment-2", MatchType::Any)
        ]
    );
    let left_out = &plan.left_out[0];
    assert_eq!(
        (left_out.kind, left_out.source.as_str()),
        (Kind::Segment, "everybody")
    );
}

#[test]
fn a_segment_that_takes_more_than_one_list_is_left_out() {
    let constraints = json!([
        {"contextName": "x", "operator": "IN", "values": ["DE"]},
        {"contextName": "y", "operator": "NOT_IN", "values": ["a"]},
    ]);
    let segments = json!([{"id": 7, "name": "both", "constraints": constraints}]);
    let state = json!({"name": "production", "strategies": [{"name": "default", "segments": [7]}]});
    let plan = plan(json!([{"name": "f", "environments": [state]}]), segments);
    let flag = &plan.flags[0];
    assert!(flag.remarks.is_empty());
    assert_eq!(flag.states[0].rules.len(), 2);
    assert_eq!(plan.segments, []);
    assert_eq!(
        plan.left_out[0].reason,
        "it takes more than one list of conditions; flags that use it have its constraints themselves"
    );
}

#[test]
fn an_unknown_segment_leaves_the_strategy_out() {
    let flag = flag_of(json!([{"name": "default", "segments": [9]}]));
    assert_eq!(
        said(&flag),
        ["production, strategy 1 (default): segment 9 is not known; the strategy is left out"]
    );
}

#[test]
fn percentages_that_are_no_whole_numbers_are_kept_with_a_remark() {
    let rollout = |percentage: &str| {
        flag_of(json!([{"name": "flexibleRollout", "parameters": {"rollout": percentage}}]))
    };
    let flag = rollout("33.5");
    assert_eq!(rules(&flag), json!([["all", [], [], 3_350, true]]));
    assert!(said(&flag).contains(
        &"production, strategy 1 (flexibleRollout): a percentage of 33.5 is not a whole number, and reaches nobody in some of Unleash's SDKs"
    ));
    for none in ["0.0", "", "many", "-5"] {
        let flag = rollout(none);
        assert_eq!(rules(&flag), json!([["all", [], [], 0, true]]), "{none}");
        assert!(flag.remarks.is_empty());
    }
    assert_eq!(
        said(&rollout("101")),
        [
            "production, strategy 1 (flexibleRollout): its percentage is 101; the strategy is left out"
        ]
    );
}
