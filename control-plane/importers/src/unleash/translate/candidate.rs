//! A strategy on its way to rules: which form they can have.

use protocol::rule::{Condition, TargetingRule};
use serde_json::Value;

use super::{
    shape::{MadeSegments, Shape, Subject},
    strategy::Understanding,
    variants::Outcome,
};
use crate::plan::rules::split;

/// A strategy, and what it serves.
pub(super) struct Candidate {
    /// Where it is, for people.
    pub(super) place: String,
    pub(super) understanding: Understanding,
    pub(super) outcomes: Vec<Outcome>,
}

/// How a strategy is told.
pub(super) enum Form {
    /// By rules with these shapes, one for each outcome.
    Plain(Vec<Shape>),
    /// By rules after others that take away whoever meets one of these.
    Guarded(Vec<Shape>, Vec<Vec<Condition>>),
    /// By no rule: nobody is reached, and there is no form for who it would be.
    Nothing,
}

impl Candidate {
    pub(super) fn is_split(&self) -> bool {
        self.outcomes.iter().any(Outcome::is_split)
    }

    pub(super) fn form(&self, made: &mut MadeSegments) -> Form {
        let subjects: Vec<Subject> = self
            .outcomes
            .iter()
            .map(|outcome| self.understanding.subject.and(outcome.only.clone()))
            .collect();
        if let Some(shapes) = subjects.iter().map(|subject| subject.exact(made)).collect() {
            return Form::Plain(shapes);
        }
        if self.understanding.percentage == 0 {
            let shapes: Option<Vec<_>> = subjects
                .iter()
                .map(|subject| Some(subject.approximate()?.0))
                .collect();
            return shapes.map_or(Form::Nothing, Form::Plain);
        }
        let guarded: Vec<_> = subjects.iter().map(Subject::guarded).collect();
        let guards = guarded
            .first()
            .map(|(_, guards)| guards.clone())
            .unwrap_or_default();
        Form::Guarded(
            guarded.into_iter().map(|(shape, _)| shape).collect(),
            guards,
        )
    }

    pub(super) fn approximate(&self, said: &mut Vec<String>) -> Option<Vec<Shape>> {
        let mut shapes = Vec::new();
        for outcome in &self.outcomes {
            let (shape, differences) = self
                .understanding
                .subject
                .and(outcome.only.clone())
                .approximate()?;
            shapes.push(shape);
            said.extend(differences);
        }
        Some(shapes)
    }

    pub(super) fn serve(&self, shape: &Shape, outcome: &Outcome) -> Vec<TargetingRule> {
        let like = TargetingRule {
            percentage: self.understanding.percentage,
            ..shape.rule(Value::Null)
        };
        match outcome.shares.as_slice() {
            [only] => vec![TargetingRule {
                value: Some(only.value.clone()),
                ..like
            }],
            shares => split(&like, shares, outcome.whole(), like.percentage),
        }
    }
}
