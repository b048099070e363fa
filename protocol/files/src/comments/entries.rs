//! The entries of a document in the order of its text, with what is needed to say which one a comment is about.

use crate::{
    document::{Inner, Marks},
    node::Node,
    problem::Place,
};

/// The root, an entry of a map, or an element of a list.
pub(super) struct Entry<'a> {
    /// Where it is in the list of entries.
    pub(super) parent: Option<usize>,
    /// Its key, in a map.
    pub(super) key: Option<&'a str>,
    pub(super) node: &'a Node,
    /// Where its key stands, or itself without one.
    pub(super) head: Place,
    /// Behind its last character.
    pub(super) end: Place,
    /// The column of its key or of the dash before it.
    pub(super) column: u32,
    /// In a list or map in brackets, so that no line is its own.
    pub(super) within_flow: bool,
    /// A list or map in brackets.
    pub(super) is_flow: bool,
    pub(super) children: Vec<usize>,
}

impl Entry<'_> {
    /// A list or map with entries in lines of their own.
    pub(super) fn is_block(&self) -> bool {
        !self.is_flow && !self.children.is_empty()
    }
}

/// All entries, the root first, each before those in it.
pub(super) struct Entries<'a>(pub(super) Vec<Entry<'a>>);

impl<'a> Entries<'a> {
    pub(super) fn new(node: &'a Node, marks: &'a Marks) -> Self {
        let mut entries = Self(Vec::new());
        let root = Entry {
            parent: None,
            key: None,
            node,
            head: marks.start,
            end: marks.end,
            column: marks.start.column,
            within_flow: false,
            is_flow: false,
            children: Vec::new(),
        };
        entries.add(root, marks);
        entries
    }

    fn add(&mut self, mut entry: Entry<'a>, marks: &'a Marks) -> usize {
        let place = self.0.len();
        let node = entry.node;
        let parent = Some(place);
        let in_brackets = entry.within_flow;
        let is_flow = matches!(
            marks.inner,
            Inner::List { flow: true, .. } | Inner::Map { flow: true, .. }
        );
        entry.is_flow = is_flow;
        self.0.push(entry);
        let child = |key, node, head: Place, column, marks: &Marks| Entry {
            parent,
            key,
            node,
            head,
            end: marks.end,
            column,
            within_flow: is_flow || in_brackets,
            is_flow: false,
            children: Vec::new(),
        };
        let mut children = Vec::new();
        match (node, &marks.inner) {
            (Node::List(list), Inner::List { items, .. }) => {
                for (node, item) in list.iter().zip(items) {
                    let element = child(None, node, item.start, marks.start.column, item);
                    children.push(self.add(element, item));
                }
            }
            (Node::Map(map), Inner::Map { entries, .. }) => {
                for ((key, node), entry) in map.iter().zip(entries) {
                    let at = entry.start;
                    let value = child(Some(key), node, at, at.column, &entry.value);
                    children.push(self.add(value, &entry.value));
                }
            }
            _ => {}
        }
        if !is_flow && let Some(last) = children.last() {
            self.0[place].end = self.0[*last].end;
        }
        self.0[place].children = children;
        place
    }

    pub(super) fn get(&self, entry: usize) -> &Entry<'a> {
        &self.0[entry]
    }

    /// An entry, the one that it is in, and so on to the root.
    pub(super) fn upwards(&self, entry: usize) -> impl Iterator<Item = usize> {
        std::iter::successors(Some(entry), |entry| self.0[*entry].parent)
    }

    /// The entries that follow one in the list or map that it is in.
    pub(super) fn siblings_after(&self, entry: usize) -> &[usize] {
        let siblings = match self.0[entry].parent {
            Some(parent) => &self.0[parent].children[..],
            None => &[],
        };
        let place = siblings.iter().position(|sibling| *sibling == entry);
        place.map_or(&[], |place| &siblings[place + 1..])
    }

    /// The column of the entries of a list or map in block style.
    pub(super) fn inner_column(&self, entry: usize) -> Option<u32> {
        let entry = &self.0[entry];
        let first = entry.children.first().filter(|_| entry.is_block())?;
        Some(self.0[*first].column)
    }

    /// The last line of an entry.
    pub(super) fn last_line(&self, entry: usize) -> u32 {
        let Entry { head, end, .. } = &self.0[entry];
        end.line.max(head.line)
    }
}
