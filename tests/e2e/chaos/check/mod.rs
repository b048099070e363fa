//! Whether a history is one that the service may have: a function of the history alone.
//!
//! Every answer of an edge names the version that it is of, and so does every write. That orders all writes, whatever their
//! clients saw: an answer of a version has to show, of each thing, the last write up to that version. A write without an answer
//! may have been made or not, at any time after it was sent; what readers see of it says more.

mod contents;
mod edges;
mod usage;

#[cfg(test)]
mod tests;

use super::history::History;

pub use usage::counts;

/// What is never to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Wrong {
    /// A write was acknowledged, and is not there.
    Lost,
    /// A value that nobody wrote, or not yet.
    Invented,
    /// Versions do not follow the order of the writes, or two answers of one version differ.
    Disordered,
    /// An edge, or a stream, went back.
    Backwards,
    /// One thing was changed, and not yet another that was changed with it.
    Mixed,
    /// An edge said that it is newer than it is.
    Stale,
    /// A process that was able to answer did not, or refused what it must not refuse.
    Unanswered,
    /// Counted twice, or not at all.
    Miscounted,
}

/// One of these, and where it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub wrong: Wrong,
    pub shown: String,
}

/// Everything that is wrong with a history; empty if nothing is.
pub fn violations(history: &History) -> Vec<Violation> {
    let mut found = Vec::new();
    let mut note = |wrong, shown| found.push(Violation { wrong, shown });
    contents::check(history, &mut note);
    edges::check(history, &mut note);
    usage::check(history, &mut note);
    found
}
