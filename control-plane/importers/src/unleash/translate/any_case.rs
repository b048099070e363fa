//! Patterns for texts whose case does not matter.
//!
//! Unleash compares lower-case forms, a pattern compares by case folding, and the two differ for some letters: `ſ` folds to `s`
//! and has no other lower case; `İ` has `i` and a dot as its lower case, and folds to nothing.

use std::{collections::HashMap, sync::LazyLock};

/// Where in a text another one is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Start,
    Anywhere,
    End,
}

/// Letters by their lower case, where that is one letter; only those that have several.
static UPPER: LazyLock<HashMap<char, Vec<char>>> = LazyLock::new(|| {
    let mut letters: HashMap<char, Vec<char>> = HashMap::new();
    for letter in '\0'..=char::MAX {
        let mut lower = letter.to_lowercase();
        if let (Some(lower), None) = (lower.next(), lower.next())
            && lower != letter
        {
            letters
                .entry(lower)
                .or_insert_with(|| vec![lower])
                .push(letter);
        }
    }
    letters
});

/// The lower case of `İ` is `i` followed by this.
const DOT_ABOVE: char = '\u{307}';

/// A pattern that finds what is equal in lower case.
pub(super) fn pattern(text: &str, place: Place) -> String {
    let lower = text.to_lowercase();
    let (start, end) = match place {
        Place::Start => ("^", ""),
        Place::Anywhere => ("", ""),
        Place::End => ("", "$"),
    };
    // What follows the text may be the dot of an `İ`.
    let (body, last) = match lower.strip_suffix('i') {
        Some(body) if place != Place::End => (body, "[iIİ]"),
        _ => (lower.as_str(), ""),
    };
    let (flags, body) = match (body.is_ascii(), body.contains('s'), body.contains('k')) {
        (true, false, _) => ("(?i)", regex::escape(body)),
        // Without Unicode `s` is not `ſ`, but neither is `k` the Kelvin sign.
        (true, true, false) => ("(?i-u)", regex::escape(body)),
        _ => ("", classes(body)),
    };
    // A class with `İ` needs Unicode, under which its `i` and `I` need no flag.
    if flags == "(?i-u)" && !last.is_empty() {
        return format!(
            "{start}{}{last}",
            classes(lower.strip_suffix('i').unwrap_or_default())
        );
    }
    if flags.is_empty() || body.is_empty() {
        return format!("{start}{body}{last}{end}");
    }
    format!("{flags}{start}{body}{last}{end}")
}

/// Whether a pattern can stand for the text at all: the lower case of a sigma depends on the letters around it, and a dot may belong
/// to the letter before.
pub(super) fn is_regular(text: &str) -> bool {
    !text.to_lowercase().contains(['σ', 'ς', DOT_ABOVE])
}

fn classes(lower: &str) -> String {
    let mut pattern = String::new();
    for letter in lower.chars() {
        match UPPER.get(&letter) {
            Some(letters) => {
                pattern.push('[');
                pattern.extend(letters);
                pattern.push(']');
            }
            None => pattern.push_str(&regex::escape(letter.encode_utf8(&mut [0; 4]))),
        }
    }
    pattern
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn plain_texts_make_plain_patterns() {
        assert_eq!(pattern("@Acme.com", Place::End), r"(?i)@acme\.com$");
        assert_eq!(pattern("users", Place::Start), "(?i-u)^users");
        assert_eq!(pattern("", Place::Anywhere), "");
        assert_eq!(pattern("20%", Place::Anywhere), "(?i)20%");
    }

    #[test]
    fn patterns_find_what_is_equal_in_lower_case() {
        let letters = [
            "s", "S", "ſ", "k", "K", "\u{212a}", "i", "I", "İ", "ı", "ß", "ẞ", "SS", "ä", "Ä", "é",
            "É", "Ⅷ", "ⅷ", "Ω", "ω", "\u{2126}", "ǅ", "x",
        ];
        for text in letters
            .iter()
            .chain(&["tasks", "si", "ski", "hi", "STRASSE", "straße"])
        {
            for place in [Place::Start, Place::Anywhere, Place::End] {
                if !is_regular(text) {
                    continue;
                }
                let regex = Regex::new(&pattern(text, place)).unwrap();
                for before in letters {
                    for found in letters.iter().chain(&[
                        "TASKS", "ſi", "SI", "SKİ", "Hİ", "strasse", "STRAßE", "straẞe",
                    ]) {
                        let (context, wanted) = (format!("{before}{found}"), text.to_lowercase());
                        let lower = context.to_lowercase();
                        let expected = match place {
                            Place::Start => lower.starts_with(&wanted),
                            Place::Anywhere => lower.contains(&wanted),
                            Place::End => lower.ends_with(&wanted),
                        };
                        assert_eq!(
                            regex.is_match(&context),
                            expected,
                            "{text} in {context}: {regex}"
                        );
                    }
                }
            }
        }
    }
}
