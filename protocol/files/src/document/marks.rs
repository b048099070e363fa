//! Where nodes stand: a tree beside the tree of values, which costs nothing to look up until somebody asks.

use serde_json::Value;

use crate::{
    node::Node,
    path::{Path, Step},
    problem::Place,
};

/// Where a node stands, and the nodes in it.
#[derive(Clone, Debug)]
pub(crate) struct Marks {
    pub(crate) start: Place,
    /// Behind its last character. Of a list or map in block style, which has no end of its own: the start of what follows.
    pub(crate) end: Place,
    pub(crate) inner: Inner,
}

#[derive(Clone, Debug)]
pub(crate) enum Inner {
    Scalar,
    List { flow: bool, items: Vec<Marks> },
    Map { flow: bool, entries: Vec<Entry> },
}

/// A key of a map and where it stands.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) key: Box<str>,
    pub(crate) start: Place,
    pub(crate) value: Marks,
}

/// A node that was found.
pub(super) struct Found<'a> {
    /// Its key, or itself where it has none.
    pub(super) head: Place,
    pub(super) marks: &'a Marks,
}

impl Found<'_> {
    pub(super) fn place(&self) -> Place {
        if self.marks.start.line == self.head.line {
            self.marks.start
        } else {
            self.head
        }
    }
}

impl Marks {
    fn step(&self, step: &Step) -> Option<Found<'_>> {
        match (&self.inner, step) {
            (Inner::List { items, .. }, Step::Index(index)) => {
                items.get(*index).map(|marks| Found {
                    head: marks.start,
                    marks,
                })
            }
            (Inner::Map { entries, .. }, Step::Key(key)) => {
                let entry = entries.iter().find(|entry| *entry.key == **key)?;
                Some(Found {
                    head: entry.start,
                    marks: &entry.value,
                })
            }
            _ => None,
        }
    }

    /// The node at a path, or the last one on the way to it.
    pub(super) fn nearest(&self, path: &Path) -> Found<'_> {
        let mut found = Found {
            head: self.start,
            marks: self,
        };
        for step in path.steps() {
            let Some(next) = found.marks.step(step) else {
                break;
            };
            found = next;
        }
        found
    }

    pub(super) fn find(&self, path: &Path) -> Option<&Self> {
        path.steps().iter().try_fold(self, |marks, step| {
            marks.step(step).map(|found| found.marks)
        })
    }
}

/// A value with its keys in the order of the text.
pub(super) fn ordered(value: &Value, marks: &Marks) -> Node {
    match (value, &marks.inner) {
        (Value::Array(list), Inner::List { items, .. }) => {
            let pairs = list.iter().zip(items);
            Node::List(pairs.map(|(value, marks)| ordered(value, marks)).collect())
        }
        (Value::Object(map), Inner::Map { entries, .. }) => {
            let pairs = entries.iter().map(|entry| {
                let value = map.get(&*entry.key).unwrap_or(&Value::Null);
                (entry.key.to_string(), ordered(value, &entry.value))
            });
            Node::Map(pairs.collect())
        }
        (scalar, _) => scalar.clone().into(),
    }
}
