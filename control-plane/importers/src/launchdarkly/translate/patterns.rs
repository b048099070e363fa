//! Regular expressions of LaunchDarkly, which each of its SDKs reads in the dialect of its language.

use crate::plan::patterns::compile;

/// What can differ about a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    /// Every dialect reads it alike.
    pub(super) is_plain: bool,
    /// It may match the text of a number or boolean.
    pub(super) may_match_others: bool,
}

/// `None` when Halyard cannot read it.
pub(super) fn read(pattern: &str) -> Option<Pattern> {
    let compiled = compile(pattern)?;
    let scan = Scan::of(pattern);
    let is_word = compiled.is_match("true") || compiled.is_match("false");
    Some(Pattern {
        is_plain: scan.is_plain,
        may_match_others: is_word || !scan.needs_other,
    })
}

/// Whether the text of some number may contain this: digits, one point, and a minus in front.
pub(super) fn may_be_in_number(text: &str) -> bool {
    text.bytes()
        .enumerate()
        .all(|(place, byte)| byte.is_ascii_digit() || byte == b'.' || (byte == b'-' && place == 0))
        && text.bytes().filter(|byte| *byte == b'.').count() <= 1
}

/// What a look at a pattern from left to right tells.
struct Scan {
    is_plain: bool,
    /// No match is without a character that numbers do not have.
    needs_other: bool,
}

impl Scan {
    fn of(pattern: &str) -> Self {
        // Letters in any case are no digits either, but which letters belong together differs.
        let without_case = pattern.strip_prefix("(?i)");
        let mut scanner = Scanner {
            characters: without_case.unwrap_or(pattern).chars().collect(),
            at: 0,
            depth: 0,
            is_plain: without_case.is_none(),
            is_unclear: false,
            needs_other: false,
        };
        scanner.run();
        Self {
            is_plain: scanner.is_plain,
            needs_other: scanner.needs_other && !scanner.is_unclear,
        }
    }
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    /// How many groups are open.
    depth: usize,
    is_plain: bool,
    /// A required character may not be one: there are alternatives, or flags that change how the pattern is read.
    is_unclear: bool,
    needs_other: bool,
}

impl Scanner {
    fn run(&mut self) {
        // Whether a quantifier may follow, and which character it would apply to.
        let mut atom: Option<Option<char>> = None;
        while let Some(character) = self.next() {
            let previous = atom.take();
            match character {
                '*' | '+' | '?' | '{' => {
                    let lets_absent = self.quantifier(character);
                    self.settle(previous, !lets_absent);
                    self.is_plain &= previous.is_some();
                    continue;
                }
                _ => self.settle(previous, true),
            }
            match character {
                '|' => self.is_unclear |= self.depth == 0,
                '^' => {}
                '.' => atom = Some(None),
                '(' => self.open(),
                ')' => {
                    self.depth = self.depth.saturating_sub(1);
                    atom = Some(None);
                }
                '[' => {
                    self.class();
                    atom = Some(None);
                }
                '\\' => match self.next() {
                    Some(escaped)
                        if escaped.is_ascii_punctuation() && !matches!(escaped, '<' | '>') =>
                    {
                        atom = Some(Some(escaped));
                    }
                    _ => {
                        self.is_plain = false;
                        atom = Some(None);
                    }
                },
                '$' | ']' | '}' => self.is_plain = false,
                literal => atom = Some(Some(literal)),
            }
        }
        self.settle(atom, true);
    }

    fn next(&mut self) -> Option<char> {
        let character = self.peek()?;
        self.at += 1;
        Some(character)
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    /// An atom is over; it is part of every match unless a quantifier lets it be absent, or a group holds it.
    fn settle(&mut self, atom: Option<Option<char>>, is_required: bool) {
        if let Some(Some(literal)) = atom {
            let in_numbers = literal.is_ascii_digit() || matches!(literal, '.' | '-');
            self.needs_other |= is_required && self.depth == 0 && !in_numbers;
        }
    }

    /// Reads the rest of a quantifier; whether it lets its atom be absent.
    fn quantifier(&mut self, first: char) -> bool {
        let lets_absent = match first {
            '+' => false,
            '{' => self.counted(),
            _ => true,
        };
        if self.peek() == Some('?') {
            self.at += 1;
        }
        // A second quantifier means something else in each dialect.
        self.is_plain &= !matches!(self.peek(), Some('*' | '+' | '?' | '{'));
        lets_absent
    }

    fn counted(&mut self) -> bool {
        let end = (self.at..self.characters.len()).find(|&at| self.characters[at] == '}');
        let Some(end) = end else {
            self.is_plain = false;
            return true;
        };
        let inside: String = self.characters[self.at..end].iter().collect();
        self.at = end + 1;
        let (least, most) = inside.split_once(',').unwrap_or((&inside, ""));
        let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        self.is_plain &= !least.is_empty() && are_digits(least) && are_digits(most);
        least.parse::<u32>().map_or(true, |least| least == 0)
    }

    fn open(&mut self) {
        self.depth += 1;
        if self.peek() == Some('?') {
            self.at += 1;
            if self.next() != Some(':') {
                self.is_plain = false;
                self.is_unclear = true;
            }
        }
    }

    fn class(&mut self) {
        if self.peek() == Some('^') {
            self.at += 1;
        }
        let mut before = None;
        let mut is_empty = true;
        while let Some(character) = self.next() {
            match character {
                ']' if !is_empty => return,
                ']' | '[' => self.is_plain = false,
                '\\' => {
                    let escaped = self.next();
                    self.is_plain &= escaped.is_some_and(|escaped| escaped.is_ascii_punctuation());
                }
                '&' | '-' | '~' | '|' if before == Some(character) => self.is_plain = false,
                _ => {}
            }
            before = Some(character);
            is_empty = false;
        }
        self.is_plain = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_patterns_are_read_alike_in_every_dialect() {
        for (pattern, is_plain) in [
            ("", true),
            ("^admin", true),
            (r"@acme\.com", true),
            ("^(?:a|b)+[a-f0-9_]{2,3}?x?", true),
            ("[^a-z]", true),
            ("ü+", true),
            ("a$", false),
            (r"\d", false),
            (r"\bword", false),
            ("(?i)a", false),
            ("(?P<name>a)", false),
            ("a++", false),
            ("^*", false),
            ("[[:alpha:]]", false),
            ("[a&&b]", false),
            (r"[\w]", false),
            (r"\<a", false),
        ] {
            assert_eq!(
                read(pattern).map(|pattern| pattern.is_plain),
                Some(is_plain),
                "{pattern}"
            );
        }
        for pattern in ["(?=a)", r"(a)\1", "(", r"\w{1000}{1000}"] {
            assert_eq!(read(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_pattern_that_needs_another_character_matches_no_number() {
        for (pattern, may_match_others) in [
            ("^v[0-9]+", false),
            (r"@acme\.com$", false),
            ("(?i)admin", false),
            ("x{1,2}", false),
            ("", true),
            ("[0-9]", true),
            ("a?5", true),
            ("a*", true),
            ("a{0,2}", true),
            ("a|5", true),
            ("(a|5)", true),
            ("(?:a)?5", true),
            (r"-5\.", true),
            ("rue", true),
            ("^f", true),
            ("(?x) 5 # and a comment", true),
        ] {
            assert_eq!(
                read(pattern).map(|pattern| pattern.may_match_others),
                Some(may_match_others),
                "{pattern}"
            );
        }
    }
}
