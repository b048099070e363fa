//! The foundation of all domains: the database, ids, input, refusals, sealing, jobs, mail, and calls to other services.

// `sqlx.toml` names types by their crate, also in that crate.
extern crate self as base;

pub mod blocking;
pub mod clocks;
pub mod config;
pub mod db;
pub mod jobs;
pub mod leader;
pub mod lifetime;
pub mod limits;
pub mod looks;
pub mod mail;
pub mod named;
pub mod operator;
pub mod outbound;
pub mod refusal;
pub mod replicas;
pub mod sealing;
pub mod telemetry;
pub mod waker;

pub use definition::{ids, input, warning};
