//! Flags as files: the text of files and folders, whatever they say.
//!
//! A [`Document`] is a YAML or JSON text with the place of every node, [`deserialize`] makes types of it and places what does not
//! fit. Nothing here knows a flag.

#![forbid(unsafe_code)]

pub mod document;
mod node;
mod path;
mod problem;
mod typed;

pub use self::{
    document::Document,
    node::Node,
    path::{NotAPath, Path, Step},
    problem::{Place, Problem},
    typed::{deserialize, nearest, unknown_fields},
};
