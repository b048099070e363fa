//! Text of others in a terminal: what would move the cursor, colour, hide or turn text is written as what it is.

use std::fmt::Write;

/// Whether a terminal would do something else with it than show it.
fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
        )
}

/// A text in one line that only shows what it says.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' => shown.push_str("\\n"),
            '\t' => shown.push_str("\\t"),
            '\r' => shown.push_str("\\r"),
            hidden if is_hidden(hidden) => {
                push(&mut shown, format_args!("\\u{{{:x}}}", u32::from(hidden)));
            }
            plain => shown.push(plain),
        }
    }
    shown
}

/// Text that may have lines, such as a document that is no JSON.
#[must_use]
pub(super) fn lines(text: &str) -> String {
    text.lines().map(|line| escape(line) + "\n").collect()
}

/// A document of JSON in which such characters are written as JSON writes them. They are only in its texts: outside of them JSON has
/// line feeds and spaces.
pub(super) fn json(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if character != '\n' && is_hidden(character) {
            push(&mut shown, format_args!("\\u{:04x}", u32::from(character)));
        } else {
            shown.push(character);
        }
    }
    shown
}

fn push(to: &mut String, what: std::fmt::Arguments<'_>) {
    to.write_fmt(what).expect("a text can be written to");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_of_others_cannot_act_on_a_terminal() {
        let evil = "a\u{1b}[31mb\r\n\u{9b}c\u{202e}d\u{7f}";
        let shown = escape(evil);
        assert_eq!(shown, "a\\u{1b}[31mb\\r\\n\\u{9b}c\\u{202e}d\\u{7f}");
        assert_eq!(escape("Ünï 漢字 😀"), "Ünï 漢字 😀");
        assert_eq!(lines("a\u{7}\nb"), "a\\u{7}\nb\n");
    }

    #[test]
    fn json_stays_the_same_value() {
        let value = serde_json::json!({"a": "b\u{9b}\u{202e}\u{1b}\n"});
        let text = json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(
            !text
                .chars()
                .any(|character| character != '\n' && is_hidden(character))
        );
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&text).unwrap(),
            value
        );
    }
}
