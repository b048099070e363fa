//! Whether two values mean the same.

use serde::Serialize;
use serde_json::{Map, Value};

/// Compares numbers by value, so that 1 and 1.0 are the same, and everything else exactly.
pub fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || (one.is_f64() || other.is_f64()) && one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |(name, one)| other.get(name).is_some_and(|other| same(one, other));
            one.len() == other.len() && one.iter().all(is_same)
        }
        (one, other) => one == other,
    }
}

/// The fields of a thing that another one has differently, without `states`.
pub fn changed_fields<T: Serialize>(before: &T, after: &T) -> Map<String, Value> {
    let fields = |thing: &T| match serde_json::to_value(thing) {
        Ok(Value::Object(fields)) => fields,
        _ => Map::new(),
    };
    let before = fields(before);
    let differs = |name: &str, value: &Value| before.get(name).is_none_or(|was| !same(was, value));
    let after = fields(after).into_iter();
    after
        .filter(|(name, value)| name != "states" && differs(name, value))
        .collect()
}
