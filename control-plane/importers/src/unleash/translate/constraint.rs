//! Constraints, each by itself.
//!
//! There, every attribute is a text; an attribute here that is a number or a boolean stands for its text form.

use crate::{
    logic::{Expr, KEY, is_number, is_version},
    plan::{Remarks, patterns::compile},
    unleash::wire::{self, Text},
};

use super::operand;

/// Unleash's engine puts texts into an expression, and reads its flags as off where it cannot read that again.
pub(super) fn is_readable(text: &str) -> bool {
    !text.ends_with('\\')
}

/// The same for names, which it does not even quote.
pub(super) fn is_readable_name(name: &str) -> bool {
    is_readable(name) && !name.contains('"')
}

pub(super) fn all(constraints: &[wire::Constraint], remarks: &mut Remarks) -> Result<Expr, String> {
    let each = constraints.iter().map(|one| translate(one, remarks));
    Ok(Expr::all(each.collect::<Result<Vec<_>, _>>()?))
}

pub(super) fn translate(
    constraint: &wire::Constraint,
    remarks: &mut Remarks,
) -> Result<Expr, String> {
    let name = constraint.context_name.as_str();
    match name {
        "currentTime" => remarks.approximate(
            "currentTime is the time of the evaluation there; here it is an attribute that contexts must have",
        ),
        "environment" | "appName" => remarks.approximate(format!(
            "{name} is set by Unleash's SDKs; here it is an attribute that contexts must have"
        )),
        "key" => {
            return Err(
                "an attribute called key cannot be told from the key of the context".to_owned(),
            );
        }
        "" => return Err("the constraint names no attribute".to_owned()),
        _ => {}
    }
    let operator = constraint.operator.as_str();
    let has_values = matches!(operator, "IN" | "NOT_IN") || operator.starts_with("STR_");
    let are_readable = !has_values
        || constraint
            .values
            .iter()
            .all(|Text(value)| is_readable(value));
    if !are_readable || !is_readable_name(name) {
        remarks.approximate(format!(
            "Unleash's engine cannot read a constraint on {name}, because of a backslash or quotation mark, and serves the flag to nobody"
        ));
    }
    let subject = Subject {
        attribute: if name == "userId" { KEY } else { name },
        remarks,
    };
    let expr = subject.read(constraint)?;
    if (operator == "NOT_IN") == constraint.inverted {
        Ok(expr)
    } else {
        expr.not(remarks)
    }
}

/// The attribute that a constraint is about.
struct Subject<'a> {
    attribute: &'a str,
    remarks: &'a mut Remarks,
}

impl Subject<'_> {
    /// The constraint without its negation.
    fn read(self, constraint: &wire::Constraint) -> Result<Expr, String> {
        let operator = constraint.operator.as_str();
        let texts = match operator {
            "IN" | "NOT_IN" => return Ok(self.members(&constraint.values)),
            "STR_CONTAINS" => "contains",
            "STR_STARTS_WITH" => "startsWith",
            "STR_ENDS_WITH" => "endsWith",
            "REGEX" => return self.matches(constraint),
            _ => return self.compares(operator, constraint.value.0.trim_matches([' ', '\t'])),
        };
        self.has(texts, constraint)
    }

    fn members(self, values: &[Text]) -> Expr {
        let attribute = self.attribute;
        if values.is_empty() {
            self.remarks
                .approximate(format!("the list of values for {attribute} is empty"));
            return Expr::never();
        }
        let texts = values.iter().map(|Text(text)| text.as_str());
        if attribute != KEY && !texts.clone().all(is_as_printed) {
            self.remarks.approximate(format!(
                "{attribute} that is a number is compared as a number here, and as text there"
            ));
        }
        Expr::is(attribute, "in", texts)
    }

    fn has(self, operator: &str, constraint: &wire::Constraint) -> Result<Expr, String> {
        let attribute = self.attribute;
        let texts = constraint.values.iter().map(|Text(text)| text.as_str());
        if texts.len() == 0 {
            return Err(format!("the list of values for {attribute} is empty"));
        }
        if !constraint.case_insensitive {
            return Ok(Expr::is(attribute, operator, texts));
        }
        // Unleash compares lower-case forms. `K` has the lower case `k`, and that of `İ` begins with `i`.
        let is_plain = |text: &str| {
            text.is_ascii() && !text.contains(['k', 'K']) && !text.ends_with(['i', 'I'])
        };
        if !texts.clone().all(is_plain) {
            self.remarks.approximate(format!(
                "letters of other alphabets than the English one in {attribute} can have another lower case here"
            ));
        }
        let patterns = texts.map(|text| {
            let flags = if text.is_ascii() { "(?i-u)" } else { "(?i)" };
            let text = regex::escape(text);
            match operator {
                "startsWith" => format!("{flags}^{text}"),
                "endsWith" => format!("{flags}{text}$"),
                _ => format!("{flags}{text}"),
            }
        });
        Ok(Expr::is(attribute, "regex", patterns))
    }

    fn matches(self, constraint: &wire::Constraint) -> Result<Expr, String> {
        let flags = if constraint.case_insensitive {
            "(?i)"
        } else {
            ""
        };
        let pattern = format!("{flags}{}", constraint.value.0);
        if compile(&pattern).is_none() {
            let attribute = self.attribute;
            return Err(format!("the pattern for {attribute} cannot be used here"));
        }
        Ok(Expr::is(self.attribute, "regex", [pattern]))
    }

    fn compares(self, operator: &str, value: &str) -> Result<Expr, String> {
        let attribute = self.attribute;
        let (kind, comparison) = operator.split_once('_').unwrap_or_default();
        let operators: &[&str] = match (kind, comparison) {
            ("NUM" | "SEMVER", "EQ") => &["gte", "lte"],
            ("NUM" | "SEMVER", "GT") | ("DATE", "AFTER") => &["gt"],
            ("NUM" | "SEMVER", "GTE") => &["gte"],
            ("NUM" | "SEMVER", "LT") | ("DATE", "BEFORE") => &["lt"],
            ("NUM" | "SEMVER", "LTE") => &["lte"],
            _ => return Err(format!("the operator {operator:?} is not known")),
        };
        let (operand, form) = match kind {
            "NUM" => (operand::number(value), "a number"),
            "SEMVER" => {
                let version = is_version(value).then(|| value.to_owned());
                (version, "a version of three parts")
            }
            _ => (operand::date(value), "a date-time of RFC 3339"),
        };
        let operand = operand.ok_or_else(|| {
            format!("{attribute} is compared with {value:?}, which cannot be read as {form}")
        })?;
        if kind == "DATE" {
            self.remarks.approximate(format!(
                "{attribute} has to be a date-time of RFC 3339 here; there other forms are read too"
            ));
        }
        let compared = |operator: &&str| Expr::is(attribute, operator, [operand.as_str()]);
        Ok(Expr::all(operators.iter().map(compared)))
    }
}

/// Whether a number that equals this text also has this text form. True for texts that are no numbers.
fn is_as_printed(text: &str) -> bool {
    let is_printed = |number: f64| (number + 0.0).to_string() == text;
    match text.parse::<i64>() {
        Ok(number) => number.to_string() == text,
        Err(_) => !is_number(text) || text.parse().is_ok_and(is_printed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_a_number_would_equal_without_having_their_form_are_known() {
        for text in [
            "5",
            "-5",
            "0",
            "5.5",
            "0.1",
            "DE",
            "1e",
            "100000000000000000000",
            "inf",
        ] {
            assert!(is_as_printed(text), "{text}");
        }
        for text in ["5.0", "05", "+5", "-0", "1e3", "5.", ".5", "0.10"] {
            assert!(!is_as_printed(text), "{text}");
        }
    }
}
