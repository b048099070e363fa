//! The usual bodies of `POST /v1/evaluate` and `/v1/evaluate/bulk`: a flag key or several, and a context whose attributes are
//! texts without escapes, booleans, `null` and short whole numbers.
//!
//! Nearly all bodies are like this, and a parser that knows every form takes a third of the time of an evaluation. This one
//! gives up at anything else, right or wrong, and leaves it to serde; what it reads, it reads as serde would.

mod rest;

use std::borrow::Cow;

use protocol::eval::Attributes;

use self::rest::Rest;
use super::{
    context::Given,
    request::{Bulk, MAX_FLAG_KEYS, Single, Text},
};

/// Reads the body of a question about one flag, if it is a usual one.
pub(super) fn single(body: &str) -> Option<Single<'_>> {
    let mut rest = Rest::of(body);
    let (mut flag_key, mut given) = (None, None);
    rest.members(|rest, name| match name {
        "flag_key" => put(&mut flag_key, rest.text()),
        "context" => put(&mut given, context(rest)),
        _ => None,
    })?;
    rest.is_empty().then_some(Single {
        flag_key: flag_key.map(Cow::Borrowed),
        context: given,
    })
}

/// Reads the body of a question about several flags, if it is a usual one.
pub(super) fn bulk(body: &str) -> Option<Bulk<'_>> {
    let mut rest = Rest::of(body);
    let (mut flag_keys, mut given) = (None, None);
    rest.members(|rest, name| match name {
        "flag_keys" => put(&mut flag_keys, flag_keys_in(rest)),
        "context" => put(&mut given, context(rest)),
        _ => None,
    })?;
    rest.is_empty().then_some(Bulk {
        flag_keys,
        context: given,
    })
}

fn flag_keys_in<'a>(rest: &mut Rest<'a>) -> Option<Vec<Text<'a>>> {
    let mut flag_keys = Vec::with_capacity(MAX_FLAG_KEYS);
    rest.elements(|rest| {
        flag_keys.push(Text(Cow::Borrowed(rest.text()?)));
        Some(())
    })?;
    Some(flag_keys)
}

fn context<'a>(rest: &mut Rest<'a>) -> Option<Given<'a>> {
    let (mut key, mut given) = (None, None);
    rest.members(|rest, name| match name {
        "key" => put(&mut key, rest.text()),
        "attributes" => put(&mut given, attributes(rest)),
        _ => None,
    })?;
    Some(Given {
        key: key.map(Cow::Borrowed),
        attributes: given,
        is_flat: false,
    })
}

fn attributes<'a>(rest: &mut Rest<'a>) -> Option<Attributes<'a>> {
    let mut attributes = Vec::with_capacity(4);
    rest.members(|rest, name| {
        attributes.push((Cow::Borrowed(name), rest.value()?));
        Some(())
    })?;
    Some(attributes.into_iter().collect())
}

/// Puts a value that was read where there is none yet.
fn put<T>(place: &mut Option<T>, value: Option<T>) -> Option<()> {
    place.is_none().then(|| *place = value)?;
    place.is_some().then_some(())
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use proptest::prelude::*;
    use serde::Deserialize;
    use serde_json::{Value, json};

    use super::*;

    fn by_serde<'a, T: Debug + Deserialize<'a>>(body: &'a str) -> Option<String> {
        serde_json::from_str::<T>(body).ok().map(shown)
    }

    fn shown(read: impl Debug) -> String {
        format!("{read:?}")
    }

    /// What is read as a question about one flag, and as one about several, where it is what serde reads.
    fn read(body: &str) -> [Option<String>; 2] {
        let one = single(body).map(shown);
        let several = bulk(body).map(shown);
        assert!(
            one.is_none() || one == by_serde::<Single<'_>>(body),
            "{body}"
        );
        assert!(
            several.is_none() || several == by_serde::<Bulk<'_>>(body),
            "{body}"
        );
        [one, several]
    }

    #[test]
    fn what_is_not_usual_is_left_to_serde() {
        for body in [
            "",
            "{",
            "[]",
            "{} x",
            r#"{"flag_key": "f",}"#,
            r#"{"flag_key": "f" "context": {}}"#,
            r#"{"flag_key": "f", "flag_key": "f"}"#,
            r#"{"flag_key": null}"#,
            r#"{"flag_key": "f\n"}"#,
            "{\"flag_key\": \"f\n\"}",
            r#"{"flag_key": "f", "more": 1}"#,
            r#"{"flag_keys": "f"}"#,
            r#"{"flag_keys": ["f",]}"#,
            r#"{"flag_keys": ["f" "g"]}"#,
            r#"{"flag_keys": ["f", null]}"#,
            r#"{"flag_keys": ["f\n"]}"#,
            r#"{"flag_keys": ["f"}"#,
            r#"{"flag_keys": ["f"], "flag_keys": ["f"]}"#,
            r#"{"flag_keys": ["f"], "flag_key": "f"}"#,
            r#"{"context": {"key": "u", "key": "u"}}"#,
            r#"{"context": {"key": "u", "plan": "pro"}}"#,
            r#"{"context": {"attributes": null}}"#,
            r#"{"context": {"attributes": {"a": -1}}}"#,
            r#"{"context": {"attributes": {"a": 1.0}}}"#,
            r#"{"context": {"attributes": {"a": 1e3}}}"#,
            r#"{"context": {"attributes": {"a": 01}}}"#,
            r#"{"context": {"attributes": {"a": 1000000000000000000}}}"#,
            r#"{"context": {"attributes": {"a": [1]}}}"#,
            r#"{"context": {"attributes": {"a": truefalse}}}"#,
        ] {
            assert_eq!(read(body), [None, None], "{body}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z@ .é-]{0,20}",
            1 => prop::sample::select(vec!["flag_key", "context", "key", "attributes", "plan"])
                .prop_map(str::to_owned),
        ]
    }

    /// A question, and whether it is about several flags.
    fn usual() -> impl Strategy<Value = (Value, bool)> {
        let value = prop_oneof![
            text().prop_map(|text| json!(text)),
            any::<bool>().prop_map(|value| json!(value)),
            (0..10_u64.pow(18)).prop_map(|value| json!(value)),
            Just(json!(null)),
        ];
        // Also more than are searched one by one.
        let attributes = prop::collection::btree_map(text(), value, 0..24);
        let flag_keys = prop::collection::vec(text(), 0..120);
        let all = (flag_keys, text(), attributes, any::<bool>());
        all.prop_map(|(flag_keys, key, attributes, are_several)| {
            let context = json!({"key": key, "attributes": attributes});
            let question = if are_several {
                json!({"flag_keys": flag_keys, "context": context})
            } else {
                json!({"flag_key": flag_keys.concat(), "context": context})
            };
            (question, are_several)
        })
    }

    fn piece() -> impl Strategy<Value = String> {
        let plain = text().prop_map(|text| format!("\"{text}\""));
        let other = prop::sample::select(vec![
            r#""\n""#,
            r#""\u0041""#,
            "true",
            "false",
            "null",
            "0",
            "00",
            "-0",
            "17",
            "-1",
            "1.5",
            "1e3",
            "999999999999999999",
            "9999999999999999999",
            "18446744073709551616",
            "[1]",
            "{}",
            "nul",
        ]);
        prop_oneof![3 => plain, 2 => other.prop_map(str::to_owned)]
    }

    fn object(
        name: &'static [&'static str],
        value: impl Strategy<Value = String>,
    ) -> impl Strategy<Value = String> {
        let space = || prop::sample::select(vec!["", "", " ", "\n\t"]);
        let member = (prop::sample::select(name), value, space(), space());
        let member =
            member.prop_map(|(name, value, a, b)| format!("{a}\"{name}\"{b}:{a}{value}{b}"));
        prop::collection::vec(member, 0..5).prop_map(|members| format!("{{{}}}", members.join(",")))
    }

    fn list() -> impl Strategy<Value = String> {
        let element = (piece(), prop::sample::select(vec!["", "", " ", "\n\t"]));
        let element = element.prop_map(|(piece, space)| format!("{space}{piece}{space}"));
        prop::collection::vec(element, 0..4)
            .prop_map(|elements| format!("[{}]", elements.join(",")))
    }

    fn body() -> impl Strategy<Value = String> {
        let attributes = object(&["a", "plan", "a\\n", "é"], piece());
        let part = prop_oneof![3 => piece(), 3 => attributes];
        let context = object(&["key", "attributes", "key ", "plan"], part);
        let part = prop_oneof![3 => piece(), 2 => list(), 3 => context];
        object(&["flag_key", "flag_keys", "context", "contexts"], part)
    }

    proptest! {
        #[test]
        fn a_usual_body_is_read((body, are_several) in usual(), is_pretty in any::<bool>()) {
            let text = if is_pretty { format!("{body:#}") } else { body.to_string() };
            let [one, several] = read(&text);
            prop_assert_eq!((one.is_some(), several.is_some()), (!are_several, are_several), "{}", text);
        }

        #[test]
        fn what_is_read_is_what_serde_reads(body in body(), at in any::<prop::sample::Index>(), byte in 0..128_u8) {
            read(&body);
            // The same of what is damaged.
            let mut damaged = body.into_bytes();
            let at = at.index(damaged.len());
            damaged[at] = byte;
            if let Ok(text) = str::from_utf8(&damaged) {
                read(text);
            }
        }
    }
}
