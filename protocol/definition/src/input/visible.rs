//! Text of clients in headers and warnings.

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// Characters that are invisible or that delimit lists in headers.
const HIDDEN: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'%').add(b',').add(b';');

/// The text in visible ASCII; other characters, commas and semicolons are percent-encoded. Cut after 100
/// characters.
pub fn visible(text: &str) -> String {
    let mut shown = String::new();
    for piece in text.chars() {
        let mut bytes = [0; 4];
        let encoded = utf8_percent_encode(piece.encode_utf8(&mut bytes), HIDDEN).to_string();
        if shown.len() + encoded.len() > 100 {
            shown.push_str("...");
            break;
        }
        shown.push_str(&encoded);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_visible_ascii_that_parts_no_list_is_left() {
        assert_eq!(visible("rules[0].segment_keys"), "rules[0].segment_keys");
        assert_eq!(
            visible("a b,c;d%\r\n\"é\u{0}"),
            "a%20b%2Cc%3Bd%25%0D%0A%22%C3%A9%00"
        );
    }

    #[test]
    fn of_a_long_text_whole_characters_are_left() {
        assert_eq!(visible(&"a".repeat(100)), "a".repeat(100));
        assert_eq!(visible(&"a".repeat(101)), format!("{}...", "a".repeat(100)));
        assert_eq!(
            visible(&"é".repeat(5_000)),
            format!("{}...", "%C3%A9".repeat(16))
        );
    }
}
