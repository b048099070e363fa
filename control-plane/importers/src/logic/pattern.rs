//! Regular expressions of sources. Each source reads them in the dialect of its language, so only what all dialects read alike
//! is exact: literals, `.`, `.*`, `.+` and `^` at the start.

use crate::plan::patterns::compile;

/// A pattern that can be used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pattern {
    /// It finds the same texts everywhere, and never finds a number or a boolean, however they are printed.
    Exact,
    /// Some dialects may find other texts, or numbers and booleans.
    Dialect,
}

/// `None` where the pattern cannot be used here.
pub(crate) fn read(pattern: &str) -> Option<Pattern> {
    compile(pattern)?;
    let is_exact = literals(pattern).is_some_and(|text| text.contains(is_distinct));
    Some(if is_exact {
        Pattern::Exact
    } else {
        Pattern::Dialect
    })
}

/// The characters that each match has.
fn literals(pattern: &str) -> Option<String> {
    let mut text = String::new();
    let mut rest = pattern
        .strip_prefix('^')
        .unwrap_or(pattern)
        .chars()
        .peekable();
    while let Some(next) = rest.next() {
        match next {
            '.' => {
                rest.next_if(|sign| matches!(sign, '*' | '+'));
            }
            '\\' => text.push(rest.next().filter(is_escaped)?),
            '^' | '$' | '*' | '+' | '?' | '(' | ')' | '[' | ']' | '{' | '}' | '|' => return None,
            literal => text.push(literal),
        }
        if rest
            .peek()
            .is_some_and(|sign| matches!(sign, '*' | '+' | '?' | '{'))
        {
            return None;
        }
    }
    Some(text)
}

fn is_escaped(character: &char) -> bool {
    character.is_ascii_punctuation() && !matches!(character, '<' | '>')
}

/// Whether numbers and booleans are printed without it.
fn is_distinct(character: char) -> bool {
    character.is_ascii() && !"0123456789.-+einfatrusl".contains(character.to_ascii_lowercase())
}
