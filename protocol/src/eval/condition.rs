//! Conditions: one test of one attribute, and lists of them.
//!
//! Whatever can be known before a context arrives is worked out in [`Condition::prepare`]: operators become predicates,
//! operands become sets, numbers, instants, versions and compiled patterns. A condition that cannot be understood never
//! matches.

use super::{
    attribute::Attribute,
    context::Context,
    observer::Observer,
    predicate::{Bound, Patterns, Predicate, Scalar, Values},
};
use crate::snapshot::{self, MatchType};

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
    NoneEquals(Box<Values>),
}

/// What a context has under a name.
enum Found<'c> {
    Nothing,
    Scalar(Scalar<'c>),
    Array(&'c [Attribute<'c>]),
    Object,
}

impl Condition {
    pub(super) fn prepare(condition: &snapshot::Condition, patterns: &mut Patterns) -> Self {
        let subject = match condition.attribute.as_str() {
            "key" => Subject::ContextKey,
            name => Subject::Attribute(name.into()),
        };
        Self {
            subject,
            test: Test::prepare(condition, patterns),
        }
    }

    /// Whether the condition holds for the context.
    pub(super) fn matches(&self, context: &Context<'_>) -> bool {
        let found = match &self.subject {
            Subject::ContextKey => Found::Scalar(Scalar::Text(&context.key)),
            Subject::Attribute(name) => context
                .attributes
                .get(name)
                .map_or(Found::Nothing, Found::from),
        };
        self.test.holds(&found)
    }
}

impl Test {
    fn prepare(condition: &snapshot::Condition, patterns: &mut Patterns) -> Self {
        let values = &condition.values;
        Self::Holds(match condition.operator.as_str() {
            "eq" | "in" => Predicate::Equals(Values::prepare(values)),
            "neq" if values.is_empty() => return Self::Missing,
            "neq" | "notIn" => return Self::NoneEquals(Values::prepare(values)),
            "exists" => match values.as_slice() {
                [only] if only.eq_ignore_ascii_case("false") => return Self::Missing,
                _ => return Self::Present,
            },
            "contains" => Predicate::Contains(texts(values)),
            "startsWith" => Predicate::StartsWith(texts(values)),
            "endsWith" => Predicate::EndsWith(texts(values)),
            "regex" => Predicate::Regex(
                values
                    .iter()
                    .filter_map(|pattern| patterns.compile(pattern))
                    .collect(),
            ),
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

    fn holds(&self, found: &Found<'_>) -> bool {
        match self {
            Self::Never => false,
            Self::Present => !matches!(found, Found::Nothing),
            Self::Missing => matches!(found, Found::Nothing),
            Self::Holds(predicate) => match found {
                Found::Nothing | Found::Object => false,
                Found::Scalar(scalar) => predicate.holds(*scalar),
                Found::Array(elements) => scalars(elements).any(|element| predicate.holds(element)),
            },
            Self::NoneEquals(values) => match found {
                Found::Nothing | Found::Object => false,
                Found::Scalar(scalar) => !values.contain(*scalar),
                Found::Array(elements) => !scalars(elements).any(|element| values.contain(element)),
            },
        }
    }
}

impl<'c> From<&'c Attribute<'c>> for Found<'c> {
    fn from(attribute: &'c Attribute<'c>) -> Self {
        match attribute {
            Attribute::Null => Self::Nothing,
            Attribute::Array(elements) => Self::Array(elements),
            Attribute::Object(_) => Self::Object,
            scalar => Scalar::of(scalar).map_or(Self::Nothing, Self::Scalar),
        }
    }
}

/// The elements that can match or equal a value.
fn scalars<'c>(elements: &'c [Attribute<'c>]) -> impl Iterator<Item = Scalar<'c>> {
    elements.iter().filter_map(Scalar::of)
}

fn texts(values: &[String]) -> Box<[Box<str>]> {
    values.iter().map(|value| value.as_str().into()).collect()
}

/// Combines the verdicts of several tests. If there are none, `all` holds and `any` does not.
pub(super) fn combine<O: Observer>(
    match_type: MatchType,
    verdicts: impl Iterator<Item = bool>,
) -> bool {
    let decisive = match_type == MatchType::Any;
    let mut combined = !decisive;
    for verdict in verdicts {
        if verdict == decisive {
            combined = decisive;
            // The verdict is certain, but explanations show every condition.
            if !O::EXHAUSTIVE {
                break;
            }
        }
    }
    combined
}
