//! What one constraint of Unleash means here.
//!
//! There, every attribute is a text; an attribute here that is a number or a boolean stands for its text form.

use protocol::rule::Condition;

use super::{
    any_case::{self, Place},
    operand, patterns,
};
use crate::{
    plan::{patterns::compile, rules::condition},
    unleash::wire::{self, Text},
};

/// When a constraint holds.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// For every context.
    Always,
    /// For none.
    Never,
    /// Where all of these do.
    Is(Vec<Condition>),
    /// Unless something does.
    Not(Negation),
    /// Nothing here means the same, and why.
    Unknown(String),
}

/// Conditions that must not all hold. A missing attribute meets no condition, so the negation holds for it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Negation {
    /// What must not hold.
    pub(super) of: Vec<Condition>,
    /// A condition that holds where these do not, but never for a missing attribute.
    pub(super) opposite: Option<Opposite>,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) struct Opposite {
    pub(super) condition: Condition,
    /// For which present attributes it differs, in words for people.
    pub(super) differs: Option<&'static str>,
}

/// A constraint, understood.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Understood {
    pub(super) meaning: Meaning,
    /// What differs whatever is made of it.
    pub(super) said: Said,
}

/// What is to be said about a constraint or strategy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Said {
    /// What differs for those whom it reaches.
    pub(super) differs: Vec<String>,
    /// Why the whole flag is off in Unleash's engine, also where this part of it reaches nobody.
    pub(super) breaks: Vec<String>,
}

impl Said {
    pub(super) fn extend(&mut self, other: Self) {
        self.differs.extend(other.differs);
        self.breaks.extend(other.breaks);
    }

    /// What matters if as many are reached.
    pub(super) fn reaching(self, percentage: i64) -> impl Iterator<Item = String> {
        let differs = if percentage > 0 {
            self.differs
        } else {
            Vec::new()
        };
        self.breaks.into_iter().chain(differs)
    }
}

/// Unleash's engine puts texts into an expression, and reads its flags as off where it cannot read that again.
pub(super) fn is_readable(text: &str) -> bool {
    !text.ends_with('\\')
}

/// The same for names, which it does not even quote.
pub(super) fn is_readable_name(name: &str) -> bool {
    is_readable(name) && !name.contains('"')
}

const UNREADABLE: &str = "texts that cannot be compared match there and not here";
const NUMBERS: &str = "numbers that are written otherwise match there and not here";

pub(super) fn understand(constraint: &wire::Constraint) -> Understood {
    let name = constraint.context_name.as_str();
    let mut said = Said::default();
    match name {
        "currentTime" => said.differs.push(
            "currentTime is the time of the evaluation there; here it is an attribute that contexts must have".to_owned(),
        ),
        "environment" | "appName" => said.differs.push(format!(
            "{name} is set by Unleash's SDKs; here it is an attribute that contexts must have"
        )),
        _ => {}
    }
    let meaning = if name == "key" {
        Meaning::Unknown(
            "an attribute called key cannot be told from the key of the context".to_owned(),
        )
    } else if name.is_empty() {
        Meaning::Unknown("the constraint names no attribute".to_owned())
    } else {
        let subject = Subject {
            attribute: attribute(name),
            is_key: name == "userId",
        };
        subject.meaning(constraint, &mut said.differs)
    };
    let has_values = matches!(constraint.operator.as_str(), "IN" | "NOT_IN")
        || constraint.operator.starts_with("STR_");
    let are_readable = !has_values
        || constraint
            .values
            .iter()
            .all(|Text(value)| is_readable(value));
    if !are_readable || !is_readable_name(name) {
        said.breaks.push(format!(
            "Unleash's engine cannot read a constraint on {name}, because of a backslash or quotation mark, and serves the flag to nobody"
        ));
    }
    Understood { meaning, said }
}

/// The name that a field of Unleash's contexts has here.
pub(super) fn attribute(name: &str) -> String {
    if name == "userId" { "key" } else { name }.to_owned()
}

/// The attribute that a constraint is about.
struct Subject {
    attribute: String,
    /// Always a text, and never missing.
    is_key: bool,
}

impl Subject {
    fn meaning(&self, constraint: &wire::Constraint, remarks: &mut Vec<String>) -> Meaning {
        let operator = constraint.operator.as_str();
        let values: Vec<&str> = constraint
            .values
            .iter()
            .map(|Text(value)| value.as_str())
            .collect();
        let value = constraint.value.trim_matches([' ', '\t']);
        let positive = match operator {
            "IN" | "NOT_IN" => self.is_one_of(&values, remarks),
            "STR_CONTAINS" => self.has(
                &values,
                Place::Anywhere,
                constraint.case_insensitive,
                remarks,
            ),
            "STR_STARTS_WITH" => {
                self.has(&values, Place::Start, constraint.case_insensitive, remarks)
            }
            "STR_ENDS_WITH" => self.has(&values, Place::End, constraint.case_insensitive, remarks),
            "REGEX" => self.matches(&constraint.value, constraint.case_insensitive),
            _ => self.compares(operator, value, remarks),
        };
        if (operator == "NOT_IN") == constraint.inverted {
            return positive;
        }
        self.negated(positive, operator, &values)
    }

    fn condition<'a>(
        &self,
        operator: &str,
        values: impl IntoIterator<Item = &'a str>,
    ) -> Condition {
        condition(self.attribute.as_str(), operator, values)
    }

    fn is_one_of(&self, values: &[&str], remarks: &mut Vec<String>) -> Meaning {
        if values.is_empty() {
            remarks.push(format!(
                "the list of values for {} is empty",
                self.attribute
            ));
            return Meaning::Never;
        }
        let is = |condition| Meaning::Is(vec![condition]);
        if self.is_key || values.iter().all(|value| operand::is_as_printed(value)) {
            return is(self.condition("in", values.iter().copied()));
        }
        // A number here would equal "5.0" and "5" alike; there it is one text.
        let patterns = values
            .iter()
            .map(|value| format!("^{}$", regex::escape(value)))
            .collect();
        match patterns::packed(patterns) {
            Some(patterns) => is(self.condition("regex", patterns.iter().map(String::as_str))),
            None => {
                remarks.push(format!(
                    "{} that is a number is compared as a number, not as text",
                    self.attribute
                ));
                is(self.condition("in", values.iter().copied()))
            }
        }
    }

    fn has(
        &self,
        values: &[&str],
        place: Place,
        in_any_case: bool,
        remarks: &mut Vec<String>,
    ) -> Meaning {
        if values.is_empty() {
            return Meaning::Unknown(format!(
                "the list of values for {} is empty",
                self.attribute
            ));
        }
        if in_any_case {
            if !values.iter().all(|value| any_case::is_regular(value)) {
                remarks.push(format!(
                    "the case of some Greek and Turkish letters in {} is compared in another way",
                    self.attribute
                ));
            }
            let patterns = values
                .iter()
                .map(|value| any_case::pattern(value, place))
                .collect();
            return match patterns::packed(patterns) {
                Some(patterns) => Meaning::Is(vec![
                    self.condition("regex", patterns.iter().map(String::as_str)),
                ]),
                None => Meaning::Unknown(format!(
                    "the texts for {} are too long, or too many",
                    self.attribute
                )),
            };
        }
        let operator = match place {
            Place::Start => "startsWith",
            Place::Anywhere => "contains",
            Place::End => "endsWith",
        };
        Meaning::Is(vec![self.condition(operator, values.iter().copied())])
    }

    fn matches(&self, pattern: &str, in_any_case: bool) -> Meaning {
        let flags = if in_any_case { "(?i)" } else { "" };
        let pattern = format!("{flags}{pattern}");
        if compile(&pattern).is_none() {
            return Meaning::Unknown(format!(
                "the pattern for {} cannot be used here",
                self.attribute
            ));
        }
        Meaning::Is(vec![self.condition("regex", [pattern.as_str()])])
    }

    fn compares(&self, operator: &str, value: &str, remarks: &mut Vec<String>) -> Meaning {
        let attribute = &self.attribute;
        let Some((kind, comparison)) = operator.split_once('_') else {
            return unknown(operator);
        };
        let operand = match kind {
            "NUM" => operand::number(value),
            "SEMVER" => operand::version(value),
            "DATE" => operand::date(value),
            _ => return unknown(operator),
        };
        let operators: &[&str] = match (kind, comparison) {
            ("NUM" | "SEMVER", "EQ") => &["gte", "lte"],
            ("NUM" | "SEMVER", "GT") | ("DATE", "AFTER") => &["gt"],
            ("NUM" | "SEMVER", "GTE") => &["gte"],
            ("NUM" | "SEMVER", "LT") | ("DATE", "BEFORE") => &["lt"],
            ("NUM" | "SEMVER", "LTE") => &["lte"],
            _ => return unknown(operator),
        };
        let Some(operand) = operand else {
            return Meaning::Unknown(format!(
                "{attribute} is compared with {value:?}, which cannot be read as {}",
                match kind {
                    "NUM" => "a number",
                    "SEMVER" => "a version of three parts",
                    _ => "a date-time of RFC 3339",
                }
            ));
        };
        if kind == "DATE" {
            remarks.push(format!(
                "{attribute} has to be a date-time of RFC 3339 here; there other forms are read too"
            ));
        }
        let conditions = operators
            .iter()
            .map(|operator| self.condition(operator, [operand.as_str()]));
        Meaning::Is(conditions.collect())
    }

    fn negated(&self, positive: Meaning, operator: &str, values: &[&str]) -> Meaning {
        let of = match positive {
            Meaning::Always => return Meaning::Never,
            Meaning::Never => return Meaning::Always,
            Meaning::Is(of) => of,
            other @ (Meaning::Not(_) | Meaning::Unknown(_)) => return other,
        };
        let opposite = if matches!(operator, "IN" | "NOT_IN") {
            let is_text = of.iter().all(|condition| condition.operator == "in");
            Some(Opposite {
                condition: self.condition("notIn", values.iter().copied()),
                differs: (!is_text).then_some(NUMBERS),
            })
        } else {
            self.opposite_comparison(&of)
        };
        match opposite {
            Some(Opposite {
                condition,
                differs: None,
            }) if self.is_key => Meaning::Is(vec![condition]),
            opposite => Meaning::Not(Negation { of, opposite }),
        }
    }

    fn opposite_comparison(&self, of: &[Condition]) -> Option<Opposite> {
        let first = of.first()?;
        let opposite = match (first.operator.as_str(), of.len()) {
            ("gte", 2) => "neq",
            ("gt", _) => "lte",
            ("gte", _) => "lt",
            ("lt", _) => "gte",
            ("lte", _) => "gt",
            _ => return None,
        };
        Some(Opposite {
            condition: self.condition(opposite, first.values.iter().map(String::as_str)),
            differs: Some(UNREADABLE),
        })
    }
}

fn unknown(operator: &str) -> Meaning {
    Meaning::Unknown(format!("the operator {operator:?} is not known"))
}
