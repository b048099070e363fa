//! JSON objects, and lists of them. A derived struct can also be read from an array of its fields in order, which no
//! author means: here such an item is of the wrong type.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor, value::MapAccessDeserializer},
};

/// A list in which each item was written as an object.
#[derive(Clone, Debug)]
pub struct Objects<T>(pub Vec<T>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Objects<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        let items = Vec::<Object<T>>::deserialize(input)?;
        Ok(Self(items.into_iter().map(|Object(item)| item).collect()))
    }
}

/// Reads a list of objects; for fields of type `Vec`.
pub(crate) fn list<'de, D, T>(input: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    Objects::deserialize(input).map(|Objects(items)| items)
}

/// A value that was written as an object.
#[derive(Clone, Debug)]
pub struct Object<T>(pub T);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Object<T> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        input.deserialize_map(ObjectVisitor(PhantomData)).map(Self)
    }
}

struct ObjectVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ObjectVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
        T::deserialize(MapAccessDeserializer::new(fields))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::{Condition, TargetingRule};

    #[test]
    fn an_array_of_fields_is_not_an_object() {
        let read = serde_json::from_str::<Objects<Condition>>;
        let written = r#"[{"attribute": "a", "operator": "exists"}]"#;
        assert_eq!(read(written).unwrap().0[0].attribute, "a");
        for (wrong, kind) in [
            (r#"[["a", "exists", []]]"#, "sequence"),
            (r#"["a"]"#, "string \"a\""),
            ("[null]", "null"),
        ] {
            let refused = read(wrong).unwrap_err().to_string();
            assert!(
                refused.starts_with(&format!("invalid type: {kind}, expected an object")),
                "{refused}"
            );
        }
    }

    #[test]
    fn the_conditions_of_a_rule_are_objects_too() {
        let rule = r#"[{"conditions": [["a", "exists", []]]}]"#;
        assert!(serde_json::from_str::<Objects<TargetingRule>>(rule).is_err());
    }
}
