//! Flags as files.
//!
//! A [`Document`] is a YAML or JSON text with the place of every node, [`deserialize`] makes types of it and places what does not
//! fit. [`mod@write`] has the one form in which files are written, [`comments`] carries the comments of a text over to what it is
//! rewritten as. [`tree`] reads and writes folders. Three modules know flags: [`project`] makes of files what the API makes of
//! bodies, [`content`] makes files of what the API shows, and [`sentences`] tells differences.

#![forbid(unsafe_code)]

#[cfg(test)]
mod arbitrary;
pub mod comments;
pub mod content;
pub mod document;
mod node;
mod path;
mod problem;
pub mod project;
pub mod sentences;
pub mod tree;
mod typed;
pub mod write;

pub use self::{
    document::Document,
    node::Node,
    path::{NotAPath, Path, Step},
    problem::{Place, Problem},
    typed::{deserialize, meant, unknown_fields},
};
