//! A question, and what is known of its answer, as the API shows them.

use std::{cmp::Reverse, collections::BTreeMap};

use protocol::{
    what_if::{Example as Told, Failed, Finding, MOST_GROUPS, MOST_TRANSITIONS},
    wire::usage::DIGEST,
};
use serde::Serialize;
use serde_json::{Value, json};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::statistics::{Interval, Sums};
use base::ids::{EnvId, WhatIfQuestionId};

/// A question as it is stored.
#[derive(Clone, Debug)]
pub struct Question {
    pub id: WhatIfQuestionId,
    pub env_id: EnvId,
    pub asked_at: OffsetDateTime,
    pub not_sampled: Vec<String>,
    pub names_keys: bool,
    /// How many contexts may be shown.
    pub examples: i16,
    pub edges: i32,
    pub is_open: bool,
}

/// What a draft would change.
#[derive(Debug, Serialize, ToSchema)]
pub struct WhatIf {
    /// The question.
    id: WhatIfQuestionId,
    /// Where.
    env_id: EnvId,
    /// When it was asked.
    #[serde(with = "time::serde::rfc3339")]
    asked_at: OffsetDateTime,
    /// Whether edges may still answer.
    is_open: bool,
    /// Who was asked.
    edges: AskedEdges,
    /// The beginning of the oldest hour of which edges have samples: the last 24 hours at most.
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    since: Option<OffsetDateTime>,
    /// Sampled requests for flags whose answers the draft can change.
    samples: u64,
    /// Estimated: answers of such flags.
    answers: u64,
    /// Estimated: those that would have had another value.
    changed: u64,
    /// `changed` of `answers`; `null` without answers.
    #[schema(required)]
    share: Option<f64>,
    /// Where the share lies that would be known if every request had been kept.
    #[schema(required)]
    interval: Option<Interval>,
    /// From which value to which, the largest first; at most 100.
    transitions: Vec<Transition>,
    /// By the attribute that was asked for, the largest first; at most 50.
    groups: Vec<Group>,
    /// As many as were asked for, chosen by lot; none for those without the permission `what_if.examples`, and once sampling is switched
    /// off or changed.
    examples: Vec<Example>,
    /// Attributes that decide these answers and are not kept: to the samples they are absent, and the estimate is as wrong.
    not_sampled: Vec<String>,
    /// Whether rules name keys, of which only hashes are kept: they match nobody in the samples.
    names_keys: bool,
}

/// Edges that were asked.
#[derive(Debug, Default, Serialize, ToSchema)]
#[schema(as = WhatIfEdges)]
struct AskedEdges {
    /// That served the environment.
    asked: usize,
    /// That answered.
    answered: usize,
    /// That keep no samples of the environment, or not as it says now: it was switched on or changed just now.
    not_sampling: usize,
    /// That cannot use the draft.
    refused: usize,
    /// That had too much to do.
    busy: usize,
}

/// Answers whose value would have changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhatIfTransition)]
struct Transition {
    /// Of which flag.
    flag_key: String,
    from: ToldValue,
    to: ToldValue,
    /// Estimated.
    answers: u64,
}

/// A value.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = WhatIfValue)]
struct ToldValue {
    /// `null` if it has more than 128 bytes.
    value: Value,
    /// The first 16 digits of the SHA-256 of the JSON of a longer value.
    #[schema(required)]
    digest: Option<String>,
}

/// Answers to contexts with one value of the attribute.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhatIfGroup)]
struct Group {
    /// `null` for contexts without it.
    #[schema(required)]
    value: Option<ToldValue>,
    /// Estimated.
    answers: u64,
    /// Estimated: those that would have had another value.
    changed: u64,
}

/// A context of which an answer would have changed.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WhatIfExample)]
struct Example {
    /// Of which flag.
    flag_key: String,
    /// The context's key, or the hash that an edge keeps in its place.
    key: String,
    /// The attributes that are kept, as far as there is room.
    #[schema(value_type = Object)]
    attributes: Value,
    from: ToldValue,
    to: ToldValue,
}

impl From<Told> for Example {
    fn from(told: Told) -> Self {
        Self {
            flag_key: told.flag_key,
            key: told.key,
            attributes: serde_json::from_str(&told.attributes_json).unwrap_or_else(|_| json!({})),
            from: ToldValue::new(&told.from),
            to: ToldValue::new(&told.to),
        }
    }
}

impl ToldValue {
    fn new(told: &str) -> Self {
        Self {
            value: serde_json::from_str(told).unwrap_or_default(),
            digest: told.strip_prefix(DIGEST).map(str::to_owned),
        }
    }
}

impl WhatIf {
    /// Adds up what edges found.
    pub fn new(question: Question, findings: Vec<Finding>) -> Self {
        let mut sums = Sums::default();
        let mut edges = AskedEdges {
            asked: usize::try_from(question.edges).unwrap_or_default(),
            ..AskedEdges::default()
        };
        let (mut since_ms, mut samples) = (None, 0_u64);
        let mut transitions: BTreeMap<_, u64> = BTreeMap::new();
        let mut groups: BTreeMap<_, (u64, u64)> = BTreeMap::new();
        let mut examples = Vec::new();
        for finding in findings {
            match finding.failed {
                None => edges.answered += 1,
                Some(Failed::NotSampled) => edges.not_sampling += 1,
                Some(Failed::DraftRefused) => edges.refused += 1,
                Some(Failed::Busy) => edges.busy += 1,
            }
            sums.add(&finding);
            if finding.since_ms > 0 {
                let earliest = since_ms.unwrap_or(finding.since_ms);
                since_ms = Some(finding.since_ms.min(earliest));
            }
            samples += u64::from(finding.samples);
            for one in finding.transitions {
                let sum = transitions.entry((one.flag_key, one.from, one.to));
                add(sum.or_default(), one.answers);
            }
            for one in finding.groups {
                let (answers, changed) = groups.entry(one.value).or_default();
                add(answers, one.answers);
                add(changed, one.changed);
            }
            examples.extend(finding.examples.into_iter().enumerate());
        }
        // The first ones of all edges before the second ones of any.
        examples.sort_by_key(|(place, _)| *place);
        let most = usize::try_from(question.examples).unwrap_or_default();
        let examples = examples.into_iter().take(most);
        let mut transitions: Vec<_> = transitions.into_iter().collect();
        transitions.sort_by_key(|(_, answers)| Reverse(*answers));
        let mut groups: Vec<_> = groups.into_iter().collect();
        groups.sort_by_key(|(_, (answers, _))| Reverse(*answers));
        let share = sums.share();
        let transitions = transitions.into_iter().take(MOST_TRANSITIONS);
        let groups = groups.into_iter().take(MOST_GROUPS);
        Self {
            id: question.id,
            env_id: question.env_id,
            asked_at: question.asked_at,
            is_open: question.is_open,
            edges,
            since: since_ms.and_then(instant),
            samples,
            answers: whole(sums.answers),
            changed: whole(sums.changed),
            share: share.map(|(share, _)| share),
            interval: share.map(|(_, interval)| interval),
            transitions: transitions
                .map(|((flag_key, from, to), answers)| Transition {
                    flag_key,
                    from: ToldValue::new(&from),
                    to: ToldValue::new(&to),
                    answers,
                })
                .collect(),
            groups: groups
                .map(|(value, (answers, changed))| Group {
                    value: value.as_deref().map(ToldValue::new),
                    answers,
                    changed,
                })
                .collect(),
            examples: examples.map(|(_, told)| told.into()).collect(),
            not_sampled: question.not_sampled,
            names_keys: question.names_keys,
        }
    }
}

fn add(sum: &mut u64, more: u64) {
    *sum = sum.saturating_add(more);
}

fn instant(ms: i64) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(ms) * 1_000_000).ok()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "sums of natural numbers; one that is too large becomes the largest"
)]
const fn whole(sum: f64) -> u64 {
    sum as u64
}
