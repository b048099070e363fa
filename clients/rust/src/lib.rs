//! Feature flags of Halyard, evaluated in your own process.
//!
//! A [`Client`] holds all flags of an environment in memory, is told of changes by an edge, and answers from memory: in less than
//! a microsecond, with or without network. What it answered is reported once a minute.
//!
//! ```no_run
//! # async fn run() -> Result<(), Box<dyn std::error::Error>> {
//! use halyard::{Client, Context};
//!
//! let client = Client::builder("srv_…", "https://edge.example.com").start().await?;
//! let user = Context::builder("user-1").with("plan", "pro").build();
//! if client.bool("new-checkout", &user, false) {
//!     // …
//! }
//! client.close().await;
//! # Ok(())
//! # }
//! ```

mod backoff;
mod builder;
mod changes;
mod client;
mod context;
mod copy;
mod detail;
mod edge;
mod error;
mod frames;
mod held;
#[cfg(feature = "open-feature")]
pub mod openfeature;
mod pins;
mod shared;
mod sse;
mod status;
mod updater;
mod usage;
mod values;

/// Why an evaluation gave its answer.
pub use protocol::reason::Reason;
/// What a snapshot is made of, for [`Client::from_snapshot`].
pub use protocol::snapshot;

pub use self::{
    builder::Builder,
    changes::{Changed, Changes},
    client::Client,
    context::{Context, ContextBuilder},
    copy::write_snapshot_file,
    detail::{Detail, ErrorKind},
    error::{FileError, SnapshotError, StartError},
    status::{State, Status},
};
