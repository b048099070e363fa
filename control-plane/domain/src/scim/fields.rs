//! JSON objects of SCIM: attribute names are compared without case, `null` means absent (RFC 7643, 2.1 and 2.5), and booleans
//! may be texts.

use serde::{
    Deserialize, Deserializer,
    de::{Error, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use super::{
    model::{EmailAddress, Emails, MAX_EMAILS},
    refused::{ErrorType, Refused, invalid, invalid_value},
};
use crate::accounts::email::Email;
use base::input::{breaks_a_line, is_longer_than};

/// An object. Of names that differ only in case, the last one counts.
#[derive(Clone, Debug, Default)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// Parses a value that must be an object; `what` is its name in errors.
    pub fn of(what: &str, value: Value) -> Result<Self, Refused> {
        match value {
            Value::Object(object) => Ok(Self::fold(object)),
            _ => Err(invalid_value(format!("{what} must be an object"))),
        }
    }

    fn fold(object: Map<String, Value>) -> Self {
        let fields = object
            .into_iter()
            .map(|(name, value)| (name.to_ascii_lowercase(), value));
        Self(fields.collect())
    }

    /// Takes a field, by its name in lower case. `None` if it is absent.
    pub fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// The remaining fields, with names in lower case.
    pub fn rest(self) -> Map<String, Value> {
        self.0
    }

    /// Refuses a message with another schema.
    pub fn require_schema(&mut self, urn: &str) -> Result<(), Refused> {
        let names_it = |schemas: &Value| {
            let mut named = schemas.as_array().into_iter().flatten();
            named.any(|schema| schema.as_str().is_some_and(|s| s.eq_ignore_ascii_case(urn)))
        };
        match self.take("schemas") {
            Some(schemas) if !names_it(&schemas) => Err(invalid(
                ErrorType::InvalidSyntax,
                format!("schemas must contain {urn}"),
            )),
            Some(_) | None => Ok(()),
        }
    }
}

impl<'de> Deserialize<'de> for Fields {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Object;

        impl<'de> Visitor<'de> for Object {
            type Value = Fields;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Fields, A::Error> {
                let mut object = Map::new();
                while let Some((name, value)) = map.next_entry::<String, Value>()? {
                    object.insert(name.to_ascii_lowercase(), value);
                }
                Ok(Fields(object))
            }

            fn visit_unit<E: Error>(self) -> Result<Fields, E> {
                Err(E::custom("not an object"))
            }
        }

        input.deserialize_map(Object)
    }
}

/// A text of one line and at most 255 characters; `None` for `null` and blank ones.
pub fn text(what: &str, value: Value) -> Result<Option<String>, Refused> {
    let text = match value {
        Value::Null => return Ok(None),
        Value::String(text) => text,
        Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_) => {
            return Err(invalid_value(format!("{what} must be a text")));
        }
    };
    if is_longer_than(&text, 255) {
        let words = format!("{what} must have at most 255 characters");
        return Err(invalid_value(words));
    }
    if text.chars().any(breaks_a_line) {
        let words = format!("{what} must not contain control characters");
        return Err(invalid_value(words));
    }
    Ok((!text.trim().is_empty()).then_some(text))
}

pub fn user_name(value: Value) -> Result<String, Refused> {
    text("userName", value)?.ok_or_else(|| invalid_value("userName is required"))
}

/// A boolean, or its name.
pub fn boolean(what: &str, value: &Value) -> Result<bool, Refused> {
    match value {
        Value::Bool(value) => Ok(*value),
        Value::String(text) if text.eq_ignore_ascii_case("true") => Ok(true),
        Value::String(text) if text.eq_ignore_ascii_case("false") => Ok(false),
        _ => Err(invalid_value(format!("{what} must be true or false"))),
    }
}

/// All e-mail addresses of a user. Unless one is marked primary, the first is.
pub fn emails(value: Value) -> Result<Emails, Refused> {
    let given = email_list(value)?;
    if given.iter().filter(|(email, _)| email.primary).count() > 1 {
        return Err(invalid_value("only one of emails may be primary"));
    }
    let nobody_says = given.iter().all(|(_, says)| !says);
    let mut emails: Vec<_> = given.into_iter().map(|(email, _)| email).collect();
    if let Some(first) = emails.first_mut()
        && nobody_says
    {
        first.primary = true;
    }
    Ok(Emails(emails))
}

/// E-mail addresses, each with an explicit primary flag or not. A single one may stand without a list.
pub fn email_list(value: Value) -> Result<Vec<(EmailAddress, bool)>, Refused> {
    let items = match value {
        Value::Null => Vec::new(),
        Value::Array(items) => items,
        one => vec![one],
    };
    if items.len() > MAX_EMAILS {
        return Err(too_many_emails());
    }
    items.into_iter().map(email).collect()
}

pub fn too_many_emails() -> Refused {
    invalid_value(format!("a user has at most {MAX_EMAILS} emails"))
}

fn email(value: Value) -> Result<(EmailAddress, bool), Refused> {
    let mut fields = Fields::of("each of emails", value)?;
    let primary = fields
        .take("primary")
        .filter(|value| !value.is_null())
        .map(|value| boolean("emails.primary", &value))
        .transpose()?;
    let email = EmailAddress {
        value: email_value(fields.take("value").unwrap_or_default())?,
        kind: email_type(fields.take("type").unwrap_or_default())?,
        primary: primary.unwrap_or(false),
    };
    Ok((email, primary.is_some()))
}

/// The address as written. Whether mail can reach it is checked where new ones are known.
pub fn email_value(value: Value) -> Result<String, Refused> {
    let text = text("emails.value", value)?.unwrap_or_default();
    let text = text.trim();
    match Email::of_login(Some(text)) {
        Ok(_) => Ok(text.to_owned()),
        Err(_) => Err(not_an_address()),
    }
}

pub fn not_an_address() -> Refused {
    invalid_value("emails.value must be an e-mail address")
}

pub fn email_type(value: Value) -> Result<Option<String>, Refused> {
    let kind = text("emails.type", value)?;
    match kind {
        Some(kind) if is_longer_than(&kind, 64) => {
            Err(invalid_value("emails.type must have at most 64 characters"))
        }
        kind => Ok(kind),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn names_of_fields_have_no_case() {
        let mut fields: Fields = serde_json::from_str(r#"{"USERNAME": "ada", "x": 1}"#).unwrap();
        assert_eq!(fields.take("username"), Some(json!("ada")));
        assert_eq!(fields.take("username"), None);
        for other in ["null", "[]", "1", "\"a\""] {
            assert!(serde_json::from_str::<Fields>(other).is_err(), "{other}");
        }
    }

    #[test]
    fn booleans_come_as_texts_too() {
        for value in [json!(true), json!("True"), json!("true")] {
            assert!(boolean("active", &value).unwrap());
        }
        for value in [json!(false), json!("False"), json!("FALSE")] {
            assert!(!boolean("active", &value).unwrap());
        }
        for value in [json!("no"), json!(0), json!(null), json!([])] {
            assert!(boolean("active", &value).is_err(), "{value}");
        }
    }

    #[test]
    fn the_first_address_is_primary_when_none_says_so() {
        let primary = |value| {
            let emails = emails(value).unwrap().0;
            emails.into_iter().map(|it| it.primary).collect::<Vec<_>>()
        };
        let (a, b) = (json!({"value": "a@x.test"}), json!({"value": "b@x.test"}));
        assert_eq!(primary(json!([a, b])), [true, false]);
        let not = json!({"value": "c@x.test", "primary": false});
        assert_eq!(primary(json!([not, b])), [false, false]);
        assert_eq!(primary(a), [true]);
        assert_eq!(primary(json!(null)), [false; 0]);
    }

    #[test]
    fn texts_are_one_line() {
        assert_eq!(text("x", json!("  ")).unwrap(), None);
        assert_eq!(text("x", json!(null)).unwrap(), None);
        assert_eq!(text("x", json!("a b")).unwrap().as_deref(), Some("a b"));
        for value in [
            json!(1),
            json!("a\nb"),
            json!("a\u{2028}b"),
            json!("ü".repeat(256)),
        ] {
            assert!(text("x", value.clone()).is_err(), "{value}");
        }
    }
}
