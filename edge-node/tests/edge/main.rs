//! The edge in this process, as seen by its clients and by its upstream.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod authority;
mod client;
mod clock;
mod evaluation;
mod keys;
mod link;
mod memory;
mod ofrep;
mod ofrep_stream;
mod peer;
mod pushes;
mod relays;
mod renewal;
mod returns;
mod sdk;
mod signatures;
mod slow;
mod stream;
mod support;
mod usage;
mod whole;
mod work;
