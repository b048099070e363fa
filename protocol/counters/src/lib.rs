//! Counts the answers for flags without locks. Edges do, and SDKs that evaluate in their own process.

mod answers;
mod counters;
mod seats;

pub use self::{
    answers::{ANSWERS, Answers, Given},
    counters::{Counters, Counting},
};
