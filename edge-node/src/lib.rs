//! An edge: answers SDK traffic from the snapshots it holds in memory.
//!
//! [`Edge`] is all that serving needs: it takes pushes and provides a router. The binary `halyard-edge` adds a link to
//! a control plane and a copy on disk; a control plane with a built-in edge hands over its pushes directly. The edge
//! needs neither of them to answer.

mod cache;
mod clock;
pub mod config;
mod current;
mod downstream;
mod edge;
pub mod files;
mod http;
mod identity;
mod keeper;
mod keys;
mod limits;
mod linked;
mod lookup;
pub mod process;
mod public_url;
mod rehearsals;
mod stream_credential;
mod streams;
mod telemetry;
mod upstream;
mod usage;
mod what_if;

pub use crate::{
    config::EdgeSettings,
    current::{Greeting, Listing, Outcome},
    edge::Edge,
    http::{Front, document},
    linked::{Linked, Unlinked},
    lookup::{KeyLookup, Located, Unavailable},
    telemetry::METRICS,
};
