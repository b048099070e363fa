//! From a committed change to edges that serve it.
//!
//! `version` makes a change visible in its transaction. `poll` looks in the database for what changed and
//! notifies the `hub`, which knows what each edge holds. The first sender to an edge (`link` over QUIC, `local` for the
//! built-in one) has `contents` compiled, and the others share the bytes. Acknowledgements return to the hub, where the
//! write waits.

mod compile;
mod contents;
pub mod fleet;
mod greeting;
mod hub;
mod jobs;
mod link;
mod listener;
mod local;
mod lookups;
mod outbox;
mod poll;
mod publisher;
mod rewind;
mod sight;
mod store;
pub mod tls;
pub mod version;
mod whole;

use self::{contents::Contents, publisher::Shared};
pub use self::{
    hub::{Fingerprint, Interest, Regions},
    link::ServeError,
    local::{LocalLink, LocalMessage},
    lookups::{Asker, NotNow},
    publisher::Publisher,
    whole::Whole,
};
