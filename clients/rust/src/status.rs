//! How a client is doing.

use std::{sync::Arc, time::SystemTime};

/// How a client is doing.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Status {
    /// In one word.
    pub state: State,
    /// The version that answers; `None` while nothing is held.
    pub version: Option<u64>,
    /// What last went wrong, for people. It stays when things are well again.
    pub last_error: Option<Arc<str>>,
}

/// The state of a client.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum State {
    /// Nothing is held: every answer is the caller's default.
    NotReady,
    /// What is held is what the edge serves, as far as one can know.
    Ready,
    /// What is held answers, and may be old: there is no edge now, or it has not been reached yet.
    Stale {
        /// When the edge was last heard of, by the clock of this machine.
        since: SystemTime,
    },
    /// The edge refuses the API key. What is held goes on answering; the edge is asked again after minutes.
    Refused,
}

impl Status {
    pub(crate) const NOT_READY: Self = Self {
        state: State::NotReady,
        version: None,
        last_error: None,
    };
}
