//! What both servers do the same: HTTP conventions, settings, the clock, draining, telemetry.
//!
//! The control plane and the edge answer with the same error bodies, read their settings by the
//! same rules and stop in the same way, and neither may name the other; that common part is here.
//! Nothing in this crate knows a flag, a tenant, a database or the link between the two.

pub mod address;
pub mod admin;
pub mod body;
pub mod clock;
pub mod error;
pub mod layers;
pub mod listener;
pub mod open_files;
pub mod page;
pub mod params;
pub mod rate;
pub mod settings;
pub mod telemetry;
