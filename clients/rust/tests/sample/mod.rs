//! Environments for tests.

#![allow(dead_code, unreachable_pub, reason = "a module of several tests")]

use halyard::snapshot::{Condition, Flag, FlagState, FlagType, Head, Rule, Snapshot};
use uuid::Uuid;

/// A flag that is on and serves its default, which is JSON.
pub fn flag(key: &str, default_value: &str) -> Flag {
    let number = key.bytes().fold(1_u128, |sum, byte| {
        sum * 31 % 0xffff_ffff + u128::from(byte)
    });
    Flag {
        id: Uuid::from_u128(number).into(),
        key: key.to_owned(),
        flag_type: match default_value.as_bytes() {
            [b't' | b'f', ..] => FlagType::Boolean,
            [b'"', ..] => FlagType::String,
            [b'{' | b'[', ..] => FlagType::Json,
            _ => FlagType::Number,
        },
        default_value: default_value.to_owned(),
        state: Some(FlagState {
            enabled: true,
            default_value: Some(default_value.to_owned()),
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

/// A boolean flag with a rule for those whose plan is `pro`.
pub fn with_rule(key: &str) -> Flag {
    let mut flag = flag(key, "false");
    if let Some(state) = &mut flag.state {
        state.rules = vec![Rule {
            id: "0190a3f0-0000-7000-8000-000000000001".to_owned(),
            conditions: vec![Condition {
                attribute: "plan".to_owned(),
                operator: "eq".to_owned(),
                values: vec!["pro".to_owned()],
            }],
            percentage: 10_000,
            value: Some("true".to_owned()),
            ..Rule::default()
        }];
    }
    flag
}

/// The id of the environment.
pub const ID: Uuid = Uuid::from_u128(1);

/// An environment of a version.
pub fn environment(version: u64, mut flags: Vec<Flag>) -> Snapshot {
    flags.sort_by(|a, b| a.key.cmp(&b.key));
    Snapshot {
        head: Head {
            env_id: ID.into(),
            slug: "production".to_owned(),
            version,
            ..Head::default()
        },
        flags,
        ..Snapshot::default()
    }
}
