//! The flags of the mix in compiled form, for what is measured in this process.

use protocol::digest;
use protocol::ids::{ApiKeyId, EnvId, FlagId, OrgId, ProjectId, SegmentId};
use protocol::rule::{Condition, TargetingRule, Variant, compile_rules};
use protocol::snapshot::{
    ApiKey, Delta, Flag, FlagState, FlagType, Head, MatchType, Segment, Snapshot,
};
use serde::de::DeserializeOwned;
use serde_json::Value;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::tenant::{self, SEGMENTS, key_of};

/// The key that [`environment`] admits.
pub const KEY: &str = "srv_0123456789abcdef0123456789abcdef0123456789abcdef";

/// An environment with so many flags, at version 1.
pub fn environment(flags: usize) -> Snapshot {
    let mut flags: Vec<_> = (0..flags).map(flag).collect();
    flags.sort_by(|a, b| a.key.cmp(&b.key));
    let mut segments: Vec<_> = (0..SEGMENTS).map(segment).collect();
    segments.sort_by(|a, b| a.key.cmp(&b.key));
    Snapshot {
        head: Head {
            org_id: OrgId::from(Uuid::from_u128(1)),
            project_id: ProjectId::from(Uuid::from_u128(2)),
            env_id: EnvId::from(Uuid::from_u128(3)),
            slug: "dev".to_owned(),
            version: 1,
        },
        flags,
        segments,
        keys: vec![ApiKey {
            id: ApiKeyId::from(Uuid::from_u128(4)),
            hash: Sha256::digest(KEY).into(),
            expires_at_ms: None,
        }],
    }
}

/// The change that switches one flag off, or on again.
pub fn toggled(environment: &Snapshot, flag: usize) -> Delta {
    let mut after = environment.clone();
    after.head.version += 1;
    let state = after.flags[flag].state.as_mut().expect("it has a state");
    state.enabled = !state.enabled;
    Delta {
        head: after.head.clone(),
        base: environment.head.version,
        digest: digest::of(&after),
        flags: vec![after.flags[flag].clone()],
        removed_flags: Vec::new(),
        segments: Vec::new(),
        removed_segments: Vec::new(),
        keys: Vec::new(),
        removed_keys: Vec::new(),
        urgent: true,
    }
}

fn flag(number: usize) -> Flag {
    let kind = number % 10;
    let state = tenant::state(kind);
    let (flag_type, default_value) = match kind {
        9 => (FlagType::Ab, "{}"),
        _ => (FlagType::Boolean, "false"),
    };
    let default = &state["default_value"];
    Flag {
        id: FlagId::from(Uuid::from_u128(1_000 + number as u128)),
        key: key_of(number),
        flag_type,
        default_value: default_value.to_owned(),
        prerequisites: Vec::new(),
        mutual_exclusion_group: String::new(),
        state: Some(FlagState {
            enabled: number / 10 % 10 != 9,
            default_value: (!default.is_null()).then(|| default.to_string()),
            rules: compile_rules(&list::<TargetingRule>(&state["rules"])),
            percentage_rollout: state["percentage_rollout"].as_i64(),
            variants: list::<Variant>(&state["variants"])
                .iter()
                .map(Into::into)
                .collect(),
            bucketing: None,
        }),
    }
}

fn segment(number: usize) -> Segment {
    Segment {
        id: SegmentId::from(Uuid::from_u128(500 + number as u128)),
        key: format!("segment-{number}"),
        match_type: MatchType::Any,
        rules: list::<Condition>(&tenant::segment_rules(number))
            .iter()
            .map(Into::into)
            .collect(),
    }
}

fn list<T: DeserializeOwned>(authored: &Value) -> Vec<T> {
    match authored {
        Value::Null => Vec::new(),
        authored => serde_json::from_value(authored.clone()).expect("what the API takes"),
    }
}
