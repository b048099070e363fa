//! Collects what is wrong with a body, each with its place.

use std::collections::HashSet;

use base::{
    input::{Invalid, visible},
    refusal::Problem,
};

/// More are not told.
const MOST: usize = 100;

#[derive(Debug, Default)]
pub(super) struct Collected(Vec<Problem>);

impl Collected {
    pub(super) fn add(&mut self, place: impl Into<String>, message: impl Into<String>) {
        if self.0.len() < MOST {
            self.0.push(Problem {
                place: visible(&place.into()),
                message: message.into(),
            });
        }
    }

    /// Adds what a check refuses: at the field with which its words begin, or else at `place`.
    pub(super) fn refused(&mut self, place: &str, fields: &[&str], invalid: &Invalid) {
        let words = invalid.to_string();
        let first = words.split([' ', '[', '.']).next().unwrap_or_default();
        if fields.contains(&first) {
            self.add(format!("{place}.{first}"), words);
        } else {
            self.add(place, words);
        }
    }

    /// The made thing, unless a check refused it.
    pub(super) fn keep<T>(
        &mut self,
        place: &str,
        fields: &[&str],
        made: Result<T, Invalid>,
    ) -> Option<T> {
        made.inspect_err(|invalid| self.refused(place, fields, invalid))
            .ok()
    }

    pub(super) const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn into_problems(self) -> Vec<Problem> {
        self.0
    }
}

/// The names of a list: each may be there once, and not among those that are removed.
pub(super) struct Names<'a> {
    list: &'static str,
    removed: HashSet<&'a str>,
    seen: HashSet<&'a str>,
}

impl<'a> Names<'a> {
    pub(super) fn new(list: &'static str, removed: &'a [String]) -> Self {
        Self {
            list,
            removed: removed.iter().map(String::as_str).collect(),
            seen: HashSet::new(),
        }
    }

    /// The place of a thing and its name, if nothing speaks against it.
    pub(super) fn place(
        &mut self,
        number: usize,
        (field, name): (&str, Option<&'a str>),
        problems: &mut Collected,
    ) -> Option<(String, &'a str)> {
        let Some(name) = name.filter(|name| !name.trim().is_empty()) else {
            let place = format!("{}[{number}]", self.list);
            problems.add(place, format!("{field} is required"));
            return None;
        };
        let place = format!("{}.{name}", self.list);
        if self.removed.contains(name) {
            problems.add(place, "it is to be removed too");
            return None;
        }
        if !self.seen.insert(name) {
            problems.add(place, "it is listed twice");
            return None;
        }
        Some((place, name))
    }
}
