//! Data whose keys keep their order, which `serde_json::Value` does not keep here.

use std::fmt;

use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{MapAccess, SeqAccess, Visitor},
    ser::SerializeMap,
};
use serde_json::{Number, Value};

/// What JSON can say, with the keys of objects in their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Number(Number),
    Text(String),
    List(Vec<Self>),
    /// No key stands here twice.
    Map(Vec<(String, Self)>),
}

impl Node {
    /// What a value is as JSON. The fields of structs keep the order in which they are declared.
    ///
    /// # Errors
    ///
    /// What `serde_json` cannot write, such as a map whose keys are not text.
    pub fn of<T: Serialize + ?Sized>(value: &T) -> Result<Self, serde_json::Error> {
        serde_json::from_str(&serde_json::to_string(value)?)
    }

    /// The same data without the order of its keys.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(is) => Value::Bool(*is),
            Self::Number(number) => Value::Number(number.clone()),
            Self::Text(text) => Value::String(text.clone()),
            Self::List(list) => list.iter().map(Self::to_value).collect(),
            Self::Map(map) => {
                let pairs = map.iter();
                Value::Object(
                    pairs
                        .map(|(key, value)| (key.clone(), value.to_value()))
                        .collect(),
                )
            }
        }
    }

    pub(crate) fn is_scalar(&self) -> bool {
        !matches!(self, Self::List(_) | Self::Map(_))
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(is),
            Value::Number(number) => Self::Number(number),
            Value::String(text) => Self::Text(text),
            Value::Array(list) => Self::List(list.into_iter().map(Self::from).collect()),
            Value::Object(map) => Self::Map(
                map.into_iter()
                    .map(|(key, value)| (key, value.into()))
                    .collect(),
            ),
        }
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Null => serializer.serialize_unit(),
            Self::Bool(is) => serializer.serialize_bool(*is),
            Self::Number(number) => number.serialize(serializer),
            Self::Text(text) => serializer.serialize_str(text),
            Self::List(list) => list.serialize(serializer),
            Self::Map(map) => {
                let mut written = serializer.serialize_map(Some(map.len()))?;
                for (key, value) in map {
                    written.serialize_entry(key, value)?;
                }
                written.end()
            }
        }
    }
}

/// Of a key that stands twice, the last value counts, as in `serde_json`.
impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Ordered)
    }
}

struct Ordered;

impl<'de> Visitor<'de> for Ordered {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, is: bool) -> Result<Node, E> {
        Ok(Node::Bool(is))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Node, E> {
        Ok(Number::from_f64(number).map_or(Node::Null, Node::Number))
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(element) = elements.next_element()? {
            list.push(element);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map: Vec<(String, Node)> = Vec::new();
        let mut places = std::collections::HashMap::new();
        while let Some((key, value)) = entries.next_entry::<String, Node>()? {
            match places.get(&key) {
                Some(place) => map[*place] = (key, value),
                None => {
                    places.insert(key.clone(), map.len());
                    map.push((key, value));
                }
            }
        }
        Ok(Node::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_keep_the_order_in_which_they_are_declared() {
        #[derive(Serialize)]
        struct Flag {
            name: &'static str,
            enabled: bool,
            before: Option<u8>,
        }
        let flag = Flag {
            name: "n",
            enabled: true,
            before: None,
        };
        let Node::Map(map) = Node::of(&flag).unwrap() else {
            panic!("a struct is a map");
        };
        let keys: Vec<_> = map.iter().map(|(key, _)| key.as_str()).collect();
        assert_eq!(keys, ["name", "enabled", "before"]);
    }

    #[test]
    fn a_value_survives_the_way_through_a_node() {
        let value = json!({"b": [1, -2, 1.5, 18_446_744_073_709_551_615_u64], "a": {"x": null, "y": true, "z": "t"}});
        assert_eq!(Node::from(value.clone()).to_value(), value);
        assert_eq!(Node::of(&value).unwrap().to_value(), value);
        let twice: Node = serde_json::from_str(r#"{"a": 1, "b": 2, "a": 3}"#).unwrap();
        assert_eq!(twice.to_value(), json!({"a": 3, "b": 2}));
    }
}
