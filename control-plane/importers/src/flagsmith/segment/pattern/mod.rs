//! Regular expressions of Python, in the words of the `regex` crate.
//!
//! Both write most things alike. What only Python has (look-around, back references) is refused, and what both have with different
//! meanings is said otherwise.

#[cfg(test)]
mod tests;

use std::{iter::Peekable, str::Chars};

use crate::plan::patterns::compile;

/// Groups within groups.
const MAX_DEPTH: usize = 50;
/// What Python prints numbers and booleans with: a text of other characters is none of them.
const OF_NUMBERS_AND_BOOLEANS: &str = "0123456789.-+einfatrusl";

/// A pattern that finds what Python's `re.match` finds.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Pattern {
    pub(super) text: String,
    /// It never matches a number or a boolean, in whatever form they are printed.
    pub(super) is_for_texts: bool,
    /// What of it can match differently.
    pub(super) difference: Option<&'static str>,
}

impl Pattern {
    /// Says why not where it cannot be said here.
    pub(super) fn translate(python: &str) -> Result<Self, &'static str> {
        let mut reader = Reader {
            rest: python.chars().peekable(),
            text: String::from("^(?:"),
            difference: None,
        };
        let is_for_texts = reader.alternatives(0)?;
        if reader.rest.next().is_some() {
            return Err("the pattern is not closed");
        }
        reader.text.push(')');
        compile(&reader.text)
            .ok_or("the pattern is too large, or has a syntax that is not known here")?;
        Ok(Self {
            text: reader.text,
            is_for_texts,
            difference: reader.difference,
        })
    }
}

struct Reader<'a> {
    rest: Peekable<Chars<'a>>,
    text: String,
    difference: Option<&'static str>,
}

impl Reader<'_> {
    /// Reads up to the end of the group. Whether every match has a character that numbers and booleans do not have.
    fn alternatives(&mut self, depth: usize) -> Result<bool, &'static str> {
        if depth > MAX_DEPTH {
            return Err("the pattern has too many groups within groups");
        }
        let mut every = true;
        let mut this = false;
        while let Some(&next) = self.rest.peek() {
            if next == ')' {
                break;
            }
            self.rest.next();
            if next == '|' {
                self.text.push('|');
                every &= this;
                this = false;
                continue;
            }
            let is_distinct = self.atom(next, depth)?;
            let is_required = self.quantifier()?;
            this |= is_distinct && is_required;
        }
        Ok(every && this)
    }

    /// Whether the atom has a character that numbers and booleans do not have.
    fn atom(&mut self, first: char, depth: usize) -> Result<bool, &'static str> {
        match first {
            '(' => self.group(depth),
            '[' => self.class().map(|()| false),
            '\\' => self.escape(false),
            '$' => {
                self.end(depth);
                Ok(false)
            }
            '^' | '.' => {
                self.text.push(first);
                Ok(false)
            }
            '{' | '}' | ']' => {
                self.text.push('\\');
                self.text.push(first);
                Ok(true)
            }
            '*' | '+' | '?' => Err("the pattern has nothing to repeat"),
            literal => {
                self.text.push(literal);
                Ok(is_distinct(literal))
            }
        }
    }

    /// In Python the end is also before a last line break.
    fn end(&mut self, depth: usize) {
        self.text.push_str(r"\n?\z");
        let is_last = matches!(self.rest.peek(), None | Some('|'));
        if depth > 0 || !is_last {
            self.difference =
                Some("`$` within a pattern can match differently before a line break");
        }
    }

    fn group(&mut self, depth: usize) -> Result<bool, &'static str> {
        self.text.push('(');
        if self.rest.next_if_eq(&'?').is_some() {
            self.text.push('?');
            match self.rest.next() {
                Some(':') => self.text.push(':'),
                Some('P') if self.rest.next_if_eq(&'<').is_some() => {
                    self.text.push_str("P<");
                    while let Some(letter) = self.rest.next_if(|&letter| letter != '>') {
                        self.text.push(letter);
                    }
                    self.rest.next();
                    self.text.push('>');
                }
                Some('i') => {
                    self.difference =
                        Some("the letters İ and ı are not found in any case of i here");
                    self.text.push('i');
                    let ending = self.rest.next();
                    if ending == Some(')') {
                        self.text.push(')');
                        return Ok(false);
                    }
                    if ending != Some(':') {
                        return Err("the pattern has flags that are not known here");
                    }
                    self.text.push(':');
                }
                _ => {
                    return Err(
                        "the pattern looks ahead or behind, or has flags that are not known here",
                    );
                }
            }
        }
        let is_distinct = self.alternatives(depth + 1)?;
        if self.rest.next() != Some(')') {
            return Err("the pattern is not closed");
        }
        self.text.push(')');
        Ok(is_distinct)
    }

    fn class(&mut self) -> Result<(), &'static str> {
        self.text.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.text.push('^');
        }
        if self.rest.next_if_eq(&']').is_some() {
            self.text.push_str(r"\]");
        }
        while let Some(next) = self.rest.next() {
            match next {
                ']' => {
                    self.text.push(']');
                    return Ok(());
                }
                '\\' => {
                    self.escape(true)?;
                }
                // Sets within sets, which Python does not have.
                '[' | '&' | '~' => {
                    self.text.push('\\');
                    self.text.push(next);
                }
                '-' if self.rest.peek() == Some(&'-') => {
                    return Err("the pattern has a range that begins or ends with a hyphen");
                }
                literal => self.text.push(literal),
            }
        }
        Err("the pattern is not closed")
    }

    fn escape(&mut self, in_class: bool) -> Result<bool, &'static str> {
        let Some(escaped) = self.rest.next() else {
            return Err("the pattern is not closed");
        };
        let set = match escaped {
            'w' => Some((r"_\p{L}\p{N}", "")),
            'W' => Some((r"_\p{L}\p{N}", "^")),
            's' => Some((r"\x1c-\x1f\s", "")),
            'S' => Some((r"\x1c-\x1f\s", "^")),
            _ => None,
        };
        if let Some((set, negation)) = set {
            if in_class && negation.is_empty() {
                self.text.push_str(set);
            } else {
                self.text.push_str(&format!("[{negation}{set}]"));
            }
            return Ok(false);
        }
        match escaped {
            'b' if in_class => self.text.push_str(r"\x08"),
            'b' | 'B' => {
                self.difference =
                    Some("words end at other characters where accents are written apart");
                self.text.push('\\');
                self.text.push(escaped);
            }
            'Z' if !in_class => self.text.push_str(r"\z"),
            'A' if !in_class => self.text.push_str(r"\A"),
            'd' | 'D' | 'a' | 'f' | 'n' | 'r' | 't' | 'v' | 'x' | 'u' | 'U' => {
                self.text.push('\\');
                self.text.push(escaped);
                let digits = match escaped {
                    'x' => 2,
                    'u' => 4,
                    'U' => 8,
                    _ => 0,
                };
                for _ in 0..digits {
                    let digit = self.rest.next_if(char::is_ascii_hexdigit);
                    self.text
                        .push(digit.ok_or("the pattern has an escape that is not known")?);
                }
            }
            '0'..='9' => return Err("the pattern refers back to what it found"),
            'a'..='z' | 'A'..='Z' => return Err("the pattern has an escape that is not known"),
            literal => {
                if literal.is_ascii_punctuation() && !matches!(literal, '<' | '>') {
                    self.text.push('\\');
                }
                self.text.push(literal);
                return Ok(is_distinct(literal));
            }
        }
        Ok(false)
    }

    /// Reads what says how often the atom before it occurs. Whether it must occur at all.
    fn quantifier(&mut self) -> Result<bool, &'static str> {
        let is_required = match self.rest.peek() {
            Some(&sign @ ('*' | '+' | '?')) => {
                self.rest.next();
                self.text.push(sign);
                sign == '+'
            }
            Some('{') => match self.count() {
                Some(is_required) => is_required,
                None => return Ok(true),
            },
            _ => return Ok(true),
        };
        if self.rest.next_if_eq(&'?').is_some() {
            self.text.push('?');
        }
        if matches!(self.rest.peek(), Some('+' | '*' | '?')) {
            return Err("the pattern repeats without going back");
        }
        Ok(is_required)
    }

    /// Reads a count in braces, if it is one; otherwise braces are characters like others.
    fn count(&mut self) -> Option<bool> {
        let ahead = self.rest.clone();
        let inside: String = ahead
            .skip(1)
            .take_while(|&next| next != '}')
            .take(20)
            .collect();
        let (least, most) = match inside.split_once(',') {
            Some((least, most)) => (least, Some(most)),
            None => (inside.as_str(), None),
        };
        let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
        let length = inside.chars().count() + 2;
        let is_closed = self.rest.clone().nth(length - 1) == Some('}');
        let is_count = is_closed
            && inside
                .bytes()
                .any(|byte| byte.is_ascii_digit() || byte == b',')
            && is_number(least)
            && most.is_none_or(is_number);
        if !is_count {
            return None;
        }
        for _ in 0..length {
            self.rest.next();
        }
        let least = if least.is_empty() { "0" } else { least };
        self.text.push('{');
        self.text.push_str(least);
        if let Some(most) = most {
            self.text.push(',');
            self.text.push_str(most);
        }
        self.text.push('}');
        Some(least.bytes().any(|digit| digit != b'0'))
    }
}

fn is_distinct(literal: char) -> bool {
    literal.is_ascii() && !OF_NUMBERS_AND_BOOLEANS.contains(literal.to_ascii_lowercase())
}
