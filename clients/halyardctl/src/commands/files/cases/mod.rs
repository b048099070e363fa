//! Test cases of flags: what a flag must answer to whom.

pub(super) mod junit;
pub(super) mod read;
pub(super) mod run;
pub(super) mod schema;
mod words;

use files::Place;
use protocol::reason::Reason;
use serde_json::Value;
use time::OffsetDateTime;

/// One case: a flag, and a question.
#[derive(Clone, Debug)]
pub(super) struct Case {
    pub(super) name: String,
    /// The file that it is written in.
    pub(super) file: String,
    pub(super) place: Place,
    pub(super) flag: String,
    pub(super) environment: String,
    /// The time of the question; that of the run unless it is given.
    pub(super) at: Option<OffsetDateTime>,
    pub(super) question: Question,
    pub(super) expect: Expect,
}

/// Who asks.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// One context, as it would be sent.
    One(Value),
    /// Many contexts, of which a share must have the answer.
    Share {
        /// How many contexts.
        contexts: u32,
        /// What the generated keys begin with.
        keys: String,
        /// The attributes that all of them have.
        attributes: Value,
        /// How many of a hundred must have the answer.
        percent: f64,
        /// How far from it the share may be, in percentage points.
        within: f64,
    },
}

/// What an answer must be. What is absent may be anything.
#[derive(Clone, Debug, Default)]
pub(super) struct Expect {
    pub(super) value: Option<Value>,
    pub(super) reason: Option<Reason>,
    pub(super) variant: Option<String>,
}
