//! What both servers have in common: HTTP conventions, settings, the clock, draining, telemetry.
//!
//! The control plane and the edge answer with the same error bodies, read their settings by the same rules and stop in
//! the same way, but neither may depend on the other; the common part is here. Nothing in this crate knows about flags,
//! tenants, databases or the link between the two.

pub mod address;
pub mod address_file;
pub mod admin;
pub mod apart;
pub mod binding;
pub mod body;
pub mod build;
pub mod clock;
pub mod document;
pub mod error;
mod header_numbers;
mod json;
pub mod layers;
pub mod leaving;
pub mod limiter;
pub mod listener;
pub mod numbers;
pub mod open_files;
pub mod page;
pub mod params;
pub mod place;
pub mod rate;
pub mod settings;
pub mod systemd;
pub mod telemetry;
pub mod trace;
pub mod unread;

/// The version of this build.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
