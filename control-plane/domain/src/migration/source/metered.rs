//! Reading JSON within a room in memory.
//!
//! What a source sends may take thirty times its length once it is read: two characters of a list of numbers become 32 bytes, and
//! three characters of a list of rules become some hundreds. So what is bounded is what it becomes: each element of a list or map
//! is charged by its size and each text by its length, before it is kept. What nobody reads is not charged.

use std::{cell::Cell, fmt};

use bytes::Bytes;
use serde::{
    Deserialize,
    de::{DeserializeOwned, DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor},
    forward_to_deserialize_any,
};
use serving::numbers;

use base::blocking::blocking;

/// A list grows to twice its length.
const NEXT: usize = 2;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// It has another form.
    Malformed,
    /// It would take more than the room.
    TooLarge,
}

/// Reads it within so many bytes of memory; tells how many it takes, roughly and at most.
pub(super) fn read<'de, T: Deserialize<'de>>(
    json: &'de [u8],
    room: usize,
) -> Result<(T, usize), Unread> {
    let meter = Meter {
        left: Cell::new(room),
        is_over: Cell::new(false),
    };
    let mut json = serde_json::Deserializer::from_slice(json);
    let read = T::deserialize(meter.over(&mut json)).and_then(|read| json.end().map(|()| read));
    match read {
        Ok(read) => Ok((read, room - meter.left.get())),
        Err(_) if meter.is_over.get() => Err(Unread::TooLarge),
        Err(_) => Err(Unread::Malformed),
    }
}

/// Reads it within so much memory, away from the threads that answer requests if it is long; returns how much it takes.
pub(super) async fn parsed<T>(body: Bytes, room: usize) -> Result<(T, usize), Unread>
where
    T: DeserializeOwned + Send + 'static,
{
    // Larger ones would hold up other requests.
    let is_small = body.len() <= 64 * 1024;
    let parse = move || {
        // What such a number belongs to is left out by itself, with an entry.
        let mut body = Vec::from(body);
        numbers::mask_unstorable(&mut body);
        read(&body, room)
    };
    if is_small {
        parse()
    } else {
        blocking(parse).await
    }
}

struct Meter {
    left: Cell<usize>,
    is_over: Cell<bool>,
}

impl Meter {
    const fn over<T>(&self, inner: T) -> Metered<'_, T> {
        Metered { inner, meter: self }
    }

    fn charge<E: Error>(&self, bytes: usize) -> Result<(), E> {
        let left = self.left.get().checked_sub(bytes);
        self.is_over.set(left.is_none());
        self.left.set(left.ok_or_else(|| E::custom("too large"))?);
        Ok(())
    }

    /// A text takes 32 bytes besides its characters.
    fn charge_text<E: Error>(&self, text: &str) -> Result<(), E> {
        self.charge(if text.is_empty() { 0 } else { 32 + text.len() })
    }
}

/// A part of a reader that charges what passes through it.
struct Metered<'m, T> {
    inner: T,
    meter: &'m Meter,
}

impl<'de, D: Deserializer<'de>> Deserializer<'de> for Metered<'_, D> {
    type Error = D::Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_any(self.meter.over(visitor))
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_option(self.meter.over(visitor))
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, D::Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, D::Error> {
        self.inner.deserialize_ignored_any(visitor)
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct map struct enum identifier
    }
}

impl<'de, V: Visitor<'de>> Visitor<'de> for Metered<'_, V> {
    type Value = V::Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.inner.expecting(f)
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<V::Value, E> {
        self.inner.visit_bool(value)
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<V::Value, E> {
        self.inner.visit_i64(value)
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<V::Value, E> {
        self.inner.visit_u64(value)
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<V::Value, E> {
        self.inner.visit_f64(value)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<V::Value, E> {
        self.meter.charge_text(text)?;
        self.inner.visit_str(text)
    }

    fn visit_borrowed_str<E: Error>(self, text: &'de str) -> Result<V::Value, E> {
        self.meter.charge_text(text)?;
        self.inner.visit_borrowed_str(text)
    }

    fn visit_unit<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_unit()
    }

    fn visit_none<E: Error>(self) -> Result<V::Value, E> {
        self.inner.visit_none()
    }

    fn visit_some<D: Deserializer<'de>>(self, input: D) -> Result<V::Value, D::Error> {
        self.inner.visit_some(self.meter.over(input))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<V::Value, A::Error> {
        self.inner.visit_seq(Elements {
            list,
            meter: self.meter,
            // The first element of a list makes room for so many.
            times: 4,
        })
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<V::Value, A::Error> {
        self.inner.visit_map(Entries {
            map,
            meter: self.meter,
            // A node of a tree has room for so many.
            times: 12,
            is_kept: false,
        })
    }
}

impl<'de, S: DeserializeSeed<'de>> DeserializeSeed<'de> for Metered<'_, S> {
    type Value = S::Value;

    fn deserialize<D: Deserializer<'de>>(self, input: D) -> Result<S::Value, D::Error> {
        self.inner.deserialize(self.meter.over(input))
    }
}

struct Elements<'m, A> {
    list: A,
    meter: &'m Meter,
    /// As much room as so many of them does the next one take.
    times: usize,
}

impl<'de, A: SeqAccess<'de>> SeqAccess<'de> for Elements<'_, A> {
    type Error = A::Error;

    fn next_element_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        let element = self.list.next_element_seed(self.meter.over(seed))?;
        if element.is_some() {
            self.meter.charge(self.times * size_of::<S::Value>())?;
            self.times = NEXT;
        }
        Ok(element)
    }
}

struct Entries<'m, A> {
    map: A,
    meter: &'m Meter,
    times: usize,
    /// Whether they are kept as they come. Those of a struct have their place in it already.
    is_kept: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Entries<'_, A> {
    type Error = A::Error;

    fn next_key_seed<S: DeserializeSeed<'de>>(
        &mut self,
        seed: S,
    ) -> Result<Option<S::Value>, A::Error> {
        // The names of a struct's fields are read as numbers.
        self.is_kept = size_of::<S::Value>() >= size_of::<String>();
        if !self.is_kept {
            return self.map.next_key_seed(seed);
        }
        let key = self.map.next_key_seed(self.meter.over(seed))?;
        if key.is_some() {
            self.meter.charge(self.times * size_of::<S::Value>())?;
        }
        Ok(key)
    }

    fn next_value_seed<S: DeserializeSeed<'de>>(&mut self, seed: S) -> Result<S::Value, A::Error> {
        let value = self.map.next_value_seed(self.meter.over(seed))?;
        if self.is_kept {
            self.meter.charge(self.times * size_of::<S::Value>())?;
            self.times = NEXT;
        }
        Ok(value)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde_json::{Value, json};

    use super::*;

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(untagged)]
    enum Either {
        Number(i64),
        Named { name: String },
    }

    #[derive(Debug, Deserialize, PartialEq)]
    struct Thing {
        #[serde(default)]
        either: Vec<Either>,
        value: Option<Value>,
        share: Option<f64>,
        #[serde(default)]
        more: BTreeMap<String, Self>,
    }

    #[test]
    fn what_is_read_is_what_is_read_without_a_meter() {
        for text in [
            r#"{}"#,
            r#"{"either": [1, {"name": "a\n"}], "share": 5, "unknown": [[{}]]}"#,
            r#"{"value": null, "share": null, "more": {"a": {"value": [1.5, -2, true, "x", {"y": []}]}}}"#,
            r#"{"value": {"a": 1}} "#,
            r#"{"either": 5}"#,
            r#"{"either": [1.5]}"#,
            r#"{"more": []}"#,
            r#"{"value": 1} x"#,
            r#"{"value": [1, }"#,
            "",
        ] {
            let plainly = serde_json::from_str::<Thing>(text);
            match read::<Thing>(text.as_bytes(), 100_000) {
                Ok((metered, _)) => assert_eq!(metered, plainly.unwrap(), "{text}"),
                Err(why) => {
                    assert_eq!(why, Unread::Malformed, "{text}");
                    assert!(plainly.is_err(), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_it_becomes_is_charged_and_not_its_length() {
        let zeros = |count: usize| json!({"value": vec![0; count]}).to_string();
        let (_, taken) = read::<Thing>(zeros(1_000).as_bytes(), 1_000_000).unwrap();
        assert!((64_000..70_000).contains(&taken), "{taken}");
        assert_eq!(
            read::<Thing>(zeros(1_000).as_bytes(), taken - 1),
            Err(Unread::TooLarge)
        );
        for (text, least) in [
            // Lists of structs that say nothing.
            (
                r#"{"either": [1, 2, 3, 4, 5, 6, 7, 8]}"#.to_owned(),
                8 * size_of::<Either>(),
            ),
            (
                r#"{"more": {"a": {}}}"#.to_owned(),
                11 * size_of::<(String, Thing)>(),
            ),
            (r#"{"value": [{"a": 0}, {"a": 0}]}"#.to_owned(), 2 * 600),
            (json!({"value": "x".repeat(5_000)}).to_string(), 5_000),
        ] {
            let (_, taken) = read::<Thing>(text.as_bytes(), 1_000_000).unwrap();
            assert!(taken >= least, "{text}: {taken}");
        }
        let unread = json!({"unknown": vec!["x"; 1_000]}).to_string();
        let (_, taken) = read::<Thing>(unread.as_bytes(), 1_000_000).unwrap();
        assert_eq!(taken, 0);
    }

    #[tokio::test]
    async fn a_number_that_cannot_be_read_does_not_fail_the_whole_answer() {
        let body =
            Bytes::from_static(br#"[{"key": "a", "value": 1e400}, {"key": "b", "value": 1e-400}]"#);
        let (parsed, _): (Value, usize) = parsed(body, 100_000).await.unwrap();
        // Neither can be stored, and both belong to one flag only.
        assert_eq!(
            parsed,
            json!([{"key": "a", "value": 9e99}, {"key": "b", "value": 9e99}])
        );
    }
}
