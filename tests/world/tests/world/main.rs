//! Control planes, a relay, edges, their network, their clients and their clocks in one process, driven by one seed.
//!
//! The hub, greetings, frames, relays, edges, their copies and their usage are the real ones, on real QUIC. Replaced are the
//! network below it, the time, and the database, which is a model of what control planes see of one: commits, snapshots, late
//! and lost answers, restores, promotions. Time is virtual: while everybody waits it goes on to the next event.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod authority;
mod checks;
mod database;
mod dice;
mod edge;
mod line;
mod network;
mod node;
mod replica;
mod seeds;
mod steps;
mod weather;
mod world;
