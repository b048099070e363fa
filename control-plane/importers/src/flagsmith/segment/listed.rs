//! The operand of `IN`: a list as JSON, or texts between commas.

use serde_json::Value;

use crate::plan::copies::{Weight as _, charge, json};

/// What an attribute is looked for in.
pub(super) struct Listed {
    pub(super) values: Vec<String>,
    /// The source certainly reads the same values.
    pub(super) is_certain: bool,
}

impl Listed {
    /// Nothing is trimmed: blanks belong to the values there.
    pub(super) fn read(operand: Option<&Value>) -> Result<Self, String> {
        match operand {
            Some(Value::Array(values)) => Self::of_json(values),
            Some(Value::String(text)) => {
                if text.starts_with('[') {
                    match json(text) {
                        Some(Value::Array(values)) => return Self::of_json(&values),
                        // Python reads numbers that JSON does not have.
                        _ if text.contains("NaN") || text.contains("Infinity") => {
                            return Err("the list of IN cannot be read".to_owned());
                        }
                        _ => {}
                    }
                }
                Ok(Self {
                    values: text
                        .split(',')
                        .map(str::to_owned)
                        .take_while(|value| charge(value.weight()))
                        .collect(),
                    is_certain: true,
                })
            }
            Some(value @ (Value::Number(_) | Value::Bool(_))) => Ok(Self {
                values: vec![value.to_string()],
                is_certain: false,
            }),
            None | Some(Value::Null | Value::Object(_)) => Err("IN has no list".to_owned()),
        }
    }

    fn of_json(list: &[Value]) -> Result<Self, String> {
        let mut is_certain = true;
        let mut values = Vec::with_capacity(list.len());
        for value in list {
            values.push(match value {
                Value::String(text) => text.clone(),
                // As Python prints them.
                Value::Null => "None".to_owned(),
                Value::Bool(true) => "True".to_owned(),
                Value::Bool(false) => "False".to_owned(),
                Value::Number(number) => {
                    is_certain &= !number.is_f64();
                    number.to_string()
                }
                Value::Array(_) | Value::Object(_) => {
                    return Err("the list of IN has lists in it".to_owned());
                }
            });
        }
        Ok(Self { values, is_certain })
    }
}

/// What the source takes for an integer.
pub(super) fn is_integer(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// What the source takes for a number with decimals.
pub(super) fn is_decimal(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, decimals)| {
        is_integer(whole) && is_integer(decimals) && !decimals.starts_with('-')
    })
}
