//! Texts of others in code: literals and comments that they cannot break out of.

use crate::output::escape;

/// Whether it is written as its number: what moves, hides or turns text, and what some language ends a line at.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || matches!(
            letter,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// A text between quotes, with hidden letters as `hidden` writes them.
fn quoted(text: &str, quote: char, hidden: fn(u32) -> String) -> String {
    let mut made = String::from(quote);
    for letter in text.chars() {
        match letter {
            '\n' => made.push_str("\\n"),
            '\r' => made.push_str("\\r"),
            '\t' => made.push_str("\\t"),
            '\\' => made.push_str("\\\\"),
            letter if letter == quote => made.extend(['\\', letter]),
            letter if is_hidden(letter) => made.push_str(&hidden(u32::from(letter))),
            letter => made.push(letter),
        }
    }
    made.push(quote);
    made
}

/// All hidden letters have at most four digits.
fn four_digits(number: u32) -> String {
    format!("\\u{number:04x}")
}

/// As Prettier, Black and Ruff have it: in the quotes that need fewer escapes.
pub(super) fn in_either_quotes(text: &str) -> String {
    let count = |quote| text.matches(quote).count();
    let quote = if count('"') > count('\'') { '\'' } else { '"' };
    quoted(text, quote, four_digits)
}

/// As `gofmt` has it.
pub(super) fn go(text: &str) -> String {
    quoted(text, '"', four_digits)
}

/// As `rustfmt` has it.
pub(super) fn rust(text: &str) -> String {
    quoted(text, '"', |number| format!("\\u{{{number:x}}}"))
}

/// The lines of a description, without what a comment would do something else with than show it.
pub(super) fn lines(text: &str) -> Vec<String> {
    let ends = [
        '\n', '\r', '\u{b}', '\u{c}', '\u{85}', '\u{2028}', '\u{2029}',
    ];
    let lines = text.trim().split(ends);
    let mut lines: Vec<_> = lines.map(|line| escape(line.trim_end())).collect();
    lines.dedup_by(|one, other| one.is_empty() && other.is_empty());
    lines.retain({
        let all_empty = lines.iter().all(String::is_empty);
        move |_| !all_empty
    });
    lines
}

/// A text as a part of a line of a comment.
pub(super) fn inline(text: &str) -> String {
    escape(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_end_where_their_text_does() {
        let evil = "a\"b'c\\d\n\u{2028}\u{202e}\u{0}${x}`";
        assert_eq!(
            in_either_quotes(evil),
            "\"a\\\"b'c\\\\d\\n\\u2028\\u202e\\u0000${x}`\""
        );
        assert_eq!(go(evil), "\"a\\\"b'c\\\\d\\n\\u2028\\u202e\\u0000${x}`\"");
        assert_eq!(
            rust(evil),
            "\"a\\\"b'c\\\\d\\n\\u{2028}\\u{202e}\\u{0}${x}`\""
        );
        assert_eq!(in_either_quotes("say \"hi\""), "'say \"hi\"'");
    }

    #[test]
    fn lines_of_a_description_are_all_lines_that_a_language_sees() {
        assert_eq!(
            lines(" a\r\n\r\n\r\nb\u{2028}c\u{85}d\u{b}e\u{0} "),
            ["a", "", "b", "c", "d", "e\\u{0}"]
        );
        assert!(lines(" \n ").is_empty());
    }
}
