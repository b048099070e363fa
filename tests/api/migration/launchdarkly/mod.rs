//! Imports from LaunchDarkly: what is read, and that answers stay what they were.

mod answers;
mod reading;
