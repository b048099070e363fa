//! One condition of the source: what it means there, and how that is said here.
//!
//! The source turns texts that spell a number into numbers, and then reads the operand as a value of the attribute's type. So an
//! operand can mean something for each type, and what is no text often compares in a way that no condition here has.

use serde_json::Value;

use crate::{
    flagsmith::wire,
    logic::{Expr, KEY, Pattern, is_version, pattern},
    plan::{
        Remarks,
        copies::{Weight as _, charge, json},
    },
};

/// The identifier of the identity: the context key.
const IDENTIFIER: &str = "$.identity.identifier";
/// Marks an operand as a version.
const VERSION: &str = ":semver";
/// What texts that the source does not take for numbers look like, and no others.
const NO_NUMBER: &str = r"(?s)[^0-9.\-]|.-|\..*\.|^-?\.|\.$|^-?$";

const OTHER_TYPES: &str = "an attribute of another type than the operand, or a number that is spelled otherwise, compares differently there";
const ORDER_OF_TEXTS: &str = "texts are compared letter by letter there, and here only where both are dates with a time, or versions";
const NOT_CONTAINS: &str =
    "it holds here for everything but the operand itself, also for texts that contain it";
const UNKNOWN: &str = "current servers do not know the operator, and match nobody";
const SHARE: &str = "a segment cannot hold a share of the users: it holds here only where the attribute is the percentage itself";
const DIALECT: &str = "the source reads such a regular expression in another way, or prints numbers and booleans differently (`True`, `1.0`)";

/// Says why not where a condition means nothing that could be said here.
pub(super) fn translate(test: &wire::Test, remarks: &mut Remarks) -> Result<Expr, String> {
    let operator = test.operator.as_str();
    let property = test.property.as_deref().unwrap_or_default();
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
    let subject = Subject {
        attribute,
        place: format!(
            "{} {operator}",
            if property.is_empty() { KEY } else { property }
        ),
        remarks,
    };
    match operator {
        "IN" => return subject.members(test.value.as_ref()),
        "IS_SET" => return Ok(Expr::present(attribute)),
        "IS_NOT_SET" => return Ok(Expr::missing(attribute)),
        _ => {}
    }
    let operand = match &test.value {
        None | Some(Value::Null) => return Err(format!("{operator} has no operand")),
        Some(Value::String(text)) => text.clone(),
        Some(value @ (Value::Number(_) | Value::Bool(_))) => value.to_string(),
        Some(Value::Array(_) | Value::Object(_)) => {
            return Err(format!("the operand of {operator} is no text"));
        }
    };
    match operator {
        "EQUAL" | "==" => Ok(subject.equal(&operand)),
        "NOT_EQUAL" | "!=" => Ok(subject.not_equal(&operand)),
        "GREATER_THAN" | ">" => Ok(subject.compared("gt", &operand)),
        "GREATER_THAN_INCLUSIVE" | ">=" => Ok(subject.compared("gte", &operand)),
        "LESS_THAN" | "<" => Ok(subject.compared("lt", &operand)),
        "LESS_THAN_INCLUSIVE" | "<=" => Ok(subject.compared("lte", &operand)),
        "CONTAINS" => subject.contains(&operand),
        "NOT_CONTAINS" => Ok(subject.differs("notIn", [operand], NOT_CONTAINS)),
        "REGEX" => subject.matches(&operand),
        "NOT_IN" => Ok(subject.differs("notIn", operand.split(','), UNKNOWN)),
        "STARTS_WITH" => Ok(subject.differs("startsWith", [operand], UNKNOWN)),
        "ENDS_WITH" => Ok(subject.differs("endsWith", [operand], UNKNOWN)),
        "PERCENTAGE_SPLIT" => Ok(subject.share(operand)),
        _ => Err(format!("the operator {operator} is not known here")),
    }
}

/// What is tested.
struct Subject<'a> {
    attribute: &'a str,
    /// Property and operator, for remarks.
    place: String,
    remarks: &'a mut Remarks,
}

impl Subject<'_> {
    /// The context key is always a text; an attribute can be anything.
    fn is_key(&self) -> bool {
        self.attribute == KEY
    }

    fn test<V: Into<String>>(&self, operator: &str, values: impl IntoIterator<Item = V>) -> Expr {
        Expr::is(self.attribute, operator, values)
    }

    /// The test, for texts that do not spell a number.
    fn test_of_texts(&self, operator: &str, value: &str) -> Expr {
        Expr::all([
            self.test(operator, [value]),
            self.test("regex", [NO_NUMBER]),
        ])
    }

    fn differs<V: Into<String>>(
        self,
        operator: &str,
        values: impl IntoIterator<Item = V>,
        why: &str,
    ) -> Expr {
        let test = self.test(operator, values);
        self.remarks.approximate_at(&self.place, why);
        test
    }

    fn equal(self, operand: &str) -> Expr {
        if let Some(version) = operand.strip_suffix(VERSION) {
            return if self.is_key() && is_version(version) {
                Expr::all(["gte", "lte"].map(|operator| self.test(operator, [version])))
            } else {
                self.differs("eq", [version], OTHER_TYPES)
            };
        }
        if self.is_equal_there(operand) {
            self.test("eq", [operand])
        } else {
            self.differs("eq", [operand], OTHER_TYPES)
        }
    }

    fn not_equal(self, operand: &str) -> Expr {
        let text = operand.strip_suffix(VERSION).unwrap_or(operand);
        // A number there is neither equal nor unequal to a text.
        if text == operand && self.is_equal_there(operand) {
            self.test_of_texts("neq", operand)
        } else {
            self.differs("neq", [text], OTHER_TYPES)
        }
    }

    /// Whether the same texts are equal to it there. `true` there is equal to every operand but `false` and `False`.
    fn is_equal_there(&self, operand: &str) -> bool {
        if self.is_key() {
            !may_be_number(operand)
        } else {
            is_boolean(operand)
        }
    }

    fn compared(self, operator: &str, operand: &str) -> Expr {
        let version = operand.strip_suffix(VERSION);
        // Booleans are compared with `true` there, and none is greater.
        if version.is_some_and(is_version) && (self.is_key() || operator == "gt") {
            self.test(operator, version)
        } else if version.is_some() || may_be_number(operand) {
            self.differs(operator, [version.unwrap_or(operand)], OTHER_TYPES)
        } else {
            self.differs(operator, [operand], ORDER_OF_TEXTS)
        }
    }

    fn contains(self, part: &str) -> Result<Expr, String> {
        if part.ends_with(VERSION) {
            return Err("a version contains nothing".to_owned());
        }
        // Numbers and booleans contain nothing there.
        let is_of_booleans = ["true", "false"].iter().any(|word| word.contains(part));
        let is_of_numbers = |byte| matches!(byte, b'0'..=b'9' | b'.' | b'-');
        Ok(if is_of_booleans && !self.is_key() {
            self.differs("contains", [part], OTHER_TYPES)
        } else if part.bytes().all(is_of_numbers) {
            self.test_of_texts("contains", part)
        } else {
            self.test("contains", [part])
        })
    }

    /// Python matches at the start, and `$` also before a last line break.
    fn matches(self, python: &str) -> Result<Expr, String> {
        let of_end = python
            .strip_suffix('$')
            .filter(|body| !body.ends_with('\\'));
        let (body, end) = of_end.map_or((python, ""), |body| (body, r"\n?\z"));
        let anchored = format!("^(?:{body}{end})");
        let read = pattern(body).and_then(|read| pattern(&anchored).map(|_| read));
        match read.ok_or("the pattern is too large, or has a syntax that is not known here")? {
            Pattern::Exact => Ok(self.test("regex", [anchored])),
            Pattern::Dialect => Ok(self.differs("regex", [anchored], DIALECT)),
        }
    }

    fn members(self, operand: Option<&Value>) -> Result<Expr, String> {
        let (values, is_certain) = listed(operand)?;
        // A boolean is never found there, and a number only as an integer that is printed so.
        let is_text =
            |value: &String| !may_be_number(value) && (self.is_key() || !is_boolean(value));
        Ok(if is_certain && values.iter().all(is_text) {
            self.test("in", values)
        } else {
            self.differs("in", values, OTHER_TYPES)
        })
    }

    /// A condition holds for a context or not, whatever others do: only all of them and none of them can be said.
    fn share(self, percentage: String) -> Expr {
        match percentage.parse::<f64>() {
            Ok(number) if number >= 100.0 => Expr::present(self.attribute),
            Ok(number) if number < 0.0 => Expr::never(),
            _ => self.differs("in", [percentage], SHARE),
        }
    }
}

/// The operand of `IN`: a list as JSON, or texts between commas; and whether the source certainly reads the same values. Nothing is
/// trimmed: blanks belong to the values there.
fn listed(operand: Option<&Value>) -> Result<(Vec<String>, bool), String> {
    let text = match operand {
        Some(Value::Array(values)) => return Ok(of_json(values)),
        Some(Value::String(text)) => text,
        Some(value @ (Value::Number(_) | Value::Bool(_))) => {
            return Ok((vec![value.to_string()], false));
        }
        None | Some(Value::Null | Value::Object(_)) => return Err("IN has no list".to_owned()),
    };
    if text.starts_with('[') {
        match json(text) {
            Some(Value::Array(values)) => return Ok(of_json(&values)),
            // Python reads numbers that JSON does not have.
            _ if text.contains("NaN") || text.contains("Infinity") => {
                return Err("the list of IN cannot be read".to_owned());
            }
            _ => {}
        }
    }
    let values = text.split(',').map(str::to_owned);
    Ok((
        values.take_while(|value| charge(value.weight())).collect(),
        true,
    ))
}

fn of_json(list: &[Value]) -> (Vec<String>, bool) {
    let text = |value: &Value| {
        value
            .as_str()
            .map_or_else(|| value.to_string(), str::to_owned)
    };
    let values = list.iter().map(text).collect();
    (values, list.iter().all(Value::is_string))
}

fn is_boolean(text: &str) -> bool {
    matches!(text, "true" | "false")
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
