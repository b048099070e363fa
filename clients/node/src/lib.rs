//! The library of `@halyard/node`: the Rust SDK, as Node.js calls it.
//!
//! What applications see is `clients/node/lib`, which gives these classes and functions names, types and events. Nothing is decided here.

#![expect(unreachable_pub, reason = "JavaScript reaches it")]

mod ask;
mod client;
mod detail;
mod news;
mod numbered;
mod options;
mod runtime;
mod status;
