//! Flags, segments and environments as people write them: their fields, the checks of what is written, and their compiled
//! form. The control plane, an edge that reads files and the command line share them, so that all refuse the same with the
//! same words.
//!
//! No I/O, no async, no clock. With the feature `server`, types can be read from the database, and invalid input
//! becomes an answer of HTTP.

pub mod environments;
pub mod flags;
pub mod ids;
pub mod input;
pub mod segments;
pub mod size;
pub mod warning;
pub mod wish;
