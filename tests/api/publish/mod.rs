//! Publishing: what edges are told of changes, seen from the edge's end of a link.

mod archived;
mod certificates;
mod contents;
mod convergence;
mod counted;
mod crowd;
mod digests;
mod elsewhere;
mod fleet;
mod left_out;
mod link;
mod lookups;
mod on_demand;
mod peer;
mod relay_bounds;
mod relays;
mod renewal;
pub mod replica;
mod rewind;
mod signing;
mod strangers;
mod tombstones;
