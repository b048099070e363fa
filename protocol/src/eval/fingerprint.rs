//! The fingerprint of a context: equal for contexts that say the same, in whatever order.
//!
//! Caching relies on it: equal fingerprints and equal environments give equal answers. The reverse need not hold: `1`
//! and `1.0` have different fingerprints, which costs one evaluation and nothing else.

use std::borrow::Cow;

use sha2::{Digest as _, Sha256};

use super::{Attribute, Context};

impl Context<'_> {
    /// SHA-256 of the canonical form: attributes sorted by name, and the last one of equal names.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hash = Sha256::new();
        text(&mut hash, &self.key);
        members(&mut hash, &self.attributes.0);
        hash.finalize().into()
    }
}

fn members(hash: &mut Sha256, members: &[(Cow<'_, str>, Attribute<'_>)]) {
    // Reversed before a stable sort, the last of equal names comes first, and the first is the one that stays.
    let mut sorted: Vec<_> = members.iter().rev().collect();
    sorted.sort_by(|(a, _), (b, _)| a.cmp(b));
    sorted.dedup_by(|(later, _), (kept, _)| later == kept);
    length(hash, sorted.len());
    for (name, member) in sorted {
        text(hash, name);
        value(hash, member);
    }
}

fn value(hash: &mut Sha256, value: &Attribute<'_>) {
    match value {
        Attribute::Null => hash.update(b"n"),
        Attribute::Bool(value) => hash.update([b'b', u8::from(*value)]),
        Attribute::Int(value) => number(hash, b'i', value.to_le_bytes()),
        Attribute::Uint(value) => number(hash, b'u', value.to_le_bytes()),
        Attribute::Float(value) => number(hash, b'f', value.to_bits().to_le_bytes()),
        Attribute::Text(value) => {
            hash.update(b"t");
            text(hash, value);
        }
        Attribute::Array(elements) => {
            hash.update(b"a");
            length(hash, elements.len());
            elements
                .iter()
                .for_each(|element| self::value(hash, element));
        }
        Attribute::Object(inner) => {
            hash.update(b"o");
            members(hash, inner);
        }
    }
}

fn number(hash: &mut Sha256, tag: u8, bytes: [u8; 8]) {
    hash.update([tag]);
    hash.update(bytes);
}

fn text(hash: &mut Sha256, text: &str) {
    length(hash, text.len());
    hash.update(text);
}

/// Precedes everything of variable length, so that no two contexts are hashed as the same bytes.
fn length(hash: &mut Sha256, length: usize) {
    hash.update((length as u64).to_le_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(body: &str) -> [u8; 32] {
        serde_json::from_str::<Context<'_>>(body)
            .unwrap()
            .fingerprint()
    }

    #[test]
    fn order_makes_no_difference_at_any_depth() {
        assert_eq!(
            of(r#"{"key": "u", "attributes": {"a": 1, "b": {"x": [1, null], "y": true}}}"#),
            of(r#"{"attributes": {"b": {"y": true, "x": [1, null]}, "a": 1}, "key": "u"}"#)
        );
        assert_eq!(
            of(r#"{"key": "u", "attributes": {"a": 1, "a": 2}}"#),
            of(r#"{"key": "u", "attributes": {"a": 2}}"#)
        );
        assert_eq!(of(r#"{"key": "u"}"#), Context::new("u").fingerprint());
    }

    #[test]
    fn everything_that_is_said_makes_a_difference() {
        let said = [
            r#"{"key": "u"}"#,
            r#"{"key": "v"}"#,
            r#"{"key": "u", "attributes": {"a": null}}"#,
            r#"{"key": "u", "attributes": {"a": false}}"#,
            r#"{"key": "u", "attributes": {"a": 1}}"#,
            r#"{"key": "u", "attributes": {"a": -1}}"#,
            r#"{"key": "u", "attributes": {"a": 1.5}}"#,
            r#"{"key": "u", "attributes": {"a": "1"}}"#,
            r#"{"key": "u", "attributes": {"a": ["1"]}}"#,
            r#"{"key": "u", "attributes": {"a": ["1", "2"]}}"#,
            r#"{"key": "u", "attributes": {"a": ["2", "1"]}}"#,
            r#"{"key": "u", "attributes": {"a": {"1": "2"}}}"#,
            r#"{"key": "u", "attributes": {"b": 1}}"#,
            r#"{"key": "ua", "attributes": {"b": 1}}"#,
        ];
        let mut fingerprints: Vec<_> = said.map(of).into();
        fingerprints.sort_unstable();
        fingerprints.dedup();
        assert_eq!(fingerprints.len(), said.len());
    }
}
