//! Serving the link to other edges.

mod frames;
