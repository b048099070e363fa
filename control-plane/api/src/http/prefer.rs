//! The preferences of a request (RFC 7240), of which `handling` is known.

use axum::http::HeaderMap;
use serving::layers::cors::PREFER;

/// Bytes of preferences that are read at most. None of longer ones applies, which the answer shows.
const MAX_BYTES: usize = 4 * 1024;

/// Whether a request prefers `handling=strict`. Several headers are one list, of which the first preference of a name counts;
/// malformed preferences count as absent.
pub(super) fn is_strict(headers: &HeaderMap) -> bool {
    let lines = headers.get_all(PREFER);
    let lines: Vec<_> = lines.into_iter().map(|line| line.as_bytes()).collect();
    let length: usize = lines.iter().map(|line| line.len()).sum();
    if length > MAX_BYTES {
        return false;
    }
    let mut handling = lines
        .iter()
        .flat_map(|line| split(line, b','))
        .filter_map(preference)
        .filter(|(name, _)| name.eq_ignore_ascii_case(b"handling"));
    handling
        .next()
        .is_some_and(|(_, value)| value.eq_ignore_ascii_case(b"strict"))
}

/// The parts between separators outside of quotes.
fn split(text: &[u8], separator: u8) -> Vec<&[u8]> {
    let (mut is_quoted, mut is_escaped) = (false, false);
    text.split(|byte| {
        let ends = !is_quoted && *byte == separator;
        let is_quote = *byte == b'"' && !is_escaped;
        is_escaped = is_quoted && *byte == b'\\' && !is_escaped;
        is_quoted ^= is_quote;
        ends
    })
    .collect()
}

/// The name and the value of a preference, without its parameters. `None` if it is malformed.
fn preference(text: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let parts = split(text, b';');
    let (first, parameters) = parts.split_first()?;
    let is_well_formed = |part: &&[u8]| part.trim_ascii().is_empty() || pair(part).is_some();
    if !parameters.iter().all(is_well_formed) {
        return None;
    }
    pair(first)
}

/// `token [ "=" ( token / quoted-string ) ]`; without a value the empty one.
fn pair(text: &[u8]) -> Option<(&[u8], Vec<u8>)> {
    let text = text.trim_ascii();
    let (name, value) = match text.iter().position(|byte| *byte == b'=') {
        None => (text, Vec::new()),
        Some(at) => {
            let value = word(text[at + 1..].trim_ascii_start())?;
            (text[..at].trim_ascii_end(), value)
        }
    };
    is_token(name).then_some((name, value))
}

fn word(text: &[u8]) -> Option<Vec<u8>> {
    match text {
        [b'"', quoted @ .., b'"'] => unquoted(quoted),
        token => is_token(token).then(|| token.to_vec()),
    }
}

/// The text of a quoted string. `None` if a quote is inside, or the last one is escaped.
fn unquoted(quoted: &[u8]) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut bytes = quoted.iter();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return None,
            b'\\' => text.push(*bytes.next()?),
            byte => text.push(*byte),
        }
    }
    Some(text)
}

fn is_token(text: &[u8]) -> bool {
    let is_of_token = |byte: &u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(byte);
    !text.is_empty() && text.iter().all(is_of_token)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn prefers(lines: &[&str]) -> bool {
        let lines = lines
            .iter()
            .map(|line| (PREFER, HeaderValue::from_bytes(line.as_bytes()).unwrap()));
        is_strict(&lines.collect())
    }

    #[test]
    fn strict_handling_is_found_in_any_spelling_and_place() {
        for lines in [
            &["handling=strict"][..],
            &["Handling = STRICT"],
            &["handling=\"strict\""],
            &["handling=\"st\\rict\""],
            &["respond-async, wait=100 , handling=strict;foo=\"a, b; c\""],
            &["return=minimal", "handling=strict"],
            &["foo; bar=\"handling=lenient,\", , handling=strict; ;x"],
            &["x=\"\\\"\", handling=strict"],
            // Malformed preferences count as absent.
            &["handling=, handling=strict"],
            &["a b, =c, handling=strict"],
        ] {
            assert!(prefers(lines), "{lines:?}");
        }
    }

    #[test]
    fn the_first_handling_counts() {
        assert!(prefers(&["handling=strict, handling=lenient"]));
        assert!(!prefers(&["handling=lenient, handling=strict"]));
        assert!(!prefers(&["handling=lenient", "handling=strict"]));
    }

    #[test]
    fn other_preferences_are_no_strict_handling() {
        for lines in [
            &[][..],
            &[""],
            &["handling"],
            &["handling=lenient"],
            &["handling=stricter"],
            &["handling=\"strict"],
            &["handling=strict; =x"],
            &["handling=strict x"],
            &["strict"],
            &["foo; handling=strict"],
            &["foo=\"handling=strict\""],
            &["foo=\"a, handling=strict"],
            &["handling=\"str\"ict\""],
        ] {
            assert!(!prefers(lines), "{lines:?}");
        }
    }

    #[test]
    fn a_long_header_is_not_read() {
        let padding = |length: usize| format!("handling=strict, x={}", "a".repeat(length - 19));
        assert!(prefers(&[&padding(MAX_BYTES)]));
        assert!(!prefers(&[&padding(MAX_BYTES + 1)]));
        assert!(!prefers(&["handling=strict", &padding(MAX_BYTES)]));
    }
}
