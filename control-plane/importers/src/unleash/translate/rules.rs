//! The strategies of a flag in an environment, as rules.

use std::collections::HashSet;

use protocol::rule::{Condition, TargetingRule};
use serde_json::Value;

use super::{
    candidate::{Candidate, Form},
    shape::{MadeSegments, Shape},
};
use crate::plan::{Remarks, rules::rule};

/// Whether the first strategy that is met decides. It does not where all serve the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Counts,
    IsFree,
}

/// The rules of a state, and whether all of its strategies became some.
pub(super) fn rules(
    candidates: &[Candidate],
    order: Order,
    default: &Value,
    made: &mut MadeSegments,
    remarks: &mut Remarks,
) -> (Vec<TargetingRule>, bool) {
    let mut are_all = true;
    let mut forms: Vec<Form> = candidates
        .iter()
        .map(|candidate| candidate.form(made))
        .collect();
    let last = guarded_last(&forms, order);
    let mut rules = Vec::new();
    let mut after = Vec::new();
    let mut guards = Vec::new();
    for (place, (candidate, form)) in candidates.iter().zip(&mut forms).enumerate() {
        let understanding = &candidate.understanding;
        are_all &= !understanding.is_unknown;
        if understanding.is_unknown {
            remarks.approximate(format!(
                "{}: strategies of this kind have no counterpart, and this one is kept with a percentage of 0",
                candidate.place
            ));
        }
        let mut said = understanding.said.clone();
        let shapes = match std::mem::replace(form, Form::Nothing) {
            Form::Plain(shapes) => Some((shapes, false)),
            Form::Guarded(shapes, needed) if last.contains(&place) => {
                guards = needed;
                Some((shapes, true))
            }
            Form::Guarded(..) => candidate
                .approximate(&mut said.differs)
                .map(|shapes| (shapes, false)),
            Form::Nothing => None,
        };
        let refers = |shape: &Shape| {
            shape.segment.is_some() && shape.segment == understanding.subject.segment
        };
        if !shapes
            .as_ref()
            .is_some_and(|(shapes, _)| shapes.iter().all(refers))
        {
            said.extend(understanding.of_segments.clone());
        }
        for remark in said.reaching(understanding.percentage) {
            remarks.approximate(format!("{}: {remark}", candidate.place));
        }
        let Some((shapes, is_guarded)) = shapes else {
            if understanding.percentage > 0 {
                are_all = false;
                remarks.drop(format!(
                    "{}: a negated constraint has no counterpart beside other strategies; the strategy is left out",
                    candidate.place
                ));
            }
            continue;
        };
        let target = if is_guarded { &mut after } else { &mut rules };
        for (shape, outcome) in shapes.iter().zip(&candidate.outcomes) {
            target.extend(candidate.serve(shape, outcome));
        }
    }
    rules.extend(
        guards
            .into_iter()
            .map(|conditions| rule(conditions, default.clone())),
    );
    rules.extend(after);
    (rules, are_all)
}

/// The strategies that come after guards: the last ones, if order matters, else any; and only such as need the same guards, because
/// a guard is one for all that follow.
fn guarded_last(forms: &[Form], order: Order) -> HashSet<usize> {
    let guards = |form: &Form| match form {
        Form::Guarded(_, guards) => Some(guards.clone()),
        Form::Plain(_) | Form::Nothing => None,
    };
    let same = |a: &[Vec<Condition>], b: &[Vec<Condition>]| {
        a.len() == b.len() && a.iter().all(|guard| b.contains(guard))
    };
    let needed = if order == Order::Counts {
        forms.last().and_then(guards)
    } else {
        forms.iter().find_map(guards)
    };
    let Some(needed) = needed else {
        return HashSet::new();
    };
    let has_them = |form: &Form| guards(form).is_some_and(|guards| same(&guards, &needed));
    let last = if order == Order::Counts {
        forms
            .iter()
            .rposition(|form| !has_them(form))
            .map_or(0, |place| place + 1)
    } else {
        0
    };
    (last..forms.len())
        .filter(|&place| has_them(&forms[place]))
        .collect()
}
