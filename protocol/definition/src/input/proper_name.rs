//! Names of people and organizations, which are put into mails.

use super::{Invalid, is_longer_than, required, turns};

/// Checks the name in the field `field`: 1 to 255 characters, not blank, no line breaks, control characters or characters that change the
/// direction of text.
pub fn proper_name(field: &str, text: Option<String>) -> Result<String, Invalid> {
    let text = required(field, text)?;
    if is_longer_than(&text, 255) {
        return Err(Invalid::new(format!(
            "{field} must have at most 255 characters"
        )));
    }
    if text.chars().any(|one| breaks_a_line(one) || turns(one)) {
        return Err(Invalid::new(format!(
            "{field} must not contain control characters"
        )));
    }
    Ok(text)
}

/// Control characters, and line and paragraph separators of Unicode.
pub fn breaks_a_line(character: char) -> bool {
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_one_line_of_text() {
        assert!(proper_name("name", Some("Ada Lovelace".to_owned())).is_ok());
        assert!(proper_name("name", Some("ü".repeat(255))).is_ok());
        for text in [None, Some(String::new()), Some(" ".to_owned())] {
            assert_eq!(
                proper_name("org_name", text),
                Err(Invalid::new("org_name is required"))
            );
        }
        for text in [
            "Ada\r\nBcc: x@y.z".to_owned(),
            "Ada\u{2028}Eve".to_owned(),
            "Ada\u{7f}".to_owned(),
            "Ada\u{202e}Eve".to_owned(),
            "ü".repeat(256),
        ] {
            assert!(proper_name("name", Some(text)).is_err());
        }
    }
}
