//! Logic over conditions, and what of it fits into the flat list of a segment.

use std::collections::HashMap;

use protocol::{rule::Condition, snapshot::MatchType};

use crate::plan::rules::condition;

/// The context key, which every context has.
pub(super) const KEY: &str = "key";

/// Whom a part of a segment holds for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Formula {
    /// Everybody.
    Always,
    /// Nobody.
    Never,
    Test(Condition),
    All(Vec<Self>),
    Any(Vec<Self>),
}

impl Formula {
    pub(super) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::Always => {}
                Self::Never => return Self::Never,
                Self::All(parts) => kept.extend(parts),
                part => kept.push(part),
            }
        }
        match kept.len() {
            0 => Self::Always,
            1 => kept.remove(0),
            _ => Self::All(kept),
        }
    }

    pub(super) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::Never => {}
                Self::Always => return Self::Always,
                Self::Any(parts) => kept.extend(parts),
                part => kept.push(part),
            }
        }
        match kept.len() {
            0 => Self::Never,
            1 => kept.remove(0),
            _ => Self::Any(kept),
        }
    }

    /// Whom it does not hold for, as far as conditions can say that. A missing attribute meets no condition, so it meets the
    /// negation of every one.
    pub(super) fn not(self) -> Option<Self> {
        Some(match self {
            Self::Always => Self::Never,
            Self::Never => Self::Always,
            Self::All(parts) => Self::any(negated(parts)?),
            Self::Any(parts) => Self::all(negated(merged(parts))?),
            Self::Test(test) => {
                let opposite = match test.operator.as_str() {
                    "exists" => return Some(missing(&test.attribute)),
                    "neq" if test.values.is_empty() => return Some(present(&test.attribute)),
                    "eq" => "neq",
                    "in" => "notIn",
                    "neq" => "eq",
                    "notIn" => "in",
                    _ => return None,
                };
                let missing = missing(&test.attribute);
                let opposite = Condition {
                    operator: opposite.to_owned(),
                    ..test
                };
                Self::any([Self::Test(opposite), missing])
            }
        })
    }

    /// As the list of a segment; `None` if one level is not enough.
    pub(super) fn flat(self) -> Option<(MatchType, Vec<Condition>)> {
        let tests = |parts: Vec<Self>| parts.into_iter().map(Self::test).collect::<Option<_>>();
        Some(match self {
            Self::Always => (MatchType::All, vec![exists(KEY)]),
            // A segment without conditions has nobody in it.
            Self::Never => (MatchType::All, Vec::new()),
            Self::Test(test) => (MatchType::All, vec![test]),
            Self::All(parts) => (MatchType::All, tests(parts)?),
            Self::Any(parts) => (MatchType::Any, tests(parts)?),
        })
    }

    /// As one condition, also where it is several values of one attribute.
    fn test(self) -> Option<Condition> {
        match self {
            Self::Test(test) => Some(test),
            Self::Any(parts) => {
                let mut parts = merged(parts);
                let only = parts.pop().filter(|_| parts.is_empty())?;
                match only {
                    Self::Test(test) => Some(test),
                    Self::Always | Self::Never | Self::All(_) | Self::Any(_) => None,
                }
            }
            Self::Always | Self::Never | Self::All(_) => None,
        }
    }
}

/// Holds for contexts that have the attribute.
pub(super) fn present(attribute: &str) -> Formula {
    if attribute == KEY {
        Formula::Always
    } else {
        Formula::Test(exists(attribute))
    }
}

/// Holds for contexts that do not have the attribute.
pub(super) fn missing(attribute: &str) -> Formula {
    if attribute == KEY {
        Formula::Never
    } else {
        Formula::Test(condition(attribute, "neq", [""; 0]))
    }
}

fn exists(attribute: &str) -> Condition {
    condition(attribute, "exists", [""; 0])
}

fn negated(parts: Vec<Formula>) -> Option<Vec<Formula>> {
    parts.into_iter().map(Formula::not).collect()
}

/// The operator that says several conditions at once of which one must hold.
fn together(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "eq" | "in" => "in",
        "contains" => "contains",
        "regex" => "regex",
        "startsWith" => "startsWith",
        "endsWith" => "endsWith",
        _ => return None,
    })
}

/// One condition in place of those of which one must hold and that test one attribute with one operator.
fn merged(parts: Vec<Formula>) -> Vec<Formula> {
    let mut merged: Vec<Formula> = Vec::with_capacity(parts.len());
    let mut places: HashMap<(String, &'static str), usize> = HashMap::new();
    for part in parts {
        let Formula::Test(test) = part else {
            merged.push(part);
            continue;
        };
        let Some(operator) = together(&test.operator) else {
            merged.push(Formula::Test(test));
            continue;
        };
        let place = *places
            .entry((test.attribute.clone(), operator))
            .or_insert(merged.len());
        match merged.get_mut(place) {
            Some(Formula::Test(first)) => {
                operator.clone_into(&mut first.operator);
                first.values.extend(test.values);
            }
            _ => merged.push(Formula::Test(test)),
        }
    }
    merged
}
