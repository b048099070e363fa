//! Calls to other services: the only place that names an HTTP client.
//!
//! Every attempt has a time-out, answers are read up to a bound, and redirects are not followed.

mod client;

pub use self::client::{ATTEMPTS, Answer, Call, CallError, Client};
pub use reqwest::{Method, StatusCode};
