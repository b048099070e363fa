//! Conditions of rules and of segments.

use protocol::rule::Condition;

/// With these the values are alternatives, so that one more or less is a change of its own.
const LISTS: [&str; 8] = [
    "eq",
    "in",
    "neq",
    "notIn",
    "contains",
    "startsWith",
    "endsWith",
    "regex",
];

/// How many values are told.
const TOLD: usize = 5;

/// An operator in words. One that nobody knows is told as it is written.
pub(super) fn operator(name: &str) -> &str {
    match name {
        "in" => "is one of",
        "notIn" => "is none of",
        "eq" => "equals",
        "neq" => "does not equal",
        "startsWith" => "starts with",
        "endsWith" => "ends with",
        "regex" => "matches the pattern",
        "gt" => "is greater than",
        "gte" => "is at least",
        "lt" => "is less than",
        "lte" => "is at most",
        "exists" => "is present",
        other => other,
    }
}

fn asks_for_absence(of: &Condition) -> bool {
    match of.operator.as_str() {
        "exists" => matches!(of.values.as_slice(), [one] if one.eq_ignore_ascii_case("false")),
        "neq" => of.values.is_empty(),
        _ => false,
    }
}

/// A condition in words: `country is one of DE, FR`.
pub(super) fn in_words(of: &Condition) -> String {
    let attribute = &of.attribute;
    if asks_for_absence(of) {
        return format!("{attribute} is missing");
    }
    if of.operator == "exists" {
        return format!("{attribute} is present");
    }
    let mut told = of.values.clone();
    if told.len() > TOLD + 1 {
        let more = told.len() - TOLD;
        told.truncate(TOLD);
        told.push(format!("{more} more"));
    }
    format!("{attribute} {} {}", operator(&of.operator), told.join(", "))
}

/// Removed, changed and added conditions.
#[derive(Debug, Default)]
pub(super) struct Compared<'a> {
    pub(super) gone: Vec<&'a Condition>,
    pub(super) pairs: Vec<(&'a Condition, &'a Condition)>,
    pub(super) come: Vec<&'a Condition>,
}

/// Conditions have no id. Equal ones are the same; of the others, those of the same attribute and operator, then those of the same
/// attribute, are taken as changed; the rest was added or removed.
pub(super) fn compare<'a>(before: &'a [Condition], after: &'a [Condition]) -> Compared<'a> {
    let mut found = Compared {
        gone: before.iter().collect(),
        pairs: Vec::new(),
        come: after.iter().collect(),
    };
    found.take(|a, b| a == b);
    let mut pairs = found.take(|a, b| (&a.attribute, &a.operator) == (&b.attribute, &b.operator));
    pairs.extend(found.take(|a, b| a.attribute == b.attribute));
    found.pairs = pairs;
    found
}

impl<'a> Compared<'a> {
    /// Takes the pairs that fit out of both lists.
    fn take(
        &mut self,
        fits: impl Fn(&Condition, &Condition) -> bool,
    ) -> Vec<(&'a Condition, &'a Condition)> {
        let mut pairs = Vec::new();
        for one in std::mem::take(&mut self.gone) {
            match self.come.iter().position(|other| fits(one, other)) {
                Some(place) => pairs.push((one, self.come.remove(place))),
                None => self.gone.push(one),
            }
        }
        pairs
    }
}

/// The values of a list that went and came; `None` where more than some of its values changed.
pub(super) fn changed_values(
    before: &Condition,
    after: &Condition,
) -> Option<(Vec<String>, Vec<String>)> {
    let without = |list: &[String], other: &[String]| -> Vec<String> {
        let left = list.iter().filter(|value| !other.contains(value));
        left.cloned().collect()
    };
    let gone = without(&before.values, &after.values);
    let come = without(&after.values, &before.values);
    let is_list = before.attribute == after.attribute
        && before.operator == after.operator
        && LISTS.contains(&before.operator.as_str());
    let stays = before.values.len() > gone.len() && after.values.len() > come.len();
    let is_told = is_list && stays && gone.len() + come.len() > 0;
    is_told.then_some((gone, come))
}
