//! What is read of arguments, files and standard input.

use std::{
    fs,
    io::{self, IsTerminal, Read},
};

use secrecy::SecretString;
use serde_json::{Map, Value};

use crate::{api::Error, environment};

/// A value that is given as JSON, or as the name of a file after `@`.
pub(super) fn json(option: &str, text: Option<&str>) -> Result<Option<Value>, Error> {
    let Some(text) = text else {
        return Ok(None);
    };
    let read = match text.strip_prefix('@') {
        Some(file) => self::file(file)?,
        None => text.to_owned(),
    };
    let value = serde_json::from_str(&read);
    let wrong = |why| Error::Usage(format!("{option} is not JSON: {why}"));
    value.map(Some).map_err(wrong)
}

/// A body that is given as a file, or as standard input by `-`.
pub(super) fn body(input: Option<&str>) -> Result<Option<Value>, Error> {
    let Some(input) = input else {
        return Ok(None);
    };
    let text = match input {
        "-" => standard_input()?,
        name => file(name)?,
    };
    let value = serde_json::from_str(&text);
    let wrong = |why| Error::Usage(format!("--input is not JSON: {why}"));
    value.map(Some).map_err(wrong)
}

/// Pairs like `name=value`, made with `read`.
pub(super) fn pairs(
    option: &str,
    given: &[String],
    read: impl Fn(&str) -> Result<Value, Error>,
) -> Result<Map<String, Value>, Error> {
    let mut fields = Map::new();
    for pair in given {
        let wrong = || Error::Usage(format!("{option} is like NAME=VALUE"));
        let (name, value) = pair.split_once('=').ok_or_else(wrong)?;
        fields.insert(name.to_owned(), read(value)?);
    }
    Ok(fields)
}

/// A secret: from a variable, a pipe, or typed without being shown.
pub(super) fn secret(variable: Option<&str>, prompt: &str) -> Result<SecretString, Error> {
    if let Some(value) = variable.and_then(environment::text) {
        return Ok(value.into());
    }
    let text = if io::stdin().is_terminal() {
        rpassword::prompt_password(prompt)
            .map_err(|why| Error::while_doing("nothing can be typed", why))?
    } else {
        standard_input()?
    };
    let text = text.trim();
    if text.is_empty() || !text.chars().all(|character| character.is_ascii_graphic()) {
        let what = "nothing, or characters that no such secret has, were given";
        return Err(Error::Usage(what.to_owned()));
    }
    Ok(text.to_owned().into())
}

/// A share in percent, as basis points.
pub(super) fn basis_points(option: &str, text: Option<&str>) -> Result<Option<u32>, Error> {
    let Some(text) = text else {
        return Ok(None);
    };
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let read = || {
        if !digits(whole) || !digits(part) || part.len() > 2 {
            return None;
        }
        let hundredths: u32 = format!("{part:0<2}").parse().ok()?;
        let points = whole.parse::<u32>().ok()?.checked_mul(100)?;
        Some(points.checked_add(hundredths)?).filter(|points| *points <= 10_000)
    };
    let wrong = || Error::Usage(format!("{option} is a number from 0 to 100, like 12.5"));
    read().map(Some).ok_or_else(wrong)
}

fn file(name: &str) -> Result<String, Error> {
    fs::read_to_string(name).map_err(|why| Error::while_doing(name, why))
}

fn standard_input() -> Result<String, Error> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .map_err(|why| Error::while_doing("standard input", why))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_are_read_exactly() {
        let read = |text| basis_points("--rollout", Some(text)).ok().flatten();
        for (text, points) in [("0", 0), ("12.5", 1250), ("0.07", 7), ("100", 10_000)] {
            assert_eq!(read(text), Some(points), "{text}");
        }
        for wrong in [
            "",
            "-1",
            "100.01",
            "1.234",
            "1e2",
            ".5",
            "5.",
            "99999999999",
        ] {
            assert_eq!(read(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn pairs_keep_further_equal_signs() {
        let text = |value: &str| Ok(Value::from(value));
        let read = pairs("-f", &["a=b=c".to_owned()], text).unwrap();
        assert_eq!(Value::from(read), serde_json::json!({"a": "b=c"}));
        assert!(pairs("-f", &["a".to_owned()], text).is_err());
    }
}
