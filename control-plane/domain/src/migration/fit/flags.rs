//! Flags of a plan, as they can be stored.

use std::collections::{HashMap, HashSet};

use importers::plan::{self, Remarks};
use protocol::rule::TargetingRule;
use time::OffsetDateTime;

use super::{
    Fit, Fitted, FlagWithStates, at, described, left_out, named, switched_off, unstorable,
};
use crate::{
    flags::{
        input::{MAX_TAG, MAX_TAGS, NewFlag},
        model::{Flag, FlagType},
        rules::{self, MAX_SEGMENTS_IN_ALL},
        states::model::{BasisPoints, FlagState},
        variants::check_variants,
    },
    migration::model::{Item, ItemKind},
    segments::conditions::{MAX_VALUES, Patterns, bound_patterns},
};
use base::input::{Invalid, is_longer_than};

/// Rules of a state. Whole environments are bounded by their bytes; this bounds what one state asks of an evaluation.
const MAX_RULES: usize = 20_000;

pub(super) fn fit(planned: Vec<plan::Flag>, fitted: &mut Fitted, now: OffsetDateTime) {
    let environments: HashSet<_> = fitted
        .environments
        .iter()
        .map(|environment| environment.made.slug.clone())
        .collect();
    let cyclic = on_cycles(&planned);
    let mut keys = HashSet::new();
    for (mut flag, is_cyclic) in planned.into_iter().zip(cyclic) {
        let mut remarks = std::mem::take(&mut flag.remarks);
        let source = flag.key.clone();
        if is_cyclic {
            let reason = "its prerequisites form a cycle over all environments";
            let skipped = Item::skipped(ItemKind::Flag, &source, reason);
            fitted.skipped.push(skipped);
            continue;
        }
        if !keys.insert(source.clone()) {
            let reason = "another flag of the source has this key too";
            let skipped = Item::skipped(ItemKind::Flag, &source, reason);
            fitted.skipped.push(skipped);
            continue;
        }
        flag.states.retain(|state| {
            let is_kept = environments.contains(&state.environment);
            if !is_kept {
                remarks.drop(left_out(&state.environment));
            }
            is_kept
        });
        let rules = flag.states.iter().flat_map(|state| &state.rules);
        let counted = fitted.count_patterns(rules.flat_map(|rule| &rule.conditions));
        match counted.and_then(|()| checked(flag, &mut remarks, now)) {
            Ok(made) => fitted.flags.push(Fit {
                source,
                made,
                remarks,
            }),
            Err(invalid) => {
                let skipped = Item::skipped(ItemKind::Flag, &source, invalid.to_string());
                fitted.skipped.push(skipped);
            }
        }
    }
}

fn checked(
    planned: plan::Flag,
    remarks: &mut Remarks,
    now: OffsetDateTime,
) -> Result<FlagWithStates, Invalid> {
    let flag_type = FlagType::from(planned.flag_type);
    let name = named(planned.name, &planned.key, remarks);
    if let Some(what) = unstorable(&(&planned.default_value, &planned.prerequisites)) {
        return Err(Invalid::new(format!("a value contains {what}")));
    }
    let new = NewFlag {
        name: Some(name),
        key: Some(planned.key),
        description: Some(described(planned.description, remarks)),
        flag_type: Some(flag_type.as_str().to_owned()),
        default_value: Some(planned.default_value),
        tags: Some(tags(planned.tags, remarks)),
        prerequisites: Some(planned.prerequisites),
        mutual_exclusion_group: None,
        permanent: None,
        owner_id: None,
    };
    let flag = new.check(now)?;
    let created_at = at(planned.created_at, now);
    let flag = Flag {
        created_at,
        updated_at: at(planned.updated_at, created_at),
        ..flag
    };
    let states = planned.states.into_iter().map(|state| {
        let slug = state.environment.clone();
        let made = state_of(state, flag_type, remarks, now)?;
        Ok((slug, made))
    });
    let states: Result<_, Invalid> = states.collect();
    let states = states?;
    Ok(FlagWithStates { flag, states })
}

fn state_of(
    planned: plan::State,
    flag_type: FlagType,
    remarks: &mut Remarks,
    now: OffsetDateTime,
) -> Result<FlagState, Invalid> {
    let environment = planned.environment;
    if let Some(value) = &planned.default_value {
        flag_type.check("default_value", value)?;
        if let Some(what) = unstorable(value) {
            return Err(Invalid::new(format!("a value contains {what}")));
        }
    }
    let rollout = planned.percentage_rollout;
    let rollout = rollout.map(|number| BasisPoints::new("percentage_rollout", number));
    let mut is_incomplete = planned.is_incomplete;
    let mut kept: Vec<TargetingRule> = Vec::new();
    let mut patterns = Patterns::default();
    let mut segments = 0;
    bound_patterns(planned.rules.iter().flat_map(|rule| &rule.conditions))?;
    for (place, rule) in planned.rules.into_iter().enumerate() {
        for mut rule in in_pieces(rule) {
            rules::complete(&mut rule, kept.len());
            let named = segments + rule.segment_keys.len();
            let checked = match unstorable(&rule) {
                Some(what) => Err(Invalid::new(format!("it contains {what}"))),
                None if named > MAX_SEGMENTS_IN_ALL => Err(Invalid::new(
                    "with it the rules would name more than 1000 segments in all",
                )),
                None => rules::check_rule(&rule, flag_type, &mut patterns),
            };
            match checked {
                Ok(()) => {
                    segments = named;
                    kept.push(rule);
                }
                Err(invalid) => {
                    is_incomplete = true;
                    let place = place + 1;
                    remarks.drop(format!(
                        "{environment}: rule {place} is left out: {invalid}"
                    ));
                }
            }
        }
    }
    if kept.len() > MAX_RULES {
        return Err(Invalid::new(format!(
            "{environment}: the state would have more than {MAX_RULES} rules"
        )));
    }
    if planned.enabled && is_incomplete {
        remarks.drop(switched_off(&environment));
    }
    check_variants(&planned.variants)?;
    if let Some(what) = unstorable(&planned.variants) {
        return Err(Invalid::new(format!("a variant contains {what}")));
    }
    let mut state = FlagState {
        enabled: planned.enabled && !is_incomplete,
        default_value: planned.default_value,
        rules: kept,
        percentage_rollout: rollout.transpose()?,
        variants: planned.variants,
        bucketing: planned.bucketing,
        pattern_bytes: patterns.bytes(),
        ..FlagState::initial(now)
    };
    state.compiled_bytes = state.measure();
    Ok(state)
}

/// A rule for a list of values that is too long for one condition, as several rules. Exact: they serve the same, one after the other.
fn in_pieces(mut rule: TargetingRule) -> Vec<TargetingRule> {
    let is_list = |operator: &str| matches!(operator, "in" | "eq");
    match &mut rule.conditions[..] {
        [only] if is_list(&only.operator) && only.values.len() > MAX_VALUES => {
            let values = std::mem::take(&mut only.values);
            let pieces = values.chunks(MAX_VALUES).map(|values| {
                let mut piece = rule.clone();
                piece.id.clear();
                piece.conditions[0].values = values.to_vec();
                piece
            });
            pieces.collect()
        }
        _ => vec![rule],
    }
}

/// The tags that can be kept.
fn tags(tags: Vec<String>, remarks: &mut Remarks) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut kept = Vec::new();
    for tag in tags {
        if !seen.insert(tag.clone()) {
            continue;
        }
        if kept.len() == MAX_TAGS || is_longer_than(&tag, MAX_TAG) || tag.contains('\0') {
            remarks.drop(format!(
                "some tags are left out: a flag has at most {MAX_TAGS}, of {MAX_TAG} characters"
            ));
        } else {
            kept.push(tag);
        }
    }
    kept
}

/// Which of the flags lie on cycles of prerequisites, or between two of them. Flags that merely require one that does are not
/// among them.
fn on_cycles(flags: &[plan::Flag]) -> Vec<bool> {
    let places: HashMap<&str, usize> = flags
        .iter()
        .enumerate()
        .map(|(place, flag)| (flag.key.as_str(), place))
        .collect();
    let required: Vec<Vec<usize>> = flags
        .iter()
        .map(|flag| {
            let known = flag.prerequisites.iter();
            known
                .filter_map(|key| places.get(key.as_str()).copied())
                .collect()
        })
        .collect();
    let mut requiring = vec![Vec::new(); flags.len()];
    for (place, keys) in required.iter().enumerate() {
        for &key in keys {
            requiring[key].push(place);
        }
    }
    let below = peel(&required, &requiring);
    let above = peel(&requiring, &required);
    below.iter().zip(&above).map(|(&a, &b)| a && b).collect()
}

/// Takes away, again and again, whatever leads nowhere that is left; tells what remains.
fn peel(leads_to: &[Vec<usize>], led_from: &[Vec<usize>]) -> Vec<bool> {
    let mut left: Vec<usize> = leads_to.iter().map(Vec::len).collect();
    let mut remains = vec![true; left.len()];
    let mut free: Vec<usize> = (0..left.len()).filter(|&place| left[place] == 0).collect();
    while let Some(place) = free.pop() {
        remains[place] = false;
        for &from in &led_from[place] {
            left[from] -= 1;
            if left[from] == 0 {
                free.push(from);
            }
        }
    }
    remains
}

#[cfg(test)]
mod tests {
    use importers::plan::rules::{condition, rule};
    use protocol::snapshot;
    use serde_json::json;

    use super::*;

    fn flag(key: &str, prerequisites: &[&str]) -> plan::Flag {
        plan::Flag {
            key: key.to_owned(),
            name: key.to_owned(),
            description: String::new(),
            flag_type: snapshot::FlagType::Boolean,
            default_value: json!(false),
            tags: Vec::new(),
            prerequisites: prerequisites.iter().map(|&key| key.to_owned()).collect(),
            created_at: None,
            updated_at: None,
            states: Vec::new(),
            remarks: Remarks::default(),
        }
    }

    #[test]
    fn only_flags_on_a_cycle_are_found() {
        let flags = [
            flag("a", &["b"]),
            flag("b", &["a"]),
            flag("requires-one", &["a"]),
            flag("free", &[]),
            flag("self", &["self"]),
            flag("required", &["unknown"]),
        ];
        assert_eq!(on_cycles(&flags), [true, true, false, false, true, false]);
    }

    #[test]
    fn a_list_that_is_too_long_becomes_several_rules() {
        let values = (0..=MAX_VALUES).map(|number| number.to_string());
        let long = rule(vec![condition("key", "in", values)], json!(true));
        let pieces = in_pieces(long);
        let lengths: Vec<_> = pieces
            .iter()
            .map(|piece| piece.conditions[0].values.len())
            .collect();
        assert_eq!(lengths, [MAX_VALUES, 1]);
    }

    #[test]
    fn rules_that_name_too_many_segments_together_are_left_out() {
        let naming = |number: usize| TargetingRule {
            segment_keys: (0..100).map(|key| format!("s{number}-{key}")).collect(),
            ..rule(Vec::new(), json!(true))
        };
        let mut planned = flag("a", &[]);
        planned.states.push(plan::State {
            environment: "test".to_owned(),
            rules: (0..11).map(naming).collect(),
            ..plan::State::default()
        });
        let mut remarks = Remarks::default();
        let made = checked(planned, &mut remarks, OffsetDateTime::UNIX_EPOCH).unwrap();
        assert_eq!(made.states[0].1.rules.len(), 10);
        let told: Vec<_> = remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(
            told,
            [
                "test: rule 11 is left out: with it the rules would name more than 1000 segments in all"
            ]
        );
    }

    #[test]
    fn a_rule_that_cannot_be_stored_is_left_out_and_told() {
        let mut planned = flag("a", &[]);
        planned.states.push(plan::State {
            environment: "test".to_owned(),
            enabled: true,
            rules: vec![
                rule(vec![condition("a", "regex", ["("])], json!(true)),
                rule(vec![condition("a\0", "in", ["b"])], json!(true)),
                rule(vec![condition("a", "in", ["b"])], json!(true)),
            ],
            ..plan::State::default()
        });
        let mut remarks = Remarks::default();
        let made = checked(planned, &mut remarks, OffsetDateTime::UNIX_EPOCH).unwrap();
        let rules = &made.states[0].1.rules;
        assert_eq!(rules.len(), 1);
        assert_eq!(rules[0].priority, Some(0));
        assert!(!made.states[0].1.enabled);
        let told: Vec<_> = remarks.iter().map(|remark| remark.text.as_str()).collect();
        assert_eq!(
            told,
            [
                "test: rule 1 is left out: conditions[0].values must be regular expressions of bounded size",
                "test: rule 2 is left out: it contains a NUL character",
                "test: switched off here, because something that keeps users out is missing",
            ]
        );
    }
}
