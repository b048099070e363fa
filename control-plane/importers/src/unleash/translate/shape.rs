//! How constraints become a rule.
//!
//! A rule has conditions that hold together, or of which one is enough, and any number of segments of which one is enough. A
//! constraint that holds for a missing attribute is none of these by itself, since no condition holds for one. Three forms stand for
//! it exactly: the rule's only conditions are the opposite and "is missing", of which one is enough; a segment of its own is made of
//! these two; or a rule before serves what is served to nobody else.

use std::collections::{HashMap, HashSet};

use protocol::{
    rule::{Condition, TargetingRule},
    snapshot::MatchType,
};
use serde_json::Value;

use super::constraint::{Meaning, Negation, Said, Understood};
use crate::plan::{
    Remarks, Segment,
    copies::{Weight, copy},
    rules::{condition, rule},
    slug,
};

/// A list that has this many values is joined by no other.
const MAX_VALUES: usize = 10_000;

/// What a context has to meet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Needs {
    pub(super) is: Vec<Condition>,
    pub(super) not: Vec<Negation>,
    /// Nobody meets it.
    pub(super) never: bool,
}

impl Needs {
    /// Adds a constraint; the reason where it cannot be expressed.
    pub(super) fn add(&mut self, understood: Understood, said: &mut Said) -> Result<(), String> {
        said.extend(understood.said);
        match understood.meaning {
            Meaning::Always => {}
            Meaning::Never => self.never = true,
            Meaning::Is(conditions) => conditions
                .into_iter()
                .for_each(|condition| self.require(condition)),
            Meaning::Not(negation) => self.exclude(negation),
            Meaning::Unknown(why) => return Err(why),
        }
        Ok(())
    }

    pub(super) fn require(&mut self, condition: Condition) {
        if !self.is.contains(&condition) {
            self.is.push(condition);
        }
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.never |= other.never;
        for condition in &other.is {
            copy(condition)
                .into_iter()
                .for_each(|one| self.require(one));
        }
        for negation in &other.not {
            copy(negation).into_iter().for_each(|one| self.exclude(one));
        }
    }

    /// Two lists of excluded values of one attribute are one list, until it is as long as a condition may be: each list that
    /// joins looks at all of it.
    fn exclude(&mut self, negation: Negation) {
        for present in &mut self.not {
            if *present == negation {
                return;
            }
            if let ([kept], [added]) = (present.of.as_mut_slice(), negation.of.as_slice())
                && kept.operator == "in"
                && added.operator == "in"
                && kept.attribute == added.attribute
                && kept.values.len() < MAX_VALUES
                && let (Some(kept_opposite), Some(_)) = (&mut present.opposite, &negation.opposite)
            {
                let known: HashSet<String> = kept.values.iter().cloned().collect();
                let new = added.values.iter().filter(|value| !known.contains(*value));
                kept.values.extend(new.cloned());
                kept_opposite.condition.values.clone_from(&kept.values);
                return;
            }
        }
        self.not.push(negation);
    }
}

impl Weight for Needs {
    fn weight(&self) -> usize {
        self.is.weight() + self.not.weight()
    }
}

impl Weight for Negation {
    fn weight(&self) -> usize {
        let opposite = self.opposite.as_ref();
        self.of.weight() + opposite.map_or(0, |opposite| opposite.condition.weight())
    }
}

impl Weight for Subject {
    fn weight(&self) -> usize {
        self.own.weight() + self.inlined.weight()
    }
}

impl Negation {
    /// The two conditions of which one is enough, if they mean the same for every context.
    fn alternatives(&self) -> Option<Vec<Condition>> {
        let opposite = self.opposite.as_ref()?;
        opposite
            .differs
            .is_none()
            .then(|| or_missing(&opposite.condition))
    }
}

/// A condition, or that its attribute is missing.
fn or_missing(opposite: &Condition) -> Vec<Condition> {
    let missing = condition(opposite.attribute.as_str(), "neq", Vec::<String>::new());
    if opposite.attribute == "key" {
        return vec![opposite.clone()];
    }
    vec![opposite.clone(), missing]
}

/// Who a rule is for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Shape {
    pub(super) match_type: MatchType,
    pub(super) conditions: Vec<Condition>,
    pub(super) segment: Option<String>,
}

impl Shape {
    pub(super) fn all(conditions: Vec<Condition>, segment: Option<String>) -> Self {
        Self {
            match_type: MatchType::All,
            conditions,
            segment,
        }
    }

    fn any(conditions: Vec<Condition>, segment: Option<String>) -> Self {
        Self {
            match_type: MatchType::Any,
            conditions,
            segment,
        }
    }

    pub(super) fn rule(&self, value: Value) -> TargetingRule {
        let mut rule = rule(self.conditions.clone(), value);
        if self.match_type == MatchType::Any {
            "any".clone_into(&mut rule.match_type);
        }
        rule.segment_keys.extend(self.segment.clone());
        rule
    }
}

/// The constraints of a strategy, with its segments.
#[derive(Clone, Debug, Default)]
pub(super) struct Subject {
    /// Its own constraints.
    pub(super) own: Needs,
    /// The only segment, where a segment here means the same.
    pub(super) segment: Option<String>,
    /// The constraints of its segments.
    pub(super) inlined: Needs,
}

impl Subject {
    /// The same contexts, as far as they meet the condition too.
    pub(super) fn and(&self, condition: Option<Condition>) -> Self {
        let mut subject = copy(self).unwrap_or_default();
        if let Some(condition) = condition {
            subject.own.require(condition);
        }
        subject
    }

    fn whole(&self) -> Needs {
        let mut needs = self.own.clone();
        needs.join(&self.inlined);
        needs
    }

    /// An exact form without rules before it.
    pub(super) fn exact(&self, segments: &mut MadeSegments) -> Option<Shape> {
        if let Some(segment) = &self.segment {
            match self.own.not.as_slice() {
                [] => return Some(Shape::all(self.own.is.clone(), Some(segment.clone()))),
                [only] if self.own.is.is_empty() => {
                    if let Some(conditions) = only.alternatives() {
                        return Some(Shape::any(conditions, Some(segment.clone())));
                    }
                }
                _ => {}
            }
        }
        let Needs { is, not, .. } = self.whole();
        match (not.as_slice(), is.is_empty()) {
            ([], _) => Some(Shape::all(is, None)),
            ([only], true) => Some(Shape::any(only.alternatives()?, None)),
            ([only], false) => Some(Shape::all(is, Some(segments.make(only)?))),
            ([one, other], true) => {
                let conditions = one.alternatives()?;
                Some(Shape::any(conditions, Some(segments.make(other)?)))
            }
            _ => None,
        }
    }

    /// An exact form after rules that take away whoever meets one of these lists of conditions.
    pub(super) fn guarded(&self) -> (Shape, Vec<Vec<Condition>>) {
        let (needs, segment) = match &self.segment {
            Some(segment) => (self.own.clone(), Some(segment.clone())),
            None => (self.whole(), None),
        };
        let guards = needs.not.into_iter().map(|negation| negation.of).collect();
        (Shape::all(needs.is, segment), guards)
    }

    /// A form that differs for some contexts, and in what. `None` where even that is missing.
    pub(super) fn approximate(&self) -> Option<(Shape, Vec<String>)> {
        let (needs, segment) = match &self.segment {
            Some(segment) => (self.own.clone(), Some(segment.clone())),
            None => (self.whole(), None),
        };
        let (shape, remarks) = flat(&needs)?;
        Some((Shape { segment, ..shape }, remarks))
    }
}

/// One list of conditions, and in what it differs.
pub(super) fn flat(needs: &Needs) -> Option<(Shape, Vec<String>)> {
    let mut remarks = Vec::new();
    let mut conditions = needs.is.clone();
    for negation in &needs.not {
        let opposite = negation.opposite.as_ref()?;
        let attribute = &opposite.condition.attribute;
        if let Some(differs) = opposite.differs {
            remarks.push(format!(
                "{attribute} is compared the other way round ({}): {differs}",
                opposite.condition.operator
            ));
        }
        if needs.is.is_empty() && needs.not.len() == 1 {
            return Some((Shape::any(or_missing(&opposite.condition), None), remarks));
        }
        if attribute != "key" {
            remarks.push(format!(
                "contexts without {attribute} match there and not here"
            ));
        }
        conditions.push(opposite.condition.clone());
    }
    Some((Shape::all(conditions, None), remarks))
}

/// Segments that are made for negations, shared by all who need the same one.
#[derive(Debug, Default)]
pub(super) struct MadeSegments {
    made: HashMap<String, Segment>,
}

impl MadeSegments {
    fn make(&mut self, negation: &Negation) -> Option<String> {
        let rules = negation.alternatives()?;
        let excluded = rules.first()?;
        let attribute = &excluded.attribute;
        let mut hash = fnv(FNV_START, attribute);
        for value in &excluded.values {
            hash = fnv(hash, value);
        }
        let mut name = slug(attribute);
        name.truncate(40);
        let key = format!("provider_b-not-{name}-{hash:016x}");
        let source = format!("NOT_IN {attribute}");
        let title = format!(
            "{attribute} is none of {} values, or missing",
            excluded.values.len()
        );
        self.made.entry(key.clone()).or_insert_with(|| Segment {
            source,
            key: key.clone(),
            name: title,
            description: "Stands for a constraint that also holds without the attribute."
                .to_owned(),
            match_type: MatchType::Any,
            rules,
            created_at: None,
            remarks: Remarks::default(),
        });
        Some(key)
    }

    /// In the order of their keys.
    pub(super) fn into_segments(self) -> Vec<Segment> {
        let mut segments: Vec<_> = self.made.into_values().collect();
        segments.sort_by(|a, b| a.key.cmp(&b.key));
        segments
    }
}

const FNV_START: u64 = 0xcbf2_9ce4_8422_2325;

/// Goes into keys, which a second import has to find again: no hash of the standard library is the same everywhere.
fn fnv(hash: u64, text: &str) -> u64 {
    text.bytes().chain([0xff]).fold(hash, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
