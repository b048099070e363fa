//! Translates rows into the compiled form. Pure; the rows come from `load`.
//!
//! Stored data that cannot be read never stops publishing: it is logged and replaced by a harmless value (a rule that matches no
//! context, or the default of the flag's type); everything else is published unchanged.

pub(super) mod load;

use std::{collections::HashSet, fmt::Display};

use protocol::{
    rule::{self, TargetingRule},
    snapshot::{
        ApiKey, Condition, Delta, Digest, Flag, FlagState, FlagType, Head, JsonText, KeyHash,
        MatchType, RemovedFlag, Rule, Segment, Snapshot, Variant, Version,
    },
};
use serde_json::Value;

use self::load::{FlagRow, HeadRow, KeyRow, Rows, SegmentRow};
use base::ids::{ApiKeyId, EnvId, SegmentId};

/// Changes of an environment since a version. An item both removed and present was created again with the same key.
#[derive(Debug)]
pub(super) struct Changes {
    pub(super) head: Head,
    pub(super) flags: Vec<Flag>,
    pub(super) segments: Vec<Segment>,
    pub(super) keys: Vec<ApiKey>,
    pub(super) removed_flags: Vec<RemovedFlag>,
    pub(super) removed_segments: Vec<(SegmentId, String)>,
    pub(super) removed_keys: Vec<(ApiKeyId, KeyHash)>,
}

impl Changes {
    /// Whether the only changes are to flags that are now off.
    pub(super) fn only_switches_off(&self) -> bool {
        let is_off = |flag: &Flag| flag.state.as_ref().is_some_and(|state| !state.enabled);
        !self.flags.is_empty()
            && self.flags.iter().all(is_off)
            && self.segments.is_empty()
            && self.keys.is_empty()
            && self.removed_flags.is_empty()
            && self.removed_segments.is_empty()
            && self.removed_keys.is_empty()
    }

    /// The message for edges that hold `base`. It names each key only once: an item created again with the same key is only an
    /// upsert, which replaces the previous holder of the key.
    pub(super) fn into_delta(self, base: Version, digest: Digest) -> Delta {
        let urgent = self.only_switches_off();
        let mut used: HashSet<String> = self.flags.iter().map(|flag| flag.key.clone()).collect();
        let latest_first = self.removed_flags.into_iter().rev();
        let removed_flags = latest_first
            .filter(|flag| used.insert(flag.key.clone()))
            .collect();

        let mut used: HashSet<String> = self
            .segments
            .iter()
            .map(|segment| segment.key.clone())
            .collect();
        let removed = self.removed_segments.into_iter().map(|(_, key)| key);
        let removed_segments = removed.filter(|key| used.insert(key.clone())).collect();

        Delta {
            head: self.head,
            base,
            digest,
            flags: self.flags,
            removed_flags,
            segments: self.segments,
            removed_segments,
            keys: self.keys,
            removed_keys: self
                .removed_keys
                .into_iter()
                .map(|(_, hash)| hash)
                .collect(),
            urgent,
        }
    }
}

/// The whole environment, in a canonical order: equal contents have equal bytes.
pub(super) fn snapshot(env_id: EnvId, rows: Rows) -> Snapshot {
    let Changes {
        head,
        mut flags,
        mut segments,
        mut keys,
        ..
    } = changes(env_id, rows);
    flags.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    segments.sort_unstable_by(|a, b| a.key.cmp(&b.key));
    keys.sort_unstable_by_key(|key| key.hash);
    Snapshot {
        head,
        flags,
        segments,
        keys,
    }
}

pub(super) fn changes(env_id: EnvId, rows: Rows) -> Changes {
    let mut keys = Vec::new();
    let mut removed_keys = Vec::new();
    for row in rows.keys {
        let Some((id, hash)) = identify(&row) else {
            continue;
        };
        if row.ended {
            removed_keys.push((row.id, hash));
        } else {
            let expires_at_ms = row.expires_at.map(unix_ms);
            keys.push(ApiKey {
                id,
                hash,
                expires_at_ms,
            });
        }
    }
    Changes {
        head: head(env_id, rows.head),
        flags: rows
            .flags
            .into_iter()
            .map(|row| flag(env_id, row))
            .collect(),
        segments: rows.segments.into_iter().map(segment).collect(),
        keys,
        removed_flags: rows
            .removed_flags
            .into_iter()
            .map(|row| RemovedFlag {
                id: row.flag_id.into(),
                key: row.key,
            })
            .collect(),
        removed_segments: rows
            .removed_segments
            .into_iter()
            .map(|row| (row.segment_id, row.key))
            .collect(),
        removed_keys,
    }
}

fn head(env_id: EnvId, row: HeadRow) -> Head {
    Head {
        org_id: row.org_id.into(),
        project_id: row.project_id.into(),
        env_id: env_id.into(),
        slug: row.slug,
        version: version(row.version),
    }
}

/// A stored version. They start at 1.
pub(super) fn version(stored: i64) -> Version {
    Version::try_from(stored).unwrap_or(0)
}

fn flag(env_id: EnvId, row: FlagRow) -> Flag {
    let unreadable = |what: &str, error: &dyn Display| {
        metrics::counter!("halyard_unreadable_stored_values_total").increment(1);
        tracing::error!(env.id = %env_id, flag.id = %row.id, what, %error, "stored flag cannot be read");
    };
    let flag_type = FlagType::parse(&row.flag_type).unwrap_or_else(|| {
        unreadable("flag type", &row.flag_type);
        FlagType::Json
    });
    let default_value = compact(&row.default_value).unwrap_or_else(|error| {
        unreadable("default value", &error);
        flag_type.default_value().to_string()
    });
    let state = row.enabled.map(|enabled| FlagState {
        enabled,
        default_value: row.env_default_value.as_deref().and_then(|text| {
            let value = compact(text)
                .map_err(|error| unreadable("environment default", &error))
                .ok();
            value.filter(|value| value != "null")
        }),
        rules: rules(row.rules.as_deref().unwrap_or("[]"), |error| {
            unreadable("rules", error);
        }),
        percentage_rollout: row.percentage_rollout.map(i64::from),
        variants: variants(row.variants.as_deref().unwrap_or("[]"), |error| {
            unreadable("variants", error);
        }),
        bucketing: row.bucketing.as_deref().and_then(|text| {
            let read = serde_json::from_str(text);
            read.map_err(|error| unreadable("bucketing", &error)).ok()
        }),
    });
    Flag {
        id: row.id.into(),
        key: row.key,
        flag_type,
        default_value,
        prerequisites: row.prerequisites,
        mutual_exclusion_group: row.mutual_exclusion_group,
        state,
    }
}

fn segment(row: SegmentRow) -> Segment {
    let rules: Vec<rule::Condition> = serde_json::from_str(&row.rules).unwrap_or_else(|error| {
        metrics::counter!("halyard_unreadable_stored_values_total").increment(1);
        tracing::error!(segment.id = %row.id, %error, "stored segment cannot be read");
        Vec::new()
    });
    Segment {
        id: row.id.into(),
        key: row.key,
        match_type: MatchType::parse(&row.match_type),
        rules: rules.iter().map(Condition::from).collect(),
    }
}

/// An unreadable rule does not affect the others, and keeps its position.
fn rules(text: &str, unreadable: impl Fn(&dyn Display)) -> Vec<Rule> {
    let stored: Vec<Value> = serde_json::from_str(text).unwrap_or_else(|error| {
        unreadable(&error);
        vec![Value::Null]
    });
    let read = |stored| {
        serde_json::from_value(stored).unwrap_or_else(|error| {
            unreadable(&error);
            matches_nobody()
        })
    };
    let authored: Vec<TargetingRule> = stored.into_iter().map(read).collect();
    rule::compile_rules(&authored)
}

/// Replaces an unreadable rule: no operator has this name.
fn matches_nobody() -> TargetingRule {
    TargetingRule {
        id: String::new(),
        priority: None,
        description: String::new(),
        conditions: vec![rule::Condition {
            attribute: String::new(),
            operator: "unreadable".to_owned(),
            values: Vec::new(),
        }],
        segment_keys: Vec::new(),
        percentage: 0,
        value: None,
        match_type: "all".to_owned(),
    }
}

fn variants(text: &str, unreadable: impl Fn(&dyn Display)) -> Vec<Variant> {
    let stored: Vec<rule::Variant> = serde_json::from_str(text).unwrap_or_else(|error| {
        unreadable(&error);
        Vec::new()
    });
    stored.iter().map(Variant::from).collect()
}

/// The database renders JSON with spaces; edges serve it exactly as they receive it.
fn compact(text: &str) -> serde_json::Result<JsonText> {
    Ok(serde_json::from_str::<Value>(text)?.to_string())
}

fn identify(row: &KeyRow) -> Option<(protocol::ids::ApiKeyId, KeyHash)> {
    let Ok(hash) = row.hash.as_slice().try_into() else {
        tracing::error!(api_key.id = %row.id, "stored API key cannot be read");
        return None;
    };
    Some((row.id.into(), hash))
}

pub(crate) fn unix_ms(time: time::OffsetDateTime) -> i64 {
    i64::try_from(time.unix_timestamp_nanos().div_euclid(1_000_000)).unwrap_or(i64::MAX)
}
