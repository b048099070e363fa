//! A flag in an environment: the rules that its strategies become.

use protocol::snapshot::FlagType;
use serde_json::Value;

use super::{
    candidate::Candidate,
    constraint::Said,
    rules::{Order, rules},
    segments::Segments,
    shape::{MadeSegments, Subject},
    strategy::{self, Understanding},
    variants::{self, Outcome},
    who::say_who,
};
use crate::{
    plan::{Remarks, State, rules::EVERYONE, slug},
    unleash::wire,
};

/// The flag, as far as all its states share it.
pub(super) struct Shared<'a> {
    pub(super) name: &'a str,
    pub(super) flag_type: FlagType,
    pub(super) default: &'a Value,
    pub(super) segments: &'a Segments,
}

pub(super) fn state(
    shared: &Shared<'_>,
    source: &wire::FeatureEnvironment,
    variants: &[wire::Variant],
    made: &mut MadeSegments,
    remarks: &mut Remarks,
) -> State {
    let mut strategies: Vec<&wire::Strategy> = source.strategies.iter().flatten().collect();
    // Where the order is not known, it is at least the same with every import.
    strategies.sort_by(|a, b| {
        let in_order = place_of(a).total_cmp(&place_of(b));
        in_order.then_with(|| a.id.cmp(&b.id))
    });
    let environment = slug(&source.name);
    let mut state = State {
        environment,
        enabled: source.enabled,
        is_incomplete: false,
        default_value: None,
        rules: Vec::new(),
        percentage_rollout: None,
    };
    if shared.flag_type == FlagType::Boolean {
        state.default_value = Some(Value::Bool(strategies.is_empty()));
    }
    if !strategies.is_empty() && strategies.iter().all(|strategy| strategy.disabled) {
        remarks.approximate(format!(
            "{}: all strategies are disabled, and the flag serves nobody; there it serves everybody while it is on",
            source.name
        ));
        return state;
    }

    // Without one of its strategies, a boolean flag is on for fewer; another flag serves what a later strategy says.
    let order = if shared.flag_type == FlagType::Boolean {
        Order::IsFree
    } else {
        Order::Counts
    };
    let mut candidates = Vec::new();
    for (place, strategy) in (1..)
        .zip(&strategies)
        .filter(|(_, strategy)| !strategy.disabled)
    {
        let place = format!("{}, strategy {place} ({})", source.name, strategy.name);
        match strategy::understand(strategy, shared.name, shared.segments) {
            Ok(understanding) => candidates.push(Candidate {
                outcomes: outcomes(shared, strategy, variants, &place, remarks),
                understanding,
                place,
            }),
            Err(strategy::Dropped(why)) => {
                state.is_incomplete |= order == Order::Counts;
                remarks.drop(format!("{place}: {why}; the strategy is left out"));
            }
        }
    }
    if strategies.is_empty() && shared.flag_type != FlagType::Boolean {
        candidates.push(everybody(shared, variants, &source.name, remarks));
    }
    candidates.retain(|candidate| {
        let understanding = &candidate.understanding;
        if understanding.is_never() {
            let mut said = understanding.said.clone();
            said.extend(understanding.of_segments.clone());
            for remark in said.reaching(EVERYONE) {
                remarks.approximate(format!("{}: {remark}", candidate.place));
            }
        }
        !understanding.is_never()
    });
    say_who(&candidates, shared.name, remarks);
    // A boolean flag's default is off.
    let (rules, are_all) = rules(&candidates, order, shared.default, made, remarks);
    state.rules = rules;
    state.is_incomplete |= !are_all && order == Order::Counts;
    state
}

fn place_of(strategy: &wire::Strategy) -> f64 {
    strategy.sort_order.unwrap_or(9_999.0)
}

/// What a strategy serves: its variants, or those of the flag where it has none.
fn outcomes(
    shared: &Shared<'_>,
    strategy: &wire::Strategy,
    variants: &[wire::Variant],
    place: &str,
    remarks: &mut Remarks,
) -> Vec<Outcome> {
    if shared.flag_type == FlagType::Boolean {
        return vec![Outcome::of(Value::Bool(true))];
    }
    let mut said = Vec::new();
    let outcomes = if strategy.variants.is_empty() {
        let outcomes = variants::outcomes(variants, shared.default, &mut said);
        let stickiness = variants
            .first()
            .map_or("", |first| first.stickiness.as_str());
        if outcomes.iter().any(Outcome::is_split)
            && !matches!(stickiness, "" | "default" | "userId")
        {
            said.push(format!(
                "users get variants by {stickiness} there, and by their key here"
            ));
        }
        outcomes
    } else {
        // Overrides exist only on the variants of a flag.
        let mut own = strategy.variants.clone();
        own.iter_mut().for_each(|variant| variant.overrides.clear());
        variants::outcomes(&own, shared.default, &mut said)
    };
    for remark in said {
        remarks.approximate(format!("{place}: {remark}"));
    }
    outcomes
}

/// A flag without strategies serves everybody.
fn everybody(
    shared: &Shared<'_>,
    variants: &[wire::Variant],
    environment: &str,
    remarks: &mut Remarks,
) -> Candidate {
    let strategy = wire::Strategy {
        name: "default".to_owned(),
        ..wire::Strategy::default()
    };
    Candidate {
        outcomes: outcomes(shared, &strategy, variants, environment, remarks),
        understanding: Understanding {
            subject: Subject::default(),
            percentage: EVERYONE,
            is_unknown: false,
            dice: strategy::Dice::default(),
            said: Said::default(),
            of_segments: Said::default(),
        },
        place: environment.to_owned(),
    }
}
