//! The attributes of an answer: `attributes` and `excludedAttributes` (RFC 7644, 3.9). `schemas` and `id` are always included.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    path::without_urn,
    refused::{Refused, invalid_value},
};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Projection {
    #[default]
    Whole,
    /// Only these. Names are in lower case, those of parts with a dot.
    Only(BTreeSet<String>),
    /// All but these.
    Without(BTreeSet<String>),
}

impl Projection {
    /// Reads both parameters; blank ones count as absent.
    pub fn parse(attributes: Option<&str>, excluded: Option<&str>) -> Result<Self, Refused> {
        let attributes = names("attributes", attributes)?;
        let excluded = names("excludedAttributes", excluded)?;
        match (attributes.is_empty(), excluded.is_empty()) {
            (true, true) => Ok(Self::Whole),
            (false, true) => Ok(Self::Only(attributes)),
            (true, false) => Ok(Self::Without(excluded)),
            (false, false) => Err(invalid_value(
                "attributes and excludedAttributes exclude each other",
            )),
        }
    }

    pub fn apply(&self, resource: Value) -> Value {
        let Value::Object(fields) = resource else {
            return resource;
        };
        let fields = fields.into_iter().filter_map(|(name, value)| {
            let path = name.to_ascii_lowercase();
            let value = if matches!(path.as_str(), "schemas" | "id") {
                value
            } else {
                self.part(&path, value)?
            };
            Some((name, value))
        });
        Value::Object(fields.collect())
    }

    /// The projected attribute; `None` if nothing is left.
    fn part(&self, path: &str, value: Value) -> Option<Value> {
        match self {
            Self::Whole => Some(value),
            Self::Only(names) if names.contains(path) => Some(value),
            Self::Without(names) if names.contains(path) => None,
            Self::Only(names) => {
                let named = |part: &str| names.contains(&format!("{path}.{part}"));
                parts(value, &named).filter(|left| !is_empty(left))
            }
            Self::Without(names) => {
                let kept = |part: &str| !names.contains(&format!("{path}.{part}"));
                match value {
                    Value::Object(_) | Value::Array(_) => parts(value, &kept),
                    simple => Some(simple),
                }
            }
        }
    }
}

/// The requested parts of a complex attribute.
fn parts(value: Value, is_wanted: &dyn Fn(&str) -> bool) -> Option<Value> {
    let of_object = |object: Map<String, Value>| {
        let fields = object.into_iter();
        let wanted = fields.filter(|(name, _)| is_wanted(&name.to_ascii_lowercase()));
        Value::Object(wanted.collect())
    };
    match value {
        Value::Object(object) => Some(of_object(object)),
        Value::Array(items) => {
            let items = items.into_iter().map(|item| match item {
                Value::Object(object) => of_object(object),
                other => other,
            });
            Some(Value::Array(items.collect()))
        }
        _ => None,
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Object(fields) => fields.is_empty(),
        Value::Array(items) => items.iter().all(is_empty),
        _ => false,
    }
}

fn names(parameter: &str, text: Option<&str>) -> Result<BTreeSet<String>, Refused> {
    let text = text.unwrap_or_default();
    if text.split(',').count() > 100 {
        let words = format!("{parameter} has at most 100 names");
        return Err(invalid_value(words));
    }
    let names = text.split(',').map(|name| without_urn(name.trim()));
    Ok(names
        .filter(|name| !name.is_empty())
        .map(str::to_ascii_lowercase)
        .collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn user() -> Value {
        json!({
            "schemas": ["urn"], "id": "1", "userName": "ada", "active": true,
            "name": {"givenName": "Ada", "familyName": "Byron"},
            "emails": [{"value": "a@x.test", "primary": true}],
        })
    }

    fn only(names: &str) -> Value {
        Projection::parse(Some(names), None).unwrap().apply(user())
    }

    fn without(names: &str) -> Value {
        Projection::parse(None, Some(names)).unwrap().apply(user())
    }

    #[test]
    fn only_what_is_asked_for_is_shown_with_schemas_and_id() {
        assert_eq!(
            only("USERNAME"),
            json!({"schemas": ["urn"], "id": "1", "userName": "ada"})
        );
        assert_eq!(
            only("urn:ietf:params:scim:schemas:core:2.0:User:name.givenName, emails.value"),
            json!({"schemas": ["urn"], "id": "1", "name": {"givenName": "Ada"}, "emails": [{"value": "a@x.test"}]})
        );
        assert_eq!(only("title"), json!({"schemas": ["urn"], "id": "1"}));
        assert_eq!(only(""), user());
    }

    #[test]
    fn what_is_excluded_is_not_shown_but_schemas_and_id_are() {
        assert_eq!(
            without("id,schemas,name,emails,active"),
            json!({"schemas": ["urn"], "id": "1", "userName": "ada"})
        );
        let mut expected = user();
        expected["name"] = json!({"familyName": "Byron"});
        expected["emails"] = json!([{"value": "a@x.test"}]);
        assert_eq!(without("name.givenname,emails.primary"), expected);
    }

    #[test]
    fn the_two_exclude_each_other_and_are_bounded() {
        assert!(Projection::parse(Some("name"), Some("emails")).is_err());
        assert!(Projection::parse(Some(&"a,".repeat(100)), None).is_err());
    }
}
