//! The usual body of `POST /v1/evaluate`: a flag key, and a context whose attributes are texts without escapes, booleans,
//! `null` and short whole numbers.
//!
//! Nearly all bodies are like this, and a parser that knows every form takes a third of the time of an evaluation. This one
//! gives up at anything else, right or wrong, and leaves it to serde; what it reads, it reads as serde would.

use std::borrow::Cow;

use protocol::eval::{Attribute, Attributes};

use super::{context::Given, request::Single};

/// Reads the body, if it is a usual one.
pub(super) fn single(body: &str) -> Option<Single<'_>> {
    let mut rest = Rest(body);
    let (mut flag_key, mut given) = (None, None);
    rest.members(|rest, name| match name {
        "flag_key" => put(&mut flag_key, rest.text()),
        "context" => put(&mut given, context(rest)),
        _ => None,
    })?;
    rest.peek().is_none().then_some(Single {
        flag_key: flag_key.map(Cow::Borrowed),
        context: given,
    })
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

/// What is left to read. Nothing is, once anything was not as usual.
struct Rest<'a>(&'a str);

impl<'a> Rest<'a> {
    /// The next byte that is no space, without taking it.
    #[inline]
    fn peek(&mut self) -> Option<u8> {
        loop {
            let byte = *self.0.as_bytes().first()?;
            if !matches!(byte, b' ' | b'\n' | b'\r' | b'\t') {
                return Some(byte);
            }
            self.0 = self.0.get(1..)?;
        }
    }

    #[inline]
    fn take(&mut self, expected: u8) -> Option<()> {
        (self.peek()? == expected).then_some(())?;
        self.0 = self.0.get(1..)?;
        Some(())
    }

    /// Reads the members of an object, each value by `member`.
    #[inline]
    fn members(&mut self, mut member: impl FnMut(&mut Self, &'a str) -> Option<()>) -> Option<()> {
        self.take(b'{')?;
        if self.peek()? == b'}' {
            return self.take(b'}');
        }
        loop {
            let name = self.text()?;
            self.take(b':')?;
            member(self, name)?;
            if self.peek()? == b'}' {
                return self.take(b'}');
            }
            self.take(b',')?;
        }
    }

    fn text(&mut self) -> Option<&'a str> {
        self.take(b'"')?;
        let end = end_of_text(self.0.as_bytes())?;
        let text = self.0.get(..end)?;
        self.0 = self.0.get(end + 1..)?;
        Some(text)
    }

    #[inline]
    fn value(&mut self) -> Option<Attribute<'a>> {
        match self.peek()? {
            b'"' => Some(Attribute::Text(Cow::Borrowed(self.text()?))),
            b't' => self.word("true", Attribute::Bool(true)),
            b'f' => self.word("false", Attribute::Bool(false)),
            b'n' => self.word("null", Attribute::Null),
            _ => self.whole_number(),
        }
    }

    fn word(&mut self, word: &str, value: Attribute<'a>) -> Option<Attribute<'a>> {
        self.0 = self.0.strip_prefix(word)?;
        Some(value)
    }

    /// Digits, without a sign. What may follow those of another number is refused by whoever reads on.
    fn whole_number(&mut self) -> Option<Attribute<'a>> {
        let digits = self.0.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = self.0.split_at_checked(digits)?;
        // More of them may not fit.
        let is_usual = digits < 19 && (digits == 1 || !number.starts_with('0'));
        self.0 = rest;
        let number = number.parse().ok().filter(|_| is_usual)?;
        Some(Attribute::Uint(number))
    }
}

/// Where the quote is that ends a text; `None` if there is none, or an escape or a control character before it.
#[inline]
fn end_of_text(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::MAX / 255;
    // The highest bit of each byte below `bound`, exact up to the first of them.
    let below = |eight: u64, bound: u64| eight.wrapping_sub(ONES * bound) & !eight & (ONES << 7);
    let is = |eight: u64, byte: u8| below(eight ^ (ONES * u64::from(byte)), 1);
    let mut at = 0;
    while let Some(eight) = bytes.get(at..).and_then(<[u8]>::first_chunk) {
        let eight = u64::from_le_bytes(*eight);
        let special = is(eight, b'"') | is(eight, b'\\') | below(eight, 0x20);
        if special != 0 {
            at += special.trailing_zeros() as usize / 8;
            return (bytes[at] == b'"').then_some(at);
        }
        at += 8;
    }
    let left = bytes.get(at..)?.iter();
    let is_special = |byte: &&u8| matches!(**byte, b'"' | b'\\' | ..0x20);
    at += left.clone().take_while(|byte| !is_special(byte)).count();
    (*bytes.get(at)? == b'"').then_some(at)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn by_serde(body: &str) -> Option<String> {
        let read = serde_json::from_str::<Single<'_>>(body);
        read.ok().map(|single| format!("{single:?}"))
    }

    fn read(body: &str) -> Option<String> {
        single(body).map(|single| format!("{single:?}"))
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
            assert_eq!(read(body), None, "{body}");
        }
    }

    fn text() -> impl Strategy<Value = String> {
        prop_oneof![
            4 => "[a-z@ .é-]{0,20}",
            1 => prop::sample::select(vec!["flag_key", "context", "key", "attributes", "plan"])
                .prop_map(str::to_owned),
        ]
    }

    fn usual() -> impl Strategy<Value = serde_json::Value> {
        let value = prop_oneof![
            text().prop_map(|text| json!(text)),
            any::<bool>().prop_map(|value| json!(value)),
            (0..10_u64.pow(18)).prop_map(|value| json!(value)),
            Just(json!(null)),
        ];
        // Also more than are searched one by one.
        let attributes = prop::collection::btree_map(text(), value, 0..24);
        (text(), text(), attributes).prop_map(|(flag_key, key, attributes)| {
            json!({"flag_key": flag_key, "context": {"key": key, "attributes": attributes}})
        })
    }

    /// A piece of a body, so that what follows another one is often what may follow it.
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

    fn body() -> impl Strategy<Value = String> {
        let attributes = object(&["a", "plan", "a\\n", "é"], piece());
        let part = prop_oneof![3 => piece(), 3 => attributes];
        let context = object(&["key", "attributes", "key ", "plan"], part);
        let part = prop_oneof![3 => piece(), 3 => context];
        object(&["flag_key", "context", "contexts"], part)
    }

    proptest! {
        #[test]
        fn a_usual_body_is_read(body in usual(), is_pretty in any::<bool>()) {
            let text = if is_pretty { format!("{body:#}") } else { body.to_string() };
            prop_assert!(read(&text).is_some(), "{text}");
            prop_assert_eq!(read(&text), by_serde(&text));
        }

        #[test]
        fn what_is_read_is_what_serde_reads(body in body(), at in any::<prop::sample::Index>(), byte in 0..128_u8) {
            if let Some(read) = read(&body) {
                prop_assert_eq!(Some(read), by_serde(&body), "{}", body);
            }
            // The same of what is damaged.
            let mut damaged = body.into_bytes();
            let at = at.index(damaged.len());
            damaged[at] = byte;
            if let Some((text, read)) = str::from_utf8(&damaged).ok().and_then(|text| Some((text, read(text)?))) {
                prop_assert_eq!(Some(read), by_serde(text), "{}", text);
            }
        }
    }
}
