//! Reading a text, with the place of everything in it.

mod build;
mod events;
mod marks;
mod scalar;
#[cfg(test)]
mod tests;

use serde_json::Value;

pub(crate) use self::{
    events::{Comment, comments},
    marks::{Inner, Marks},
};
use crate::{
    node::Node,
    path::{Path, Step},
    problem::{Place, Problem},
};

/// The longest text that is read, in bytes: 1 MiB.
pub const MAX_BYTES: usize = 1 << 20;

/// How many lists and maps may stand in one another.
pub const MAX_DEPTH: usize = 64;

/// A YAML or JSON text that was read: its value, and where each node stands.
///
/// JSON is read as the YAML that it is. Plain scalars mean what the core schema of YAML 1.2 says: `yes`, `no`, `on` and `off` are
/// text, `0x1F` and `0o17` are integers. Narrower than YAML, so that a file means one thing to every reader:
///
/// - one document, without directives, anchors, aliases, and tags other than `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!seq` and
///   `!!map`;
/// - keys are text, and none stands twice in a map;
/// - integers fit into 64 bits, signed or unsigned: a longer one would lose digits. They have no leading zeros, which some readers
///   take for octal and people for text. Numbers are finite;
/// - at most [`MAX_BYTES`] bytes, and [`MAX_DEPTH`] lists and maps in one another.
///
/// A text without a document, also one of comments alone, is `null`.
#[derive(Clone, Debug)]
pub struct Document {
    name: String,
    value: Value,
    marks: Marks,
}

impl Document {
    /// Reads a text that has no name.
    ///
    /// # Errors
    ///
    /// What is wrong with its content, in order, up to the first error of syntax; at most 100 problems.
    pub fn parse(text: &str) -> Result<Self, Vec<Problem>> {
        Self::parse_named("", text)
    }

    /// Reads the text of a file, whose name its problems bear.
    ///
    /// # Errors
    ///
    /// As [`Self::parse`].
    pub fn parse_named(name: &str, text: &str) -> Result<Self, Vec<Problem>> {
        if text.len() > MAX_BYTES {
            let message = format!("has {} bytes, more than {MAX_BYTES}", text.len());
            return Err(vec![Problem::of_file(name, message)]);
        }
        match build::build(text) {
            Ok((value, marks)) => Ok(Self {
                name: name.to_owned(),
                value,
                marks,
            }),
            Err(mut problems) => {
                for problem in &mut problems {
                    name.clone_into(&mut problem.file);
                }
                problems.sort();
                Err(problems)
            }
        }
    }

    /// The name that the document was given; empty without one.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the text says. Keys are in the order of `serde_json`; [`Self::to_node`] has them as written.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// What the text says, its keys in the order of the text.
    pub fn to_node(&self) -> Node {
        marks::ordered(&self.value, &self.marks)
    }

    /// The value at a path, if there is one.
    pub fn get(&self, path: &Path) -> Option<&Value> {
        path.steps()
            .iter()
            .try_fold(&self.value, |value, step| match step {
                Step::Key(key) => value.get(key),
                Step::Index(index) => value.get(index),
            })
    }

    /// The keys of the map at a path, in the order of the text; none if no map is there.
    pub fn keys(&self, path: &Path) -> Vec<&str> {
        match self.marks.find(path) {
            Some(Marks {
                inner: Inner::Map { entries, .. },
                ..
            }) => entries.iter().map(|entry| &*entry.key).collect(),
            _ => Vec::new(),
        }
    }

    /// Where to look for what is at a path: its value, or its key where the value begins in a later line. Of a path that leads
    /// nowhere, the nearest node above it that is there.
    pub fn place(&self, path: &Path) -> Place {
        self.marks.nearest(path).place()
    }

    /// Where the key at the end of a path stands; of an element of a list and of the root, the element itself. Of a path that
    /// leads nowhere, the nearest node above it that is there.
    pub fn key_place(&self, path: &Path) -> Place {
        self.marks.nearest(path).head
    }

    /// A problem with what is at a path, at [`Self::place`].
    pub fn problem(&self, path: &Path, message: impl Into<String>) -> Problem {
        Problem::at(&self.name, self.place(path), message)
    }

    pub(crate) fn marks(&self) -> &Marks {
        &self.marks
    }
}
