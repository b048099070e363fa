//! Words of a search: all of them must occur, in any order and case, and each is taken literally.

use sqlx::{Postgres, QueryBuilder};

/// Further words of a search are ignored.
const MOST: usize = 20;

/// What is searched of a flag `f`.
pub(crate) const FLAG_TEXT: &str =
    "concat_ws(E'\\n', f.key, f.name, f.description, array_to_string(f.tags, E'\\n'))";

/// The words of a text, without repetitions.
pub(crate) fn words(text: Option<&str>) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.unwrap_or_default().split_whitespace() {
        if words.len() < MOST && words.iter().all(|known| known != word) {
            words.push(word.to_owned());
        }
    }
    words
}

/// Whether a text has all words. It is computed once for all of them.
pub(crate) fn push_has_words(query: &mut QueryBuilder<Postgres>, text: &str, words: &[String]) {
    let patterns: Vec<_> = words.iter().map(|word| pattern(word)).collect();
    query
        .push("lower(")
        .push(text)
        .push(") LIKE ALL (string_to_array(lower(")
        .push_bind(patterns.join("\n"))
        .push("), E'\\n'))");
}

/// The pattern of a text that contains the word.
fn pattern(word: &str) -> String {
    let mut pattern = String::from("%");
    for character in word.chars() {
        if matches!(character, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern.push('%');
    pattern
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_split_into_different_words() {
        assert_eq!(words(Some("  new\tcheck new ")), ["new", "check"]);
        assert_eq!(words(None), [""; 0]);
        let many: Vec<_> = (0..30).map(|number| number.to_string()).collect();
        assert_eq!(words(Some(&many.join(" "))).len(), MOST);
    }

    #[test]
    fn signs_of_patterns_are_taken_literally() {
        assert_eq!(pattern(r"50%_\x"), r"%50\%\_\\x%");
    }
}
