//! A prepared flag: its state with everything parsed, and no positions of other items.
//!
//! That independence lets [`Environment::apply`](super::Environment::apply) share untouched flags between two
//! environments; a flag's ties to other items are kept beside it, in `links`.

use std::{borrow::Cow, ops::Range};

use serde::de::IgnoredAny;

use super::{PrepareError, bucket::Buckets, condition::Condition, name::Name, patterns::Texts};
use crate::{
    digest::ItemDigest,
    ids::FlagId,
    snapshot::{self, FlagType, MatchType},
};

/// Everybody, in basis points.
pub(super) const EVERYBODY: u16 = 10_000;

#[derive(Debug)]
pub(super) struct Flag {
    pub(super) id: FlagId,
    pub(super) key: Name,
    pub(super) digest: ItemDigest,
    pub(super) flag_type: FlagType,
    pub(super) default_value: Json,
    pub(super) prerequisites: Box<[Box<str>]>,
    /// Empty if there is no group.
    pub(super) group: Box<str>,
    /// The segment keys of all rules, one after the other; each rule knows its range.
    pub(super) segment_keys: Box<[Box<str>]>,
    /// The patterns of all conditions of an enabled flag.
    pub(super) patterns: Box<[Box<str>]>,
    /// Present only for enabled flags: a disabled one needs no more than its default.
    pub(super) state: Option<State>,
}

#[derive(Debug)]
pub(super) struct State {
    pub(super) default_value: Option<Served>,
    /// In the order in which they are tried.
    pub(super) rules: Box<[Rule]>,
    pub(super) percentage_rollout: Option<u16>,
    /// One draw is shared by the rollout and the percentages of rules.
    pub(super) buckets: Buckets,
    /// Empty unless the flag is of type `ab`.
    pub(super) variants: Box<[Variant]>,
}

#[derive(Debug)]
pub(super) struct Rule {
    /// The rule's position in the stored list, for explanations.
    pub(super) place: usize,
    pub(super) match_type: MatchType,
    pub(super) conditions: Box<[Condition]>,
    /// Range of the flag's `segment_keys`.
    pub(super) segments: Range<u32>,
    pub(super) percentage: u16,
    pub(super) serves: Serves,
}

/// What a matching rule serves.
#[derive(Debug)]
pub(super) enum Serves {
    Own(Served),
    True,
    /// The environment's default, else the flag's.
    Default,
}

#[derive(Debug)]
pub(super) struct Variant {
    pub(super) key: Name,
    pub(super) value: Json,
    /// The first bucket beyond this variant.
    pub(super) until: u16,
}

/// A value that is served only if it has the flag's type.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) json: Json,
    pub(super) fits: bool,
}

/// Rendered JSON. Booleans and `null` take no memory of their own.
pub(super) type Json = Cow<'static, str>;

impl Flag {
    pub(super) fn prepare(flag: &snapshot::Flag) -> Result<Self, PrepareError> {
        let mut patterns = Texts::default();
        let state = flag.state.as_ref();
        let rules = state.map_or(&[][..], |state| &state.rules);
        let segment_keys = rules
            .iter()
            .flat_map(|rule| &rule.segment_keys)
            .map(|key| key.as_str().into())
            .collect();
        // A disabled state is prepared and then dropped: damage is reported when it arrives, not when the flag is
        // enabled.
        let prepared = state
            .map(|state| State::prepare(flag, state, &mut patterns))
            .transpose()?
            .filter(|_| state.is_some_and(|state| state.enabled));
        let patterns = prepared.as_ref().map(|_| patterns.into_boxed());
        Ok(Self {
            id: flag.id,
            key: Name::new(&flag.key),
            digest: ItemDigest::of_flag(flag),
            flag_type: flag.flag_type,
            default_value: render(flag, &flag.default_value)?,
            prerequisites: flag
                .prerequisites
                .iter()
                .map(|key| key.as_str().into())
                .collect(),
            group: flag.mutual_exclusion_group.as_str().into(),
            segment_keys,
            patterns: patterns.unwrap_or_default(),
            state: prepared,
        })
    }

    /// Whether it refers to segments or other flags, or belongs to a group.
    pub(super) fn is_linked(&self) -> bool {
        !(self.prerequisites.is_empty() && self.group.is_empty() && self.segment_keys.is_empty())
    }
}

impl State {
    fn prepare(
        flag: &snapshot::Flag,
        state: &snapshot::FlagState,
        patterns: &mut Texts,
    ) -> Result<Self, PrepareError> {
        let mut first_segment = 0;
        let mut rules = Vec::with_capacity(state.rules.len());
        for (place, rule) in state.rules.iter().enumerate() {
            let end = first_segment
                + u32::try_from(rule.segment_keys.len()).unwrap_or(u32::MAX - first_segment);
            let serves = match &rule.value {
                Some(value) => Serves::Own(Served::prepare(flag, value)?),
                None if flag.flag_type == FlagType::Boolean => Serves::True,
                None => Serves::Default,
            };
            rules.push(Rule {
                place,
                match_type: rule.match_type,
                conditions: rule
                    .conditions
                    .iter()
                    .map(|condition| Condition::prepare(condition, patterns))
                    .collect(),
                segments: first_segment..end,
                percentage: basis_points(rule.percentage),
                serves,
            });
            first_segment = end;
        }
        // A stable sort: rules of equal priority keep their stored order.
        rules.sort_by_key(|rule| state.rules[rule.place].priority);

        // An environment default of `null` counts as not set.
        let default_value = match &state.default_value {
            Some(value) => {
                Some(Served::prepare(flag, value)?).filter(|served| served.json != "null")
            }
            None => None,
        };
        let variants = prepare_variants(flag, &state.variants)?;
        Ok(Self {
            default_value,
            rules: rules.into(),
            percentage_rollout: state.percentage_rollout.map(basis_points),
            buckets: Buckets::of(state.bucketing.as_ref(), &flag.key),
            variants: if flag.flag_type == FlagType::Ab {
                variants
            } else {
                Box::default()
            },
        })
    }
}

fn prepare_variants(
    flag: &snapshot::Flag,
    variants: &[snapshot::Variant],
) -> Result<Box<[Variant]>, PrepareError> {
    let mut until = 0;
    variants
        .iter()
        .map(|variant| {
            // Negative weights count as 0, and totals beyond 10000 as 10000.
            until = basis_points(i64::from(until) + i64::from(basis_points(variant.weight)));
            Ok(Variant {
                key: Name::new(&variant.key),
                value: render(flag, &variant.value)?,
                until,
            })
        })
        .collect()
}

impl Served {
    fn prepare(flag: &snapshot::Flag, value: &str) -> Result<Self, PrepareError> {
        let json = render(flag, value)?;
        let fits = match (flag.flag_type, json.as_bytes()) {
            (FlagType::Json | FlagType::Ab, _) => true,
            (FlagType::Boolean, text) => matches!(text, b"true" | b"false"),
            (FlagType::String, text) => text.starts_with(b"\""),
            (FlagType::Number, text) => matches!(text.first(), Some(b'-' | b'0'..=b'9')),
        };
        Ok(Self { json, fits })
    }
}

fn render(flag: &snapshot::Flag, value: &str) -> Result<Json, PrepareError> {
    Ok(match value.trim_ascii() {
        "true" => Cow::Borrowed("true"),
        "false" => Cow::Borrowed("false"),
        "null" => Cow::Borrowed("null"),
        text if serde_json::from_str::<IgnoredAny>(text).is_ok() => Cow::Owned(text.to_owned()),
        _ => return Err(PrepareError::Value(flag.key.clone())),
    })
}

/// Numbers out of range become the nearest bound.
fn basis_points(number: i64) -> u16 {
    u16::try_from(number.clamp(0, EVERYBODY.into())).expect("10,000 fits 16 bits")
}
