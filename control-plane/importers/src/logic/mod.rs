//! Boolean logic over conditions, the same for all sources, and its translation to the lists of rules and segments.
//!
//! A translation has three outcomes: an expression without remarks answers as the source does, one with remarks can answer
//! differently, and an error says why there is no translation.

mod operand;
mod pattern;
#[cfg(test)]
mod tests;

use protocol::{
    rule::{Condition, TargetingRule},
    snapshot::MatchType,
};
use serde_json::Value;

pub(crate) use self::{
    operand::{EXACT, is_number, is_version},
    pattern::{Pattern, read as pattern},
};
use crate::plan::{
    Remarks,
    copies::{Weight, copy},
    rules::{condition, rule},
};

/// The context key, which every context has.
pub(crate) const KEY: &str = "key";
/// Lists that one expression becomes at most.
const MAX_LISTS: usize = 100;
/// Values of a condition.
pub(crate) const MAX_VALUES: usize = 10_000;

/// Which contexts match.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Expr {
    Is(Condition),
    /// Without parts: every context matches.
    All(Vec<Self>),
    /// Without parts: no context matches.
    Any(Vec<Self>),
}

/// The conditions of a rule or segment.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct List {
    pub(crate) match_type: MatchType,
    pub(crate) conditions: Vec<Condition>,
}

impl List {
    /// A rule for the contexts that match.
    pub(crate) fn rule(self, value: Value) -> TargetingRule {
        let match_type = match self.match_type {
            MatchType::All => "all",
            MatchType::Any => "any",
        };
        TargetingRule {
            match_type: match_type.to_owned(),
            ..rule(self.conditions, value)
        }
    }
}

impl Expr {
    pub(crate) fn is<V: Into<String>>(
        attribute: &str,
        operator: &str,
        values: impl IntoIterator<Item = V>,
    ) -> Self {
        Self::Is(condition(attribute, operator, values))
    }

    pub(crate) const fn always() -> Self {
        Self::All(Vec::new())
    }

    pub(crate) const fn never() -> Self {
        Self::Any(Vec::new())
    }

    /// Contexts that have the attribute.
    pub(crate) fn present(attribute: &str) -> Self {
        match attribute {
            KEY => Self::always(),
            _ => Self::is(attribute, "exists", [""; 0]),
        }
    }

    /// Contexts that do not have the attribute.
    pub(crate) fn missing(attribute: &str) -> Self {
        match attribute {
            KEY => Self::never(),
            _ => Self::is(attribute, "neq", [""; 0]),
        }
    }

    pub(crate) fn all(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::All(parts) => kept.extend(parts),
                part if part.is_never() => return part,
                part => kept.push(part),
            }
        }
        match kept.len() {
            1 => kept.remove(0),
            _ => Self::All(kept),
        }
    }

    pub(crate) fn any(parts: impl IntoIterator<Item = Self>) -> Self {
        let mut kept = Vec::new();
        for part in parts {
            match part {
                Self::Any(parts) => kept.extend(parts),
                part if part.is_always() => return part,
                part => kept.push(part),
            }
        }
        match kept.len() {
            1 => kept.remove(0),
            _ => Self::Any(kept),
        }
    }

    pub(crate) fn is_always(&self) -> bool {
        matches!(self, Self::All(parts) if parts.is_empty())
    }

    pub(crate) fn is_never(&self) -> bool {
        matches!(self, Self::Any(parts) if parts.is_empty())
    }

    /// The contexts that do not match, those without the attribute among them: a missing attribute meets no condition.
    pub(crate) fn not(self, remarks: &mut Remarks) -> Result<Self, String> {
        if let Some(equal) = self.between() {
            let unequal = Condition {
                operator: "neq".to_owned(),
                ..equal.clone()
            };
            return Ok(compared(unequal, remarks));
        }
        let mut negated = |parts: Vec<Self>| -> Result<Vec<Self>, String> {
            parts.into_iter().map(|part| part.not(remarks)).collect()
        };
        match self {
            Self::All(parts) => negated(parts).map(Self::any),
            Self::Any(parts) => negated(merged(parts)).map(Self::all),
            Self::Is(test) => match test.operator.as_str() {
                "exists" => Ok(Self::missing(&test.attribute)),
                "neq" if test.values.is_empty() => Ok(Self::present(&test.attribute)),
                operator => {
                    let inverse = inverse(operator)
                        .ok_or_else(|| format!("a negated `{operator}` has no counterpart"))?;
                    let is_exact = !matches!(inverse, "gt" | "gte" | "lt" | "lte");
                    let opposite = Condition {
                        operator: inverse.to_owned(),
                        ..test
                    };
                    Ok(if is_exact {
                        or_missing(opposite)
                    } else {
                        compared(opposite, remarks)
                    })
                }
            },
        }
    }

    /// The condition whose value lies between two equal bounds, which is how equality of numbers and versions is written.
    fn between(&self) -> Option<&Condition> {
        match self {
            Self::All(parts) => match parts.as_slice() {
                [Self::Is(low), Self::Is(high)]
                    if (low.operator.as_str(), high.operator.as_str()) == ("gte", "lte")
                        && low.attribute == high.attribute
                        && low.values == high.values =>
                {
                    Some(low)
                }
                _ => None,
            },
            Self::Is(_) | Self::Any(_) => None,
        }
    }

    /// One list; `None` where one level is not enough.
    pub(crate) fn list(self) -> Option<List> {
        let (match_type, parts) = match self {
            // A segment without conditions has no members.
            Self::Any(parts) if parts.is_empty() => (MatchType::All, parts),
            Self::All(parts) if parts.is_empty() => {
                (MatchType::All, vec![Self::is(KEY, "exists", [""; 0])])
            }
            Self::Any(parts) => (MatchType::Any, parts),
            Self::All(parts) => (MatchType::All, parts),
            test @ Self::Is(_) => (MatchType::All, vec![test]),
        };
        let conditions = parts.into_iter().map(Self::test).collect::<Option<_>>()?;
        Some(List {
            match_type,
            conditions,
        })
    }

    /// As one condition, also where it is several values of one attribute.
    fn test(self) -> Option<Condition> {
        match self {
            Self::Is(test) => Some(test),
            Self::Any(parts) => match <[Self; 1]>::try_from(merged(parts)) {
                Ok([Self::Is(test)]) => Some(test),
                _ => None,
            },
            Self::All(_) => None,
        }
    }

    /// Lists of which one has to hold. None at all: no context matches. A list without conditions: every context does.
    pub(crate) fn lists(self) -> Result<Vec<List>, String> {
        if self.is_always() {
            let (match_type, conditions) = (MatchType::All, Vec::new());
            return Ok(vec![List {
                match_type,
                conditions,
            }]);
        }
        let (single, several): (Vec<_>, Vec<_>) = self
            .alternatives()?
            .into_iter()
            .partition(|conditions| conditions.len() == 1);
        if several.len() > MAX_LISTS {
            return Err(TOO_MANY.to_owned());
        }
        let match_type = if single.len() == 1 && several.is_empty() {
            MatchType::All
        } else {
            MatchType::Any
        };
        let single: Vec<_> = single.into_iter().flatten().collect();
        let first = (!single.is_empty()).then_some(List {
            match_type,
            conditions: single,
        });
        let rest = several.into_iter().map(|conditions| List {
            match_type: MatchType::All,
            conditions,
        });
        Ok(first.into_iter().chain(rest).collect())
    }

    /// The same for segments, of which there is always one.
    pub(crate) fn segments(self) -> Result<Vec<List>, String> {
        if self.is_always() {
            return Ok(self.list().into_iter().collect());
        }
        let lists = self.lists()?;
        Ok(if lists.is_empty() {
            Self::never().list().into_iter().collect()
        } else {
            lists
        })
    }

    /// Lists of conditions that all have to hold, of which one is enough.
    fn alternatives(self) -> Result<Vec<Vec<Condition>>, String> {
        match self {
            Self::Is(test) => Ok(vec![vec![test]]),
            Self::Any(parts) => {
                let parts = merged(parts).into_iter();
                let each: Result<Vec<_>, _> = parts.map(Self::alternatives).collect();
                Ok(each?.into_iter().flatten().collect())
            }
            Self::All(parts) => {
                let mut lists = vec![Vec::new()];
                for part in parts {
                    if let Self::Is(test) = part {
                        lists.retain_mut(|list| joins(&test, list));
                    } else {
                        let others = part.alternatives()?;
                        if lists.len().saturating_mul(others.len()) > MAX_LISTS.max(others.len()) {
                            return Err(TOO_MANY.to_owned());
                        }
                        let pairs = others
                            .iter()
                            .flat_map(|other| lists.iter().map(move |list| (list, other)));
                        let joined = pairs.filter_map(|(list, other)| {
                            let mut list = copy(list)?;
                            let is_possible = other.iter().all(|test| joins(test, &mut list));
                            is_possible.then_some(list)
                        });
                        lists = joined.collect();
                    }
                    if lists.iter().any(|list| list.len() > 1_000) {
                        return Err(TOO_MANY.to_owned());
                    }
                }
                Ok(lists)
            }
        }
    }

    /// All of its conditions, whatever their logic.
    pub(crate) fn conditions(self) -> Vec<Condition> {
        match self {
            Self::Is(test) => vec![test],
            Self::All(parts) | Self::Any(parts) => {
                parts.into_iter().flat_map(Self::conditions).collect()
            }
        }
    }
}

const TOO_MANY: &str = "it takes too many combinations here";

impl Weight for Expr {
    fn weight(&self) -> usize {
        let held = match self {
            Self::Is(test) => test.weight(),
            Self::All(parts) | Self::Any(parts) => parts.weight(),
        };
        size_of::<Self>() + held
    }
}

/// Adds a condition. `false` where no context meets them all, because an attribute would have to be missing and present.
fn joins(test: &Condition, list: &mut Vec<Condition>) -> bool {
    let is_missing = |test: &Condition| test.operator == "neq" && test.values.is_empty();
    let contradicts = |known: &Condition| {
        is_missing(known) != is_missing(test) && known.attribute == test.attribute
    };
    if list.iter().any(contradicts) {
        return false;
    }
    if !list.contains(test) {
        list.extend(copy(test));
    }
    true
}

/// A comparison that stands for the negation of another one.
fn compared(opposite: Condition, remarks: &mut Remarks) -> Expr {
    remarks.approximate(format!(
        "{} is compared the other way round ({}): values that cannot be compared match there, and not here",
        opposite.attribute, opposite.operator
    ));
    or_missing(opposite)
}

fn or_missing(test: Condition) -> Expr {
    let missing = Expr::missing(&test.attribute);
    Expr::any([Expr::Is(test), missing])
}

/// The operator that holds for the present, comparable attributes for which this one does not.
pub(crate) fn inverse(operator: &str) -> Option<&'static str> {
    Some(match operator {
        "eq" => "neq",
        "neq" => "eq",
        "in" => "notIn",
        "notIn" => "in",
        "gt" => "lte",
        "gte" => "lt",
        "lt" => "gte",
        "lte" => "gt",
        _ => return None,
    })
}

/// One condition in place of those of which one must hold and that test one attribute with one operator.
fn merged(parts: Vec<Expr>) -> Vec<Expr> {
    let mut merged: Vec<Expr> = Vec::with_capacity(parts.len());
    for part in parts {
        if let (Some(Expr::Is(last)), Expr::Is(test)) = (merged.last_mut(), &part)
            && last.attribute == test.attribute
            && let Some(operator) = together(&last.operator)
            && together(&test.operator) == Some(operator)
            && last.values.len() + test.values.len() <= MAX_VALUES
        {
            operator.clone_into(&mut last.operator);
            last.values.extend(copy(&test.values).unwrap_or_default());
        } else {
            merged.push(part);
        }
    }
    merged
}

/// The operator that says several conditions at once of which one must hold.
fn together(operator: &str) -> Option<&'static str> {
    let of_several = ["in", "contains", "regex", "startsWith", "endsWith"];
    let operator = if operator == "eq" { "in" } else { operator };
    of_several.into_iter().find(|known| *known == operator)
}
