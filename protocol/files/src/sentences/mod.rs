//! Differences between two of the same thing, in the sentences that the dashboard has for them.

mod conditions;
mod flag;
mod rules;
mod state;
#[cfg(test)]
mod tests;
mod values;

pub use self::{
    flag::{of_environment, of_flag, of_segment},
    state::of_state,
};

/// A sentence of a difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// What it tells of.
    pub mark: Mark,
    /// The words.
    pub words: String,
}

/// What a sentence tells of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// Something new.
    Added,
    /// Something that is gone.
    Removed,
    /// Something that is another one now.
    Changed,
}

impl Mark {
    /// One character for it.
    pub const fn sign(self) -> char {
        match self {
            Self::Added => '+',
            Self::Removed => '-',
            Self::Changed => '~',
        }
    }
}

fn added(words: impl Into<String>) -> Sentence {
    sentence(Mark::Added, words)
}

fn removed(words: impl Into<String>) -> Sentence {
    sentence(Mark::Removed, words)
}

fn changed(words: impl Into<String>) -> Sentence {
    sentence(Mark::Changed, words)
}

fn sentence(mark: Mark, words: impl Into<String>) -> Sentence {
    let words = words.into();
    Sentence { mark, words }
}

/// Lists whose order has no effect: it is told only where nothing else changed.
fn of_list(
    (before, after): (&[String], &[String]),
    gone: impl Fn(&str) -> String,
    come: impl Fn(&str) -> String,
    reordered: impl FnOnce() -> String,
) -> Vec<Sentence> {
    let without = |list: &[String], other: &[String]| -> Vec<String> {
        let left = list.iter().filter(|item| !other.contains(item));
        left.cloned().collect()
    };
    let gone = without(before, after)
        .into_iter()
        .map(|item| removed(gone(&item)));
    let come = without(after, before)
        .into_iter()
        .map(|item| added(come(&item)));
    let mut found: Vec<_> = gone.chain(come).collect();
    if found.is_empty() && before != after {
        found.push(changed(reordered()));
    }
    found
}
