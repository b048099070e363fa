//! An environment with every part that one can have.

use protocol::snapshot::{
    ApiKey, Condition, Flag, FlagState, FlagType, Head, MatchType, Rule, Segment, Snapshot, Variant,
};
use uuid::Uuid;

pub(crate) fn id(byte: u8) -> Uuid {
    Uuid::from_bytes([byte; 16])
}

/// Stays below the size at which frames are compressed.
pub(crate) fn snapshot() -> Snapshot {
    let condition = Condition {
        attribute: "plan".to_owned(),
        operator: "in".to_owned(),
        values: vec!["pro".to_owned(), "team".to_owned()],
    };
    let state = FlagState {
        enabled: true,
        default_value: Some("\"blue\"".to_owned()),
        rules: vec![Rule {
            id: "r1".to_owned(),
            priority: -1,
            match_type: MatchType::Any,
            conditions: vec![condition.clone()],
            segment_keys: vec!["beta".to_owned()],
            percentage: 2_500,
            value: Some("null".to_owned()),
        }],
        percentage_rollout: Some(5_000),
        variants: vec![Variant {
            key: "a".to_owned(),
            value: "1".to_owned(),
            weight: 10_000,
        }],
        bucketing: None,
    };
    let flag = |number: u8, flag_type, state| Flag {
        id: id(number).into(),
        key: format!("flag-{number}"),
        flag_type,
        default_value: "{}".to_owned(),
        prerequisites: vec!["flag-10".to_owned()],
        mutual_exclusion_group: "group".to_owned(),
        state,
    };
    Snapshot {
        head: Head {
            org_id: id(1).into(),
            project_id: id(2).into(),
            env_id: id(3).into(),
            slug: "dev".to_owned(),
            version: 41,
        },
        flags: vec![
            flag(10, FlagType::Ab, Some(state)),
            flag(11, FlagType::Boolean, None),
        ],
        segments: vec![Segment {
            id: id(20).into(),
            key: "beta".to_owned(),
            match_type: MatchType::All,
            rules: vec![condition],
        }],
        keys: vec![ApiKey {
            id: id(30).into(),
            hash: [8; 32],
            expires_at_ms: Some(1_800_000_000_000),
        }],
    }
}
