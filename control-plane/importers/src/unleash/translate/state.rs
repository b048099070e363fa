//! A flag in an environment: the rules that its strategies become.

use std::collections::HashMap;

use protocol::{
    bucketing::Bucketing,
    rule::{TargetingRule, Variant},
    snapshot::FlagType,
};
use serde_json::Value;

use super::{
    segments::Segments,
    strategy::{Stickiness, Strategy},
    variants::{self, Outcome},
};
use crate::{
    logic::Expr,
    plan::{
        Buckets, Remarks, State,
        copies::copy,
        rules::{EVERYONE, split},
    },
    unleash::wire,
};

const NAMES: &str = "the names of its variants are not kept: rules serve values, and no variant";
const WHO: &str = "which users a percentage reaches differs, since users are hashed in another way; the shares are the same";

/// The flag, as far as all its states share it.
pub(super) struct Shared<'a> {
    pub(super) name: &'a str,
    pub(super) flag_type: FlagType,
    pub(super) default: &'a Value,
    pub(super) segments: &'a Segments,
    /// Of the environments, by their names there.
    pub(super) slugs: &'a HashMap<String, String>,
    pub(super) buckets: Buckets,
}

/// A strategy, and what it serves.
struct Candidate {
    /// Where it is, for people.
    place: String,
    strategy: Strategy,
    outcomes: Vec<Outcome>,
    /// Its variants by their names. Where it has some that are not kept, there are none here.
    variants: Option<Vec<Variant>>,
    has_names: bool,
    /// Whether variants are drawn as the bucketing by the strategy's group draws them.
    draws_alike: bool,
}

impl Candidate {
    /// Whether nothing but a percentage keeps contexts out, so that the state can draw the variants.
    fn is_for_everybody(&self) -> bool {
        let strategy = &self.strategy;
        strategy.expr.is_always() && strategy.segment.is_none() && strategy.percentage > 0
    }

    /// Whether users are divided by rules.
    fn is_split(&self) -> bool {
        self.variants.is_none() && self.outcomes.iter().any(Outcome::is_split)
    }

    /// Whether a percentage or a split decides about any user.
    fn is_drawn_or_partial(&self) -> bool {
        let strategy = &self.strategy;
        let is_reached = strategy.percentage > 0 && !strategy.expr.is_never();
        is_reached && (strategy.percentage < EVERYONE || self.is_split() || self.is_drawn())
    }

    /// Whether this bucketing reaches the same users as there.
    fn is_kept_by(&self, bucketing: Option<&Bucketing>) -> bool {
        let strategy = &self.strategy;
        let is_alike = strategy.stickiness == Stickiness::Key
            && !self.is_split()
            && (!self.is_drawn() || self.draws_alike);
        let is_group = |kept: &Bucketing| kept.text().1 == strategy.group;
        is_alike && bucketing.is_some_and(is_group)
    }

    /// Whether users are divided by variants.
    fn is_drawn(&self) -> bool {
        let drawn = self.variants.iter().flatten();
        drawn.filter(|variant| variant.weight > 0).count() > 1
    }
}

pub(super) fn state(
    shared: &Shared<'_>,
    source: &wire::FeatureEnvironment,
    variants: &[wire::Variant],
    remarks: &mut Remarks,
) -> State {
    let mut strategies: Vec<&wire::Strategy> = source.strategies.iter().flatten().collect();
    // Where the order is not known, it is at least the same with every import.
    strategies.sort_by(|a, b| {
        let in_order = place_of(a).total_cmp(&place_of(b));
        in_order.then_with(|| a.id.cmp(&b.id))
    });
    let is_boolean = shared.flag_type == FlagType::Boolean;
    let mut state = State {
        environment: shared.slugs.get(&source.name).cloned().unwrap_or_default(),
        enabled: source.enabled,
        default_value: is_boolean.then_some(Value::Bool(strategies.is_empty())),
        ..State::default()
    };
    if !strategies.is_empty() && strategies.iter().all(|strategy| strategy.disabled) {
        remarks.approximate_at(
            &source.name,
            "all strategies are disabled, and the flag serves nobody; there it serves everybody while it is on",
        );
        return state;
    }
    let mut candidates = Vec::new();
    let enabled = (1..)
        .zip(&strategies)
        .filter(|(_, strategy)| !strategy.disabled);
    let last: Option<usize> = enabled.map(|(number, _)| number).last();
    for (number, strategy) in (1..).zip(&strategies) {
        if strategy.disabled {
            continue;
        }
        let place = format!("{}, strategy {number} ({})", source.name, strategy.name);
        let mut said = Remarks::default();
        let read = Strategy::read(strategy, shared.name, shared.segments, &mut said);
        let is_last = last == Some(number);
        let read = read.map(|read| {
            candidate(
                shared,
                strategy,
                read,
                variants,
                place.clone(),
                is_last,
                &mut said,
            )
        });
        let rules = read.and_then(|candidate| Ok((rules(&candidate)?, candidate)));
        match rules {
            Ok((rules, candidate)) => {
                state.draw(&candidate);
                // Without one of its strategies, a boolean flag is on for fewer; another flag serves what a later strategy says.
                state.is_incomplete |= candidate.strategy.is_unknown && !is_boolean;
                if candidate.strategy.is_unknown {
                    said.approximate("strategies of this kind have no counterpart, and this one is kept with a percentage of 0");
                }
                remarks.extend_at(&place, said);
                state.rules.extend(rules);
                let draws = candidate.variants.is_some();
                candidates.push(candidate);
                if draws {
                    break;
                }
            }
            Err(why) => {
                state.is_incomplete |= !is_boolean;
                remarks.drop_at(&place, format!("{why}; the strategy is left out"));
            }
        }
    }
    if strategies.is_empty() && !(is_boolean && variants.is_empty()) {
        let strategy = wire::Strategy::default();
        let mut said = Remarks::default();
        let read = Strategy::of_everybody(shared.name);
        let place = source.name.clone();
        let everybody = candidate(shared, &strategy, read, variants, place, true, &mut said);
        remarks.extend_at(&source.name, said);
        state.draw(&everybody);
        state.rules.extend(rules(&everybody).unwrap_or_default());
        candidates.push(everybody);
    }
    if shared.buckets == Buckets::Keep {
        state.bucketing = bucketing(&candidates);
    }
    say_who(&candidates, shared.name, state.bucketing.as_ref(), remarks);
    state
}

/// That of the first strategy whose users it keeps.
fn bucketing(candidates: &[Candidate]) -> Option<Bucketing> {
    let mut drawn = candidates.iter().filter(|one| one.is_drawn_or_partial());
    drawn.find_map(|candidate| {
        let group = &candidate.strategy.group;
        let fits = group.chars().count() <= Bucketing::MAX_TEXT && !group.contains('\0');
        let bucketing = Bucketing::Unleash {
            group_id: group.clone(),
        };
        (fits && candidate.is_kept_by(Some(&bucketing))).then_some(bucketing)
    })
}

fn place_of(strategy: &wire::Strategy) -> f64 {
    strategy.sort_order.unwrap_or(9_999.0)
}

fn candidate(
    shared: &Shared<'_>,
    strategy: &wire::Strategy,
    read: Strategy,
    of_flag: &[wire::Variant],
    place: String,
    is_last: bool,
    remarks: &mut Remarks,
) -> Candidate {
    let variants = match strategy.variants.as_slice() {
        [] => of_flag,
        own => own,
    };
    let mut candidate = Candidate {
        outcomes: outcomes(shared, strategy, of_flag, remarks),
        variants: None,
        has_names: !variants.is_empty(),
        draws_alike: draws_alike(variants)
            && (!strategy.variants.is_empty() || read.group == shared.name),
        strategy: read,
        place,
    };
    // Nothing comes after a strategy that leaves nobody.
    let is_last = is_last || candidate.strategy.percentage == EVERYONE;
    if candidate.has_names && is_last && candidate.is_for_everybody() {
        let (flag_type, default) = (shared.flag_type, shared.default);
        candidate.variants = variants::named(variants, flag_type, default, remarks);
    }
    let has_overrides = candidate.outcomes.iter().any(|one| one.only.is_some());
    if candidate.has_names && (candidate.variants.is_none() || has_overrides) {
        remarks.drop(NAMES);
    }
    candidate
}

/// Whether variants go by the user, in thousandths.
fn draws_alike(variants: &[wire::Variant]) -> bool {
    let weights = variants.iter().map(|variant| variant.weight);
    let stickiness = variants.first().map(|first| first.stickiness.as_str());
    let is_by_user = matches!(stickiness, Some("" | "default" | "userId"));
    is_by_user && (weights.sum::<f64>() - 1_000.0).abs() < 0.001
}

impl State {
    /// Draws the variants that a candidate, the last one, can say by their names.
    fn draw(&mut self, candidate: &Candidate) {
        if let Some(variants) = &candidate.variants {
            let percentage = candidate.strategy.percentage;
            self.percentage_rollout = (percentage < EVERYONE).then_some(percentage);
            self.variants.clone_from(variants);
        }
    }
}

/// What a strategy serves: its variants, or those of the flag where it has none.
fn outcomes(
    shared: &Shared<'_>,
    strategy: &wire::Strategy,
    variants: &[wire::Variant],
    remarks: &mut Remarks,
) -> Vec<Outcome> {
    if shared.flag_type == FlagType::Boolean {
        return vec![Outcome::of(Value::Bool(true))];
    }
    if !strategy.variants.is_empty() {
        // Overrides exist only on the variants of a flag.
        let mut own = strategy.variants.clone();
        own.iter_mut().for_each(|variant| variant.overrides.clear());
        return variants::outcomes(&own, shared.default, remarks);
    }
    let outcomes = variants::outcomes(variants, shared.default, remarks);
    let first = variants.first();
    let stickiness = first.map_or("", |first| first.stickiness.as_str());
    let is_split = outcomes.iter().any(Outcome::is_split);
    if is_split && !matches!(stickiness, "" | "default" | "userId") {
        remarks.approximate(format!(
            "users get variants by {stickiness} there, and by their key here"
        ));
    }
    outcomes
}

/// Exact with several lists too: all percentages of a flag share one bucket.
fn rules(candidate: &Candidate) -> Result<Vec<TargetingRule>, String> {
    let Strategy {
        expr,
        segment,
        percentage,
        ..
    } = &candidate.strategy;
    let mut rules = Vec::new();
    let in_rules = |outcome: &&Outcome| outcome.only.is_some() || candidate.variants.is_none();
    for outcome in candidate.outcomes.iter().filter(in_rules) {
        let parts = [Some(expr), outcome.only.as_ref()];
        let whole = Expr::all(parts.into_iter().flatten().filter_map(copy));
        for list in whole.lists()? {
            let like = TargetingRule {
                percentage: *percentage,
                segment_keys: segment.iter().cloned().collect(),
                ..list.rule(Value::Null)
            };
            match outcome.shares.as_slice() {
                [only] => rules.push(TargetingRule {
                    value: Some(only.value.clone()),
                    ..like
                }),
                shares => rules.extend(split(&like, shares, outcome.whole(), *percentage)),
            }
        }
    }
    Ok(rules)
}

/// Remarks on percentages and splits: which users they reach, and where the shares of several strategies together differ.
fn say_who(
    candidates: &[Candidate],
    flag: &str,
    bucketing: Option<&Bucketing>,
    remarks: &mut Remarks,
) {
    let mut partial: Option<&Candidate> = None;
    for candidate in candidates {
        let Candidate {
            place, strategy, ..
        } = candidate;
        if !candidate.is_drawn_or_partial() {
            continue;
        }
        let is_split = candidate.is_split();
        let is_random = strategy.stickiness == Stickiness::Random;
        if !candidate.is_kept_by(bucketing) {
            remarks.approximate(WHO);
            match &strategy.stickiness {
                Stickiness::Key => {}
                Stickiness::Random => remarks.approximate_at(
                    place,
                    "users are chosen at random with each evaluation there, and by their key here",
                ),
                Stickiness::Attribute(name) => remarks.approximate_at(
                    place,
                    format!("users are chosen by {name} there, and by their key here"),
                ),
            }
            if strategy.is_partial() && strategy.group != flag && !is_random {
                remarks.approximate_at(place, "its groupId is not kept");
            }
        }
        if let Some(earlier) = partial {
            let (one, other) = (&earlier.strategy, strategy);
            let is_same = (&one.group, &one.stickiness) == (&other.group, &other.stickiness);
            if !is_same || is_random || is_split {
                remarks.approximate(format!(
                    "{} and {place} choose users independently there, and the same ones here: of users who meet both, another share is served",
                    earlier.place
                ));
            }
        } else if strategy.is_partial() {
            partial = Some(candidate);
        }
    }
}
