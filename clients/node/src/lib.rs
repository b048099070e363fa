//! The library of `@halyard/node`: the Rust SDK, as Node.js calls it.
//!
//! What applications see is `clients/node/lib`, which gives these classes names, types and events. Nothing is decided here.

#![expect(unreachable_pub, reason = "JavaScript reaches it")]

mod client;
mod context;
mod detail;
mod news;
mod options;
mod runtime;
mod status;
