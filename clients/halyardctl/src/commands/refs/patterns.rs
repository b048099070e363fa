//! What is looked for: keys of flags, and the names that stand for them in code.

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::AhoCorasick;

use super::super::generate::names;
use crate::api::Error;

/// A shorter key, or alias, says too little: such a key counts in quotes alone, such an alias not at all.
const SHORT: usize = 3;

/// The longest alias that the service takes, in characters.
const LONG: usize = 255;

/// Makes a name of a key.
type Case = fn(&str) -> String;

/// The cases of templates, by their names.
const CASES: [(&str, Case); 4] = [
    ("snake_case", names::snake),
    ("camelCase", names::camel),
    ("PascalCase", names::pascal),
    ("SCREAMING_SNAKE", names::screaming),
];

/// How aliases are made of keys, such as `is{PascalCase}`.
#[derive(Clone, Debug)]
pub(super) struct Template {
    before: String,
    case: Case,
    after: String,
}

impl Template {
    /// Reads a template: a text with a case in braces, or a case alone.
    ///
    /// # Errors
    /// When it has no case.
    pub(super) fn parse(text: &str) -> Result<Self, Error> {
        for (name, case) in CASES {
            let around = if text == name {
                Some(("", ""))
            } else {
                text.split_once(&format!("{{{name}}}"))
            };
            if let Some((before, after)) = around {
                return Ok(Self {
                    before: before.to_owned(),
                    case,
                    after: after.to_owned(),
                });
            }
        }
        let names = CASES.map(|(name, _)| name).join(", ");
        Err(Error::Usage(format!(
            "{text:?} is no template of aliases: it has one of {names}, such as is{{PascalCase}}"
        )))
    }

    fn of(&self, key: &str) -> String {
        format!("{}{}{}", self.before, (self.case)(key), self.after)
    }
}

/// A text that is looked for.
#[derive(Debug)]
struct Pattern {
    /// The flag's place among the keys.
    key: usize,
    /// Whether it is a name in code, not the key itself.
    is_alias: bool,
    text: String,
}

/// All that is looked for, in one automaton.
#[derive(Debug)]
pub(super) struct Patterns {
    keys: Vec<String>,
    list: Vec<Pattern>,
    automaton: AhoCorasick,
    quoted: bool,
}

/// Where a flag is named in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Hit<'a> {
    /// The flag's place among the keys.
    pub(super) key: usize,
    /// The name, unless it is the key.
    pub(super) alias: Option<&'a str>,
    /// Where it begins, in bytes.
    pub(super) start: usize,
}

impl Patterns {
    /// Looks for keys and their aliases; with `quoted` for keys in quotes alone.
    ///
    /// # Errors
    /// When there are too many for one automaton.
    pub(super) fn new(
        keys: &BTreeSet<String>,
        templates: &[Template],
        aliases: &BTreeMap<String, Vec<String>>,
        quoted: bool,
    ) -> Result<Self, Error> {
        let keys: Vec<String> = keys.iter().cloned().collect();
        let mut list = Vec::new();
        for (place, key) in keys.iter().enumerate() {
            list.push(Pattern {
                key: place,
                is_alias: false,
                text: key.clone(),
            });
            let made = templates.iter().map(|template| template.of(key));
            let given = aliases.get(key).into_iter().flatten().cloned();
            let names: BTreeSet<_> = made.chain(given).collect();
            let names = names
                .into_iter()
                .filter(|name| (SHORT..=LONG).contains(&name.chars().count()));
            list.extend(names.map(|text| Pattern {
                key: place,
                is_alias: true,
                text,
            }));
        }
        let automaton = AhoCorasick::new(list.iter().map(|pattern| &pattern.text));
        Ok(Self {
            automaton: automaton.map_err(|why| Error::while_doing("the keys of flags", why))?,
            keys,
            list,
            quoted,
        })
    }

    /// The keys, in order.
    pub(super) fn keys(&self) -> &[String] {
        &self.keys
    }

    /// Every place of a text that names a flag.
    pub(super) fn find<'a>(&'a self, text: &'a [u8]) -> impl Iterator<Item = Hit<'a>> {
        let found = self.automaton.find_overlapping_iter(text);
        found.filter_map(|found| {
            let pattern = &self.list[found.pattern().as_usize()];
            let (before, after) = (&text[..found.start()], &text[found.end()..]);
            let counts = if pattern.is_alias {
                is_name(before, after)
            } else if self.quoted || pattern.text.len() < SHORT {
                is_quoted(before, after)
            } else {
                is_key(before, after)
            };
            counts.then_some(Hit {
                key: pattern.key,
                alias: pattern.is_alias.then_some(pattern.text.as_str()),
                start: found.start(),
            })
        })
    }
}

/// A letter, a digit or `_`; what is not ASCII counts as a letter.
const fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a name stands alone between these bytes.
fn is_name(before: &[u8], after: &[u8]) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| is_letter(*byte) || *byte == b'$');
    !is_part(before.last()) && !is_part(after.first())
}

/// Whether a key stands alone between these bytes: signs that keys may have belong to it if another letter is behind them.
fn is_key(before: &[u8], after: &[u8]) -> bool {
    let is_sign = |byte: &&u8| matches!(byte, b'.' | b'-' | b'~');
    let before = before.iter().rev().find(|byte| !is_sign(byte));
    let after = after.iter().find(|byte| !is_sign(byte));
    !before.is_some_and(|byte| is_letter(*byte)) && !after.is_some_and(|byte| is_letter(*byte))
}

/// Whether there is the same quote on both sides.
fn is_quoted(before: &[u8], after: &[u8]) -> bool {
    match (before.last(), after.first()) {
        (Some(open), Some(close)) => open == close && matches!(open, b'"' | b'\'' | b'`'),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(keys: &[&str], templates: &[&str], quoted: bool, text: &str) -> Vec<String> {
        let keys = keys.iter().map(|key| (*key).to_owned()).collect();
        let templates: Vec<_> = templates
            .iter()
            .map(|text| Template::parse(text).unwrap())
            .collect();
        let patterns = Patterns::new(&keys, &templates, &BTreeMap::new(), quoted).unwrap();
        let hits = patterns.find(text.as_bytes());
        let told = hits.map(|hit| {
            let key = &patterns.keys()[hit.key];
            match hit.alias {
                None => format!("{key}@{}", hit.start),
                Some(alias) => format!("{key}@{} as {alias}", hit.start),
            }
        });
        told.collect()
    }

    #[test]
    fn a_key_counts_as_a_whole_token() {
        let keys = ["dark", "dark-mode", "dark-mode.v2"];
        assert_eq!(found(&keys, &[], false, "on('dark-mode')"), ["dark-mode@4"]);
        assert_eq!(found(&keys, &[], false, "dark-mode.v2"), ["dark-mode.v2@0"]);
        for other in [
            "dark-modes",
            "xdark",
            "dark_",
            "dark.x",
            "x.dark",
            "a--dark",
            "dark-",
            "größedark",
        ] {
            let expected: &[&str] = if other == "dark-" { &["dark@0"] } else { &[] };
            assert_eq!(found(&keys, &[], false, other), expected, "{other}");
        }
        // Signs that nothing follows end a sentence, or begin an option.
        assert_eq!(
            found(&keys, &[], false, "See dark-mode. --dark"),
            ["dark-mode@4", "dark@17"]
        );
    }

    #[test]
    fn short_keys_count_in_quotes_and_all_do_if_asked() {
        assert_eq!(found(&["ab"], &[], false, "ab 'ab' \"ab'"), ["ab@4"]);
        assert_eq!(found(&["dark"], &[], true, "dark `dark`"), ["dark@6"]);
    }

    #[test]
    fn aliases_are_names_in_code() {
        let templates = [
            "camelCase",
            "is{PascalCase}",
            "SCREAMING_SNAKE",
            "{snake_case}_flag",
        ];
        let text = "flags.darkMode() isDarkMode darkModes DARK_MODE dark_mode_flag dark_mode";
        assert_eq!(
            found(&["dark-mode"], &templates, false, text),
            [
                "dark-mode@6 as darkMode",
                "dark-mode@17 as isDarkMode",
                "dark-mode@38 as DARK_MODE",
                "dark-mode@48 as dark_mode_flag"
            ]
        );
        assert!(Template::parse("isOn").is_err());
    }
}
