//! User-chosen names in mail, shown so that no mail program turns them into links.
//!
//! The reader did not choose the name, and would follow a link in our mail because we sent it.

use crate::input::breaks_a_line;

/// Characters that mail programs and browsers take for the dot of an address.
const DOTS: [char; 5] = ['.', '\u{2024}', '\u{3002}', '\u{ff0e}', '\u{ff61}'];

/// A name on one line, with blanks that break up addresses of pages and mailboxes: after a dot or an at sign within a word, after
/// the colon of a scheme, between slashes.
pub(super) fn shown(name: &str) -> String {
    let mut shown = String::with_capacity(name.len());
    let mut before = ' ';
    let mut characters = name.chars().filter(|c| !is_invisible(*c)).peekable();
    while let Some(character) = characters.next() {
        let character = if breaks_a_line(character) {
            ' '
        } else {
            character
        };
        shown.push(character);
        let continues = characters.peek().is_some_and(|next| !next.is_whitespace());
        let joins = match character {
            '@' | '\u{ff20}' => true,
            ':' | '\u{ff1a}' => before.is_alphabetic() || characters.peek() == Some(&'/'),
            '/' => characters.peek() == Some(&'/'),
            dot => DOTS.contains(&dot),
        };
        if joins && continues {
            shown.push(' ');
        }
        before = character;
    }
    shown
}

/// Zero-width characters, which could hide between the parts of an address, and characters that change the direction of text.
const fn is_invisible(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_pages_and_mailboxes_fall_apart() {
        for (name, expected) in [
            ("https://evil.example/win", "https: / /evil. example/win"),
            ("HTTP://LOCALHOST", "HTTP: / /LOCALHOST"),
            (
                "win at www.evil.example now",
                "win at www. evil. example now",
            ),
            ("evil.example", "evil. example"),
            ("evil\u{3002}example", "evil\u{3002} example"),
            ("evil.\u{200b}example", "evil. example"),
            ("eve@evil.example", "eve@ evil. example"),
            ("mailto:eve", "mailto: eve"),
            ("tel:+4912345", "tel: +4912345"),
            ("//evil/path", "/ /evil/path"),
        ] {
            assert_eq!(shown(name), expected);
            assert_eq!(shown(expected), expected, "shown twice");
        }
    }

    #[test]
    fn ordinary_names_stay_as_they_are() {
        for name in [
            "Ada Lovelace",
            "Acme, Inc.",
            "Team: Red (12:30)",
            "AC/DC",
            "Grüße & Söhne",
            "Dr. Who",
            "",
        ] {
            assert_eq!(shown(name), name);
        }
        assert_eq!(shown("J.R.R. Tolkien"), "J. R. R. Tolkien");
    }

    #[test]
    fn a_name_stays_on_its_line() {
        assert_eq!(shown("Ada\r\nBcc: x\u{2028}y"), "Ada  Bcc: x y");
    }
}
