//! Where code names flags: what scans of repositories found, so that a flag can be seen to be used, and to be used no more.
//!
//! Who scans is trusted about what was found. The text of a line is never sent, so that no source is kept here.

pub mod change;
pub mod input;
pub mod model;
pub mod store;
