//! One condition of the source: what it means there, and how that is said here.
//!
//! The source turns texts that spell a number into numbers, and then reads the operand as a value of the attribute's type. So an
//! operand can mean something for each type, and what is no text often compares in a way that no condition here has.

use protocol::rule::Condition;
use serde_json::Value;

use super::{
    difference::Difference,
    formula::{Formula, KEY, missing, present},
    listed::{Listed, is_decimal, is_integer},
    pattern::Pattern,
};
use crate::{flagsmith::wire, plan::rules::condition};

/// The identifier of the identity: the context key.
const IDENTIFIER: &str = "$.identity.identifier";
/// What texts that the source does not take for numbers look like, and no others.
const NO_NUMBER: &str = r"(?s)[^0-9.\-]|.-|\..*\.|^-?\.|\.$|^-?$";
/// Marks an operand as a version.
const VERSION: &str = ":semver";

/// What becomes of a condition.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Leaf {
    /// As the table of operators has it.
    pub(super) plain: Condition,
    /// The same answers as there; `None` where conditions cannot have them.
    pub(super) exact: Option<Formula>,
    /// Where the plain condition differs.
    pub(super) difference: Option<Difference>,
}

/// What is tested.
struct Subject<'a> {
    attribute: &'a str,
    /// For remarks.
    property: &'a str,
    operator: &'a str,
}

impl Leaf {
    /// Says why not where a condition means nothing that could be said here.
    pub(super) fn translate(test: &wire::Test) -> Result<Self, String> {
        let operator = test.operator.as_str();
        let subject = Subject::new(test.property.as_deref().unwrap_or_default(), operator)?;
        if operator == "IN" {
            return subject.is_in(test.value.as_ref());
        }
        let operand = match &test.value {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Some(value.to_string()),
            Some(Value::Array(_) | Value::Object(_)) => {
                return Err(format!("the operand of {operator} is no text"));
            }
        };
        match operator {
            "IS_SET" => return Ok(Self::exact("exists", &subject, present)),
            "IS_NOT_SET" => return Ok(Self::exact("neq", &subject, missing)),
            _ => {}
        }
        let operand = operand.ok_or_else(|| format!("{operator} has no operand"))?;
        match operator {
            "EQUAL" | "==" => Ok(subject.equal(&operand)),
            "NOT_EQUAL" | "!=" => Ok(subject.not_equal(&operand)),
            "GREATER_THAN" | ">" => Ok(subject.compared("gt", &operand)),
            "GREATER_THAN_INCLUSIVE" | ">=" => Ok(subject.compared("gte", &operand)),
            "LESS_THAN" | "<" => Ok(subject.compared("lt", &operand)),
            "LESS_THAN_INCLUSIVE" | "<=" => Ok(subject.compared("lte", &operand)),
            "CONTAINS" => subject.contains(&operand),
            "NOT_CONTAINS" => Ok(subject.inexact("notIn", [operand], Difference::not_contains)),
            "REGEX" => subject.matches(&operand),
            "NOT_IN" => {
                let values = operand.split(',').map(str::to_owned);
                Ok(subject.inexact("notIn", values, Difference::unknown))
            }
            "STARTS_WITH" => Ok(subject.inexact("startsWith", [operand], Difference::unknown)),
            "ENDS_WITH" => Ok(subject.inexact("endsWith", [operand], Difference::unknown)),
            "PERCENTAGE_SPLIT" => Ok(subject.share(operand)),
            _ => Err(format!("the operator {operator} is not known here")),
        }
    }

    fn exact(operator: &str, subject: &Subject<'_>, formula: fn(&str) -> Formula) -> Self {
        Self {
            plain: condition(subject.attribute, operator, [""; 0]),
            exact: Some(formula(subject.attribute)),
            difference: None,
        }
    }
}

impl<'a> Subject<'a> {
    fn new(property: &'a str, operator: &'a str) -> Result<Self, String> {
        let attribute = match property {
            IDENTIFIER => KEY,
            "" if operator == "PERCENTAGE_SPLIT" => KEY,
            "" => return Err(format!("{operator} has no property")),
            KEY => return Err("`key` is the context key here, and a trait there".to_owned()),
            path if path.starts_with("$.") => {
                return Err(format!(
                    "the property {path} is a path that is not known here"
                ));
            }
            name => name,
        };
        Ok(Self {
            attribute,
            property,
            operator,
        })
    }

    /// The context key is always a text; an attribute can be anything.
    fn is_key(&self) -> bool {
        self.attribute == KEY
    }

    fn test(&self, operator: &str, value: &str) -> Formula {
        Formula::Test(condition(self.attribute, operator, [value]))
    }

    /// The test, for texts that do not spell a number.
    fn test_of_texts(&self, operator: &str, value: &str) -> Formula {
        Formula::all([self.test(operator, value), self.test("regex", NO_NUMBER)])
    }

    /// With an exact form where there is one; else with the difference that attributes of other types make.
    fn leaf(&self, operator: &str, value: &str, exact: Option<Formula>) -> Leaf {
        let plain = condition(self.attribute, operator, [value]);
        let is_plain = exact == Some(Formula::Test(plain.clone()));
        let difference = Difference::other_types(self.property, self.operator);
        Leaf {
            plain,
            exact,
            difference: (!is_plain).then_some(difference),
        }
    }

    fn inexact(
        &self,
        operator: &str,
        values: impl IntoIterator<Item = String>,
        difference: fn(&str, &str) -> Difference,
    ) -> Leaf {
        Leaf {
            plain: condition(self.attribute, operator, values),
            exact: None,
            difference: Some(difference(self.property, self.operator)),
        }
    }

    fn equal(&self, operand: &str) -> Leaf {
        if let Some(version) = operand.strip_suffix(VERSION) {
            let bounds = || ["gte", "lte"].map(|operator| self.test(operator, version));
            let exact = (self.is_key() && is_version(version)).then(|| Formula::all(bounds()));
            return self.leaf("eq", version, exact);
        }
        // `true` there is equal to every operand but `false` and `False`.
        let is_exact = if self.is_key() {
            !may_be_number(operand)
        } else {
            is_boolean(operand)
        };
        let exact = is_exact.then(|| self.test("eq", operand));
        self.leaf("eq", operand, exact)
    }

    fn not_equal(&self, operand: &str) -> Leaf {
        if let Some(version) = operand.strip_suffix(VERSION) {
            return self.leaf("neq", version, None);
        }
        // A number there is neither equal nor unequal to a text.
        let is_exact = if self.is_key() {
            !may_be_number(operand)
        } else {
            is_boolean(operand)
        };
        let exact = is_exact.then(|| self.test_of_texts("neq", operand));
        self.leaf("neq", operand, exact)
    }

    fn compared(&self, operator: &str, operand: &str) -> Leaf {
        let version = operand.strip_suffix(VERSION);
        // Booleans are compared with `true` there, and none is greater.
        let is_exact = version.is_some_and(is_version) && (self.is_key() || operator == "gt");
        let operand = version.unwrap_or(operand);
        if version.is_none() && !may_be_number(operand) {
            return self.inexact(operator, [operand.to_owned()], Difference::order_of_texts);
        }
        let exact = is_exact.then(|| self.test(operator, operand));
        self.leaf(operator, operand, exact)
    }

    fn contains(&self, part: &str) -> Result<Leaf, String> {
        if part.ends_with(VERSION) {
            return Err("a version contains nothing".to_owned());
        }
        // Numbers and booleans contain nothing there.
        let is_of_booleans = "true".contains(part) || "false".contains(part);
        let is_of_numbers = part
            .bytes()
            .all(|byte| matches!(byte, b'0'..=b'9' | b'.' | b'-'));
        let exact = (self.is_key() || !is_of_booleans).then(|| {
            if is_of_numbers {
                self.test_of_texts("contains", part)
            } else {
                self.test("contains", part)
            }
        });
        Ok(self.leaf("contains", part, exact))
    }

    fn matches(&self, python: &str) -> Result<Leaf, String> {
        let pattern = Pattern::translate(python)?;
        let plain = condition(self.attribute, "regex", [pattern.text]);
        let difference = match pattern.difference {
            None if pattern.is_for_texts => None,
            Some(reason) => Some(Difference::pattern(self.property, reason)),
            None => Some(Difference::printed(self.property)),
        };
        let exact = difference.is_none();
        Ok(Leaf {
            exact: exact.then(|| Formula::Test(plain.clone())),
            plain,
            difference,
        })
    }

    fn is_in(&self, value: Option<&Value>) -> Result<Leaf, String> {
        let Listed { values, is_certain } = Listed::read(value)?;
        // Numbers with decimals are never found there, nor texts that the source takes for numbers and prints otherwise.
        let found = values.iter().filter(|value| {
            !is_decimal(value) && (!is_integer(value) || is_printed_integer(value))
        });
        let found: Vec<_> = found.cloned().collect();
        // A boolean is never found there, and a number only as an integer: values that could be found as either are not exact.
        let is_exact = |value: &String| {
            let is_text = !is_boolean(value) && !may_be_number(value);
            is_text || (self.is_key() && !is_integer(value))
        };
        let exact = (is_certain && found.iter().all(is_exact)).then(|| {
            if found.is_empty() {
                Formula::Never
            } else {
                Formula::Test(condition(self.attribute, "in", found))
            }
        });
        let plain = condition(self.attribute, "in", values);
        let is_plain = exact == Some(Formula::Test(plain.clone()));
        let difference = Difference::other_types(self.property, self.operator);
        Ok(Leaf {
            plain,
            exact,
            difference: (!is_plain).then_some(difference),
        })
    }

    /// A condition holds for somebody or not, whoever else there is: only everybody and nobody can be said.
    fn share(&self, percentage: String) -> Leaf {
        let exact = match percentage.parse::<f64>() {
            Ok(number) if number >= 100.0 => Some(present(self.attribute)),
            Ok(number) if number < 0.0 => Some(Formula::Never),
            _ => None,
        };
        Leaf {
            exact,
            ..self.inexact("in", [percentage], Difference::share)
        }
    }
}

fn is_boolean(text: &str) -> bool {
    matches!(text, "true" | "false")
}

/// Whether the source prints the integer that the text spells in this way.
fn is_printed_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    text == "0" || !digits.starts_with('0')
}

/// Whether Python could read the text as a number. Of others it certainly cannot.
fn may_be_number(text: &str) -> bool {
    let text = text.trim();
    let unsigned = text.trim_start_matches(['+', '-']).to_ascii_lowercase();
    let is_infinite = matches!(unsigned.as_str(), "inf" | "infinity" | "nan");
    let is_of_digits = text.chars().all(|character| {
        character.is_numeric() || matches!(character, '+' | '-' | '_' | '.' | 'e' | 'E')
    });
    is_infinite || (is_of_digits && text.chars().any(char::is_numeric))
}

/// Whether it is surely a version, there and here.
fn is_version(text: &str) -> bool {
    let (core, tail) = match text.split_once('-') {
        Some((core, tail)) => (core, Some(tail)),
        None => (text, None),
    };
    let is_number = |part: &str| {
        let is_short = (1..=18).contains(&part.len());
        let is_plain = part == "0" || !part.starts_with('0');
        is_short && is_plain && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    let is_identifier = |part: &str| {
        let is_numeric = part.bytes().all(|byte| byte.is_ascii_digit());
        let has_letters = part
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        !part.is_empty()
            && if is_numeric {
                is_number(part)
            } else {
                has_letters
            }
    };
    core.split('.').count() == 3
        && core.split('.').all(is_number)
        && tail.is_none_or(|tail| tail.split('.').all(is_identifier))
}
