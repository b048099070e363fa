//! The patterns of an environment, within a bound.
//!
//! Flags and segments keep the texts of their patterns; what these are compiled to lies beside them, as links do. The
//! patterns are taken in one order, that of segments by key and then of flags by key, until the bound is reached. So it
//! depends on the contents alone which ones are left out, and not on the deltas that led to them.

use std::{collections::HashMap, sync::Arc};

use crate::pattern::{self, Pattern};

/// Most bytes of all compiled patterns of an environment.
pub const MAX_PATTERN_BYTES: u32 = 16 << 20;

/// The texts of one flag or segment, as conditions refer to them.
#[derive(Debug, Default)]
pub(super) struct Texts(Vec<Box<str>>);

impl Texts {
    /// Adds the patterns of one condition. Returns where they are.
    pub(super) fn add(&mut self, patterns: &[String]) -> (u32, u32) {
        let start = self.0.len();
        self.0
            .extend(patterns.iter().map(|text| text.as_str().into()));
        let place = |place| u32::try_from(place).unwrap_or(u32::MAX);
        (place(start), place(self.0.len()))
    }

    pub(super) fn into_boxed(self) -> Box<[Box<str>]> {
        self.0.into()
    }
}

/// What the texts of one flag or segment are compiled to. Absent where a pattern never matches.
#[derive(Clone, Debug, Default)]
pub(super) struct Compiled(Option<Arc<[Option<Arc<Pattern>>]>>);

impl Compiled {
    /// Of what has no patterns.
    pub(super) const NONE: Self = Self(None);

    /// Whether both are the same patterns.
    pub(super) fn is(&self, other: &Self) -> bool {
        let (one, other) = (self.0.as_deref(), other.0.as_deref());
        let (one, other) = (one.unwrap_or_default(), other.unwrap_or_default());
        one.len() == other.len()
            && one.iter().zip(other).all(|pair| match pair {
                (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                (one, other) => one.is_none() && other.is_none(),
            })
    }

    /// The patterns at these places.
    pub(super) fn range(&self, (start, end): (u32, u32)) -> &[Option<Arc<Pattern>>] {
        let all = self.0.as_deref().unwrap_or_default();
        all.get(start as usize..end as usize).unwrap_or_default()
    }
}

/// All patterns of an environment.
#[derive(Debug, Default)]
pub(super) struct Patterns {
    /// `None` for those that cannot be used.
    known: HashMap<Box<str>, Option<Arc<Pattern>>>,
    bytes: u32,
    /// Once one pattern does not fit, no new one is compiled any more.
    is_full: bool,
    /// How often a pattern was listed that never matches.
    left_out: usize,
}

impl Patterns {
    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.known.is_empty() && self.left_out == 0
    }

    /// The memory that they take.
    pub(super) const fn bytes(&self) -> u32 {
        self.bytes
    }

    /// How often a pattern is listed that never matches.
    pub(super) const fn left_out(&self) -> usize {
        self.left_out
    }

    /// Compiles what follows in the order. What `earlier` has is not compiled again.
    pub(super) fn compile(&mut self, texts: &[Box<str>], earlier: &Self) -> Compiled {
        if texts.is_empty() {
            return Compiled::default();
        }
        let compiled: Arc<[_]> = texts.iter().map(|text| self.find(text, earlier)).collect();
        self.left_out += compiled.iter().filter(|pattern| pattern.is_none()).count();
        Compiled(Some(compiled))
    }

    fn find(&mut self, text: &str, earlier: &Self) -> Option<Arc<Pattern>> {
        if let Some(known) = self.known.get(text) {
            return known.clone();
        }
        if self.is_full {
            return None;
        }
        let pattern = match earlier.known.get(text) {
            Some(known) => known.clone(),
            None => pattern::shared(text),
        };
        // To find out that one cannot be used costs as much as the largest.
        let bytes = pattern
            .as_ref()
            .map_or(pattern::MAX_BYTES, |one| one.bytes());
        if self.bytes + bytes > MAX_PATTERN_BYTES {
            self.is_full = true;
            return None;
        }
        self.bytes += bytes;
        self.known.insert(text.into(), pattern.clone());
        pattern
    }
}
