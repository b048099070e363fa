//! What a plain scalar means: the core schema of YAML 1.2, where JSON can say it.

use serde_json::{Number, Value};

/// What a plain scalar says.
///
/// # Errors
///
/// Says why it is refused: see [`super::Document`].
pub(super) fn plain(text: &str) -> Result<Value, String> {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Ok(Value::Null),
        "true" | "True" | "TRUE" => return Ok(Value::Bool(true)),
        "false" | "False" | "FALSE" => return Ok(Value::Bool(false)),
        ".nan" | ".NaN" | ".NAN" => return Err(not_finite(text)),
        _ => {}
    }
    if !text.starts_with(|first: char| first.is_ascii_digit() || "+-.".contains(first)) {
        return Ok(Value::String(text.to_owned()));
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return Err(not_finite(text));
    }
    if !unsigned.is_empty() && unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        return integer(text, unsigned).map(Value::Number);
    }
    for (prefix, radix) in [("0x", 16), ("0o", 8)] {
        if let Some(digits) = text.strip_prefix(prefix)
            && !digits.is_empty()
            && digits.chars().all(|digit| digit.is_digit(radix))
        {
            let number = u64::from_str_radix(digits, radix).map_err(|_| too_long(text))?;
            return Ok(number.into());
        }
    }
    if is_float(unsigned) {
        let number = text.parse().ok().and_then(Number::from_f64);
        return number.map(Value::Number).ok_or_else(|| not_finite(text));
    }
    Ok(Value::String(text.to_owned()))
}

fn integer(text: &str, digits: &str) -> Result<Number, String> {
    if digits.len() > 1 && digits.starts_with('0') {
        return Err(format!(
            "{text} has leading zeros: write \"{text}\" if it is text"
        ));
    }
    let signed = text.parse::<i64>().map(Number::from);
    let number = signed.or_else(|_| text.parse::<u64>().map(Number::from));
    number.map_err(|_| too_long(text))
}

/// `[0-9]+(\.[0-9]*)?([eE][-+]?[0-9]+)?` or `\.[0-9]+([eE][-+]?[0-9]+)?`.
fn is_float(unsigned: &str) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let has_digits = !whole.is_empty() || !fraction.is_empty();
    let exponent_fits = exponent.is_none_or(|exponent| {
        let power = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        !power.is_empty() && digits(power)
    });
    has_digits && digits(whole) && digits(fraction) && exponent_fits
}

fn not_finite(text: &str) -> String {
    format!("{text} is no number that JSON can hold: write \"{text}\" if it is text")
}

fn too_long(text: &str) -> String {
    format!(
        "{text} does not fit into 64 bits: write \"{text}\" if it is text, {text}.0 if it may be rounded"
    )
}

/// What a scalar with a tag of the core schema says, by the name behind `!!`.
///
/// # Errors
///
/// The text is nothing of that kind.
pub(super) fn tagged(name: &str, text: &str) -> Result<Value, String> {
    let value = if name == "str" {
        Value::String(text.to_owned())
    } else {
        plain(text)?
    };
    let fits = match name {
        "str" => true,
        "null" => value.is_null(),
        "bool" => value.is_boolean(),
        "int" => value.is_i64() || value.is_u64(),
        "float" => value.is_number(),
        _ => false,
    };
    if !fits {
        return Err(format!("{text:?} is no !!{name}"));
    }
    if name != "float" {
        return Ok(value);
    }
    let float = value.as_f64().and_then(Number::from_f64);
    Ok(float.map_or(value, Value::Number))
}
