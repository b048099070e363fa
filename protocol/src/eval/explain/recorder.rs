//! Records what the engine reports while it evaluates.

use serde_json::Value;

use super::{
    Buckets, Contest, ExplainedCondition, ExplainedPrerequisite, ExplainedResult, ExplainedRule,
    ExplainedSegment, ExplainedStep, Explanation, raw, words,
};
use crate::{
    eval::{
        Environment, Evaluation, FlagIndex,
        attribute::Attribute,
        bucket::Seed,
        context::Context,
        observer::{Observer, Outcome, Step},
    },
    reason::Reason,
    snapshot::{self, Snapshot},
};

/// Observes the evaluation of the requested flag.
pub(super) struct Recorder<'a> {
    env: &'a Environment,
    flag: FlagIndex,
    /// The flag's rules as they were authored, for their texts.
    written: &'a [snapshot::Rule],
    context: &'a Context<'a>,
    steps: Vec<ExplainedStep>,
    buckets: Buckets,
    prerequisites: Prerequisites,
    mutex: Option<Contest>,
    rules: Vec<ExplainedRule>,
    /// The rule being tried.
    current: Option<&'a snapshot::Rule>,
    lacks_patterns: bool,
}

/// Observes the evaluation of prerequisites, of which only the result is recorded.
#[derive(Default)]
pub(super) struct Prerequisites(Vec<ExplainedPrerequisite>);

impl<'a> Recorder<'a> {
    pub(super) fn new(
        env: &'a Environment,
        flag: FlagIndex,
        snapshot: &'a Snapshot,
        context: &'a Context<'a>,
    ) -> Self {
        let key = env.key(flag);
        let written = snapshot
            .flags
            .iter()
            .find(|flag| flag.key == key)
            .and_then(|flag| flag.state.as_ref());
        Self {
            env,
            flag,
            written: written.map_or(&[], |state| &state.rules),
            context,
            steps: Vec::new(),
            buckets: Buckets::default(),
            prerequisites: Prerequisites::default(),
            mutex: None,
            rules: Vec::new(),
            current: None,
            lacks_patterns: false,
        }
    }

    pub(super) fn finish(mut self, flag_key: &str, evaluation: &Evaluation<'_>) -> Explanation {
        let decided_by = self.steps.last().map_or("", |step| step.step);
        if let (Reason::Error, Some(step)) = (evaluation.reason, self.steps.last_mut()) {
            step.detail = if evaluation.is_spent {
                words::SPENT
            } else {
                words::WRONG_TYPE
            };
        }
        let rules = self
            .steps
            .iter_mut()
            .find(|step| step.step == Step::Rules.name());
        if let Some(step) = rules.filter(|_| self.lacks_patterns && !evaluation.is_spent) {
            step.detail = words::lacking_patterns(step.outcome);
        }
        let rule = self
            .rules
            .last()
            .filter(|_| decided_by == Step::Rules.name());
        Explanation {
            result: ExplainedResult::new(flag_key, evaluation),
            decided_by,
            rule_id: rule.map(|rule| rule.id.clone()),
            steps: self.steps,
            buckets: self.buckets,
            prerequisites: self.prerequisites.0,
            mutex: self.mutex,
            rules: self.rules,
        }
    }

    fn key_at(&self, position: u32) -> Option<String> {
        self.env
            .entry(position)
            .map(|entry| entry.flag.key.as_str().to_owned())
    }

    fn explain_condition(
        &self,
        condition: &snapshot::Condition,
        matched: bool,
    ) -> ExplainedCondition {
        let value = if condition.attribute == "key" {
            Some(Value::from(&*self.context.key))
        } else {
            self.context
                .attributes
                .get(&condition.attribute)
                .map(Value::from)
                .filter(|value| !value.is_null())
        };
        ExplainedCondition {
            attribute: condition.attribute.clone(),
            operator: condition.operator.clone(),
            values: condition.values.clone(),
            missing: value.is_none(),
            attribute_value: value,
            matched,
        }
    }
}

impl Observer for Recorder<'_> {
    const EXHAUSTIVE: bool = true;

    type Nested = Prerequisites;

    fn nested(&mut self) -> &mut Prerequisites {
        &mut self.prerequisites
    }

    fn step(&mut self, step: Step, outcome: Outcome) {
        let name = if outcome == Outcome::Passed {
            "passed"
        } else {
            "decided"
        };
        self.steps.push(ExplainedStep {
            step: step.name(),
            outcome: name,
            detail: step.detail(outcome),
        });
    }

    fn bucket(&mut self, seed: Seed, bucket: u16) {
        let place = match seed {
            Seed::Rollout => &mut self.buckets.rollout,
            Seed::Mutex => &mut self.buckets.mutex,
            Seed::Variant => &mut self.buckets.variant,
        };
        *place = Some(bucket);
    }

    fn contest(&mut self, members: &[u32], winner: Option<u32>) {
        self.mutex = Some(Contest {
            group: self
                .env
                .entry(self.flag.0)
                .map_or_else(String::new, |entry| entry.flag.group.to_string()),
            winner: winner.and_then(|position| self.key_at(position)),
            members: members
                .iter()
                .filter_map(|&position| self.key_at(position))
                .collect(),
        });
    }

    fn prerequisite(&mut self, key: &str, met: bool, evaluation: &Evaluation<'_>) {
        self.prerequisites.prerequisite(key, met, evaluation);
    }

    fn rule(&mut self, place: usize) {
        self.current = self.written.get(place);
        self.rules.push(ExplainedRule {
            id: self
                .current
                .map_or_else(String::new, |rule| rule.id.clone()),
            matched: false,
            admitted: None,
            conditions: Vec::new(),
            segments: Vec::new(),
        });
    }

    fn condition(&mut self, index: usize, matched: bool) {
        let condition = self.current.and_then(|rule| rule.conditions.get(index));
        let explained = condition.map(|condition| self.explain_condition(condition, matched));
        if let Some(rule) = self.rules.last_mut() {
            rule.conditions.extend(explained);
        }
    }

    fn lacks_patterns(&mut self) {
        self.lacks_patterns = true;
    }

    fn segment(&mut self, key: &str, matched: Option<bool>) {
        if let Some(rule) = self.rules.last_mut() {
            let (exists, matched) = (matched.is_some(), matched == Some(true));
            rule.segments.push(ExplainedSegment {
                key: key.to_owned(),
                exists,
                matched,
            });
        }
    }

    fn rule_verdict(&mut self, matched: bool, admitted: Option<bool>) {
        if let Some(rule) = self.rules.last_mut() {
            rule.matched = matched;
            rule.admitted = admitted;
        }
    }
}

impl Observer for Prerequisites {
    const EXHAUSTIVE: bool = false;

    type Nested = Self;

    fn nested(&mut self) -> &mut Self {
        self
    }

    fn prerequisite(&mut self, key: &str, met: bool, evaluation: &Evaluation<'_>) {
        self.0.push(ExplainedPrerequisite {
            flag_key: key.to_owned(),
            met,
            reason: evaluation.reason,
            value: raw(evaluation.value_json),
        });
    }
}

impl From<&Attribute<'_>> for Value {
    fn from(attribute: &Attribute<'_>) -> Self {
        match attribute {
            Attribute::Null => Self::Null,
            Attribute::Bool(value) => Self::from(*value),
            Attribute::Int(number) => Self::from(*number),
            Attribute::Uint(number) => Self::from(*number),
            Attribute::Float(number) => Self::from(*number),
            Attribute::Text(text) => Self::from(&**text),
            Attribute::Array(elements) => elements.iter().map(Self::from).collect(),
            Attribute::Object(members) => members
                .iter()
                .map(|(name, member)| (name.clone().into_owned(), Self::from(member)))
                .collect(),
        }
    }
}
