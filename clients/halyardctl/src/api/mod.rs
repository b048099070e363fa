//! The client of the API: operations as data, requests made of them, and what can go wrong.

mod client;
mod errors;
mod events;
pub mod operations;
mod request;
mod settings;
mod trace;

pub use reqwest::StatusCode;

pub use client::{Answer, Client};
pub use errors::{Error, Refusal};
pub use events::{Event, Events};
pub use operations::Operation;
pub use request::Request;
pub use settings::{Address, Settings, TokenFrom};
