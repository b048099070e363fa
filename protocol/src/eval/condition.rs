//! Conditions: one test of one attribute, and lists of them.
//!
//! Whatever can be known before a context arrives is worked out in [`Condition::prepare`]: operators become predicates,
//! operands become sets, numbers, instants, versions and compiled patterns. A condition that cannot be understood never
//! matches.

use super::{
    attribute::Attribute,
    context::Context,
    observer::Observer,
    parts::Parts,
    patterns::{Compiled, Texts},
    predicate::{Bound, Predicate, Scalar, Values},
    scratch::Scratch,
};
use crate::snapshot::{self, MatchType};

/// The steps that it takes to look at a condition, and at an element of an array.
const CONDITION: u64 = 4;
const ELEMENT: u64 = 2;

/// A prepared condition.
#[derive(Debug)]
pub(super) struct Condition {
    subject: Subject,
    test: Test,
}

#[derive(Debug)]
enum Subject {
    ContextKey,
    Attribute(Box<str>),
}

#[derive(Debug)]
enum Test {
    Never,
    Present,
    Missing,
    /// Holds for the attribute, or for any element of an array.
    Holds(Predicate),
    /// Holds if neither the attribute nor any element equals a value, and the attribute is present.
    NoneEquals(Values),
}

impl Condition {
    pub(super) fn prepare(condition: &snapshot::Condition, patterns: &mut Texts) -> Self {
        let subject = match condition.attribute.as_str() {
            "key" => Subject::ContextKey,
            name => Subject::Attribute(name.into()),
        };
        Self {
            subject,
            test: Test::prepare(condition, patterns),
        }
    }

    /// Whether the condition holds for the context. `patterns` are those of the flag or segment.
    #[inline]
    pub(super) fn matches(
        &self,
        context: &Context<'_>,
        patterns: &Compiled,
        scratch: &mut Scratch,
    ) -> bool {
        if !scratch.spend(CONDITION) {
            return false;
        }
        let attribute = match &self.subject {
            Subject::ContextKey => {
                return self
                    .test
                    .holds(Scalar::Text(&context.key), patterns, scratch);
            }
            Subject::Attribute(name) => context.attributes.get(name),
        };
        match attribute {
            // Most are.
            Some(Attribute::Text(text)) => self.test.holds(Scalar::Text(text), patterns, scratch),
            None | Some(Attribute::Null) => matches!(self.test, Test::Missing),
            Some(Attribute::Object(_)) => matches!(self.test, Test::Present),
            Some(Attribute::Array(elements)) => {
                self.test.holds_for_array(elements, patterns, scratch)
            }
            Some(other) => {
                Scalar::of(other).is_some_and(|scalar| self.test.holds(scalar, patterns, scratch))
            }
        }
    }

    /// Whether it has a pattern that never matches because it is too large, or beyond what the environment may hold.
    pub(super) fn lacks_patterns(&self, patterns: &Compiled) -> bool {
        match &self.test {
            Test::Holds(Predicate::Regex(places)) => {
                patterns.range(*places).iter().any(Option::is_none)
            }
            _ => false,
        }
    }
}

impl Test {
    fn prepare(condition: &snapshot::Condition, patterns: &mut Texts) -> Self {
        let values = &condition.values;
        Self::Holds(match condition.operator.as_str() {
            "eq" | "in" => Predicate::Equals(Values::prepare(values)),
            "neq" if values.is_empty() => return Self::Missing,
            "neq" | "notIn" => return Self::NoneEquals(Values::prepare(values)),
            "exists" => match values.as_slice() {
                [only] if only.eq_ignore_ascii_case("false") => return Self::Missing,
                _ => return Self::Present,
            },
            "contains" => Predicate::Contains(Box::new(Parts::of_starts(values))),
            "startsWith" => Predicate::StartsWith(Box::new(Parts::of_starts(values))),
            "endsWith" => Predicate::EndsWith(Box::new(Parts::of_ends(values))),
            "regex" => Predicate::Regex(patterns.add(values)),
            "gt" => return Self::compare(Bound::Above, values),
            "gte" => return Self::compare(Bound::AtLeast, values),
            "lt" => return Self::compare(Bound::Below, values),
            "lte" => return Self::compare(Bound::AtMost, values),
            _ => return Self::Never,
        })
    }

    fn compare(bound: Bound, values: &[String]) -> Self {
        values
            .first()
            .and_then(|first| Predicate::compare(bound, first))
            .map_or(Self::Never, Self::Holds)
    }

    #[inline]
    fn holds(&self, scalar: Scalar<'_>, patterns: &Compiled, scratch: &mut Scratch) -> bool {
        match self {
            Self::Never | Self::Missing => false,
            Self::Present => true,
            Self::Holds(predicate) => predicate.holds(scalar, patterns, scratch),
            Self::NoneEquals(values) => !values.contain(scalar, scratch),
        }
    }

    // Apart, so that what most conditions come to is short.
    #[inline(never)]
    fn holds_for_array(
        &self,
        elements: &[Attribute<'_>],
        patterns: &Compiled,
        scratch: &mut Scratch,
    ) -> bool {
        // Others can neither match nor equal a value.
        let mut scalars = elements.iter().filter_map(Scalar::of);
        match self {
            Self::Never | Self::Missing => false,
            Self::Present => true,
            Self::Holds(predicate) => scalars.any(|element| {
                scratch.spend(ELEMENT) && predicate.holds(element, patterns, scratch)
            }),
            Self::NoneEquals(values) => {
                !scalars.any(|element| scratch.spend(ELEMENT) && values.contain(element, scratch))
            }
        }
    }
}

/// Tests conditions and combines the verdicts. If there are none, `all` holds and `any` does not. When no steps are left,
/// the verdict means nothing.
pub(super) fn combine<O: Observer>(
    match_type: MatchType,
    conditions: &[Condition],
    context: &Context<'_>,
    patterns: &Compiled,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    let decisive = match_type == MatchType::Any;
    let mut is_decided = false;
    for (index, condition) in conditions.iter().enumerate() {
        let verdict = if is_decided {
            // The verdict is certain, but explanations show every condition, as far as it can be tested. What an answer
            // does not come to takes nothing from what it may do.
            let tested = scratch.aside(|scratch| condition.matches(context, patterns, scratch));
            let Some(verdict) = tested else { break };
            verdict
        } else {
            condition.matches(context, patterns, scratch)
        };
        observer.condition(index, verdict);
        if O::EXHAUSTIVE && condition.lacks_patterns(patterns) {
            observer.lacks_patterns();
        }
        is_decided |= verdict == decisive;
        if (is_decided && !O::EXHAUSTIVE) || !scratch.has_steps() {
            break;
        }
    }
    is_decided == decisive
}
