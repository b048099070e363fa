//! The edge in this process, as its clients and as whoever feeds it see it.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod evaluation;
mod link;
mod peer;
mod pushes;
mod stream;
mod support;
