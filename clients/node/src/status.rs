//! How a client is doing.

use std::{mem::discriminant, time::SystemTime};

use halyard::{State, Status};
use napi_derive::napi;

use crate::detail::number;

/// How a client is doing.
#[napi(object, object_from_js = false)]
pub struct NativeStatus {
    /// In one word.
    pub state: String,
    /// Of what is stale: when the edge was last heard of, Unix milliseconds.
    pub since: Option<f64>,
    /// The version that answers.
    pub version: Option<f64>,
    /// What last went wrong.
    pub last_error: Option<String>,
}

impl From<&Status> for NativeStatus {
    fn from(status: &Status) -> Self {
        let (state, since) = match status.state {
            State::Ready => ("ready", None),
            State::Stale { since } => ("stale", Some(since)),
            State::Refused => ("refused", None),
            _ => ("not-ready", None),
        };
        let millis = |since: SystemTime| {
            let since = since.duration_since(SystemTime::UNIX_EPOCH);
            (since.unwrap_or_default().as_secs_f64() * 1_000.0).round()
        };
        Self {
            state: state.to_owned(),
            since: since.map(millis),
            version: status.version.map(number),
            last_error: status.last_error.as_deref().map(str::to_owned),
        }
    }
}

/// Whether listeners are told of it: not of each version, which changes tell of, nor of each time that an edge is not reached.
pub(crate) fn is_news(before: &Status, now: &Status) -> bool {
    discriminant(&before.state) != discriminant(&now.state) || before.last_error != now.last_error
}
