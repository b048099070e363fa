//! What-if on real traffic: what edges sample, and what they find.

mod questions;
mod refusals;
mod sampling;
