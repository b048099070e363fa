//! What-if on real traffic: what edges sample, and what they find.

mod examples;
mod questions;
mod refusals;
mod sampling;
