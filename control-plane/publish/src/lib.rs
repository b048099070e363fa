//! From a committed change to edges that serve it.
//!
//! `version` makes a change visible in its transaction. `poll` finds changes in the database and notifies the hub of [`fanout`],
//! which knows the contents of each edge and sends it the difference: over QUIC (`serve`), or in process to the built-in edge
//! (`local`). Its `source` compiles `contents`, once for all edges.

mod applying;
mod certificates;
mod compile;
pub mod config;
mod contents;
pub mod edges;
pub mod fleet;
mod jobs;
mod listener;
pub mod live;
mod local;
mod lookups;
mod mark;
mod poll;
mod publisher;
mod rehearsals;
mod rewind;
mod serve;
pub mod signing;
mod source;
mod store;
pub mod tls;
mod what_if;
mod whole;

pub use fanout::{Fingerprint, Interest, NotNow, Regions};

pub use self::{
    applying::{Applied, Applying, NotApplied},
    local::{LocalLink, LocalMessage},
    lookups::Asker,
    publisher::Publisher,
    serve::ServeError,
    whole::Whole,
};
use self::{contents::Contents, publisher::Shared};
