//! When text can stand as it is, and how it is quoted when not.

use std::borrow::Cow;

/// Where a scalar stands.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Within {
    /// A value in block style.
    Block,
    /// A key in block style.
    Key,
    /// An element of a list in brackets.
    Brackets,
}

/// What readers of YAML 1.1 or 1.2 do not take for text, in lower case.
const WORDS: &[&str] = &[
    "", "~", "null", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "=",
];

/// A text in one line: plain if it can be.
pub(super) fn scalar_text(text: &str, within: Within) -> Cow<'_, str> {
    if text.chars().any(must_be_escaped) {
        return Cow::Owned(double_quoted(text));
    }
    if is_plain(text, within) {
        return Cow::Borrowed(text);
    }
    let has_escapes = text.contains(['\\', '"']);
    if has_escapes && !text.contains('\'') {
        return Cow::Owned(format!("'{text}'"));
    }
    Cow::Owned(double_quoted(text))
}

/// The header of the literal block that says just this text, if one does: `|` or `|-`.
pub(super) fn literal(text: &str) -> Option<&'static str> {
    let (header, body) = match text.strip_suffix('\n') {
        Some(body) => ("|", body),
        None => ("|-", text),
    };
    let is_block = text.contains('\n') && !body.ends_with('\n');
    let starts_well = !body.starts_with(['\n', ' ']);
    let shows_all = body
        .split('\n')
        .all(|line| !line.ends_with(is_blank) && !line.chars().any(must_be_escaped));
    (is_block && starts_well && !body.is_empty() && shows_all).then_some(header)
}

fn is_blank(letter: char) -> bool {
    letter.is_whitespace()
}

fn is_plain(text: &str, within: Within) -> bool {
    let is_word = text.len() <= 5 && WORDS.iter().any(|word| text.eq_ignore_ascii_case(word));
    if is_word || looks_like_number(text) || text.starts_with(is_blank) || text.ends_with(is_blank)
    {
        return false;
    }
    // Indicators, and what some reader or other takes for the start of a number or the end of a document.
    if text.starts_with(|first: char| first.is_ascii_punctuation() && !"_/$(^;\\".contains(first)) {
        return false;
    }
    if text.contains(": ") || text.contains(" #") || text.ends_with(':') {
        return false;
    }
    within != Within::Brackets || !text.contains([',', '[', ']', '{', '}', ':'])
}

/// Whether some reader might take it for a number, a date or a time.
fn looks_like_number(text: &str) -> bool {
    let bytes = text.as_bytes();
    if !bytes.first().is_some_and(u8::is_ascii_digit) {
        return false;
    }
    let has_radix = matches!(bytes, [b'0', b'x' | b'X' | b'o' | b'O' | b'b' | b'B', ..]);
    let is_date = bytes.len() > 5 && bytes[..4].iter().all(u8::is_ascii_digit) && bytes[4] == b'-';
    has_radix
        || is_date
        || bytes
            .iter()
            .all(|byte| byte.is_ascii_digit() || b"_.,:eE+-".contains(byte))
}

/// Controls, what YAML does not allow, and what nobody sees or what makes a line look like another one.
fn must_be_escaped(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{ad}' | '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}' | '\u{fffe}' | '\u{ffff}'
        )
}

fn double_quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter => push_escaped(&mut out, letter),
        }
    }
    out.push('"');
    out
}

/// Writes a letter, by its number if it must not stand as it is.
pub(super) fn push_escaped(out: &mut String, letter: char) {
    if must_be_escaped(letter) {
        // All such letters are of the first plane, which four digits reach.
        out.push_str(&format!("\\u{:04x}", u32::from(letter)));
    } else {
        out.push(letter);
    }
}
