//! Calls to other services: the only place that names an HTTP client.
//!
//! Every attempt has a time-out, answers are read up to a bound, and redirects are not followed. [`Client`] calls addresses that
//! the operator chose (payment gateways). [`guard`] calls those that users give, which may lead anywhere. [`texts`] asks name
//! servers for the TXT records of domains.

mod client;
pub mod guard;
pub mod texts;

pub use self::client::{ATTEMPTS, Answer, Call, CallError, Client};
pub use reqwest::{
    Method, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
