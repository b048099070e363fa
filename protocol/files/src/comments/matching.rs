//! Which entries of the new text are those of the old one, and the spots of comments there.

use std::collections::{HashMap, HashSet};

use super::{
    anchors::Anchor,
    edit::Spot,
    entries::{Entries, Entry},
};
use crate::node::Node;

/// For each entry of the old text, the one that it is in the new text.
pub(super) struct Matching<'a> {
    old: &'a Entries<'a>,
    new: &'a Entries<'a>,
    matches: Vec<Option<usize>>,
}

impl<'a> Matching<'a> {
    pub(super) fn new(old: &'a Entries<'a>, new: &'a Entries<'a>) -> Self {
        let mut matches = vec![None; old.0.len()];
        matches[0] = Some(0);
        // Entries come before those in them.
        for (place, entry) in old.0.iter().enumerate() {
            let Some(twin) = matches[place] else {
                continue;
            };
            let pairs = match (entry.node, new.get(twin).node) {
                (Node::Map(_), Node::Map(_)) => by_key(old, entry, new, new.get(twin)),
                (Node::List(_), Node::List(_)) => elements(old, entry, new, new.get(twin)),
                _ => Vec::new(),
            };
            for (old_child, new_child) in pairs {
                matches[old_child] = Some(new_child);
            }
        }
        Self { old, new, matches }
    }

    /// Where a comment goes.
    pub(super) fn spot(&self, anchor: Anchor) -> Spot {
        if !self.new.get(0).is_block() {
            return match anchor {
                Anchor::Header | Anchor::Above(_) => Spot::Header,
                Anchor::Behind(_) | Anchor::End(_) => self.end(0),
            };
        }
        match anchor {
            Anchor::Header => Spot::Header,
            Anchor::Above(entry) => match self.matches[entry] {
                Some(twin) => self.above(twin),
                None => self.of_gone(entry),
            },
            Anchor::Behind(entry) => match self.matches[entry] {
                Some(0) => self.above(0),
                Some(twin) => Spot::Behind {
                    line: self.line_of(twin),
                },
                None => self.of_gone(entry),
            },
            Anchor::End(entry) => match self.matches[entry] {
                Some(twin) => self.end(twin),
                None => self.of_gone(entry),
            },
        }
    }

    /// The nearest of an entry and those around it that begins in a line of its own.
    fn line_of(&self, twin: usize) -> u32 {
        let mut around = self.new.upwards(twin);
        let own = around.find(|entry| !self.new.get(*entry).within_flow);
        self.new.get(own.unwrap_or(0)).head.line
    }

    fn above(&self, twin: usize) -> Spot {
        Spot::Above {
            line: self.line_of(twin),
        }
    }

    fn end(&self, twin: usize) -> Spot {
        if let Some(column) = self.new.inner_column(twin) {
            return Spot::End {
                line: self.new.last_line(twin),
                column,
            };
        }
        match (
            self.new.siblings_after(twin).first(),
            self.new.get(twin).parent,
        ) {
            (Some(next), _) => self.above(*next),
            (None, Some(parent)) => self.end(parent),
            (None, None) => Spot::End {
                line: self.new.last_line(twin),
                column: 1,
            },
        }
    }

    /// Where the comments of an entry go that is not in the new text.
    fn of_gone(&self, entry: usize) -> Spot {
        let mut following = self.old.siblings_after(entry).iter();
        if let Some(next) = following.find_map(|sibling| self.matches[*sibling]) {
            return self.above(next);
        }
        let parent = self.old.get(entry).parent.unwrap_or(0);
        match self.matches[parent] {
            Some(twin) => self.end(twin),
            None => self.of_gone(parent),
        }
    }
}

type Pairs = Vec<(usize, usize)>;

fn by_key(old: &Entries<'_>, old_map: &Entry<'_>, new: &Entries<'_>, new_map: &Entry<'_>) -> Pairs {
    let new_children = new_map.children.iter();
    let by_key: HashMap<_, _> = new_children
        .map(|child| (new.get(*child).key, *child))
        .collect();
    let pairs = old_map.children.iter().filter_map(|child| {
        let twin = by_key.get(&old.get(*child).key)?;
        Some((*child, *twin))
    });
    pairs.collect()
}

/// What an element of a list goes by.
#[derive(PartialEq, Eq, Hash)]
enum Name<'a> {
    /// A field that names things, and what it says.
    Given(&'a str, &'a str),
    /// All that it says.
    Whole(String),
}

fn name<'a>(node: &'a Node) -> Name<'a> {
    let field = |name: &'static str| match node {
        Node::Map(map) => map.iter().find_map(|(key, value)| match value {
            Node::Text(text) if key == name => Some(Name::Given(name, text)),
            _ => None,
        }),
        _ => None,
    };
    let given = ["key", "id", "slug"].into_iter().find_map(field);
    given.unwrap_or_else(|| Name::Whole(serde_json::to_string(node).unwrap_or_default()))
}

fn elements(
    old: &Entries<'_>,
    old_list: &Entry<'_>,
    new: &Entries<'_>,
    new_list: &Entry<'_>,
) -> Pairs {
    let new_names: Vec<_> = new_list
        .children
        .iter()
        .map(|child| name(new.get(*child).node))
        .collect();
    let mut by_name: HashMap<&Name<'_>, Vec<usize>> = HashMap::new();
    for (index, name) in new_names.iter().enumerate().rev() {
        by_name.entry(name).or_default().push(index);
    }
    let mut taken = HashSet::new();
    let mut pairs = Pairs::new();
    let mut left = Vec::new();
    for (index, child) in old_list.children.iter().enumerate() {
        let name = name(old.get(*child).node);
        let named = by_name.get_mut(&name);
        let same_index = new_names.get(index) == Some(&name) && !taken.contains(&index);
        let found = if same_index {
            Some(index)
        } else {
            named.and_then(|named| {
                while named.last().is_some_and(|index| taken.contains(index)) {
                    named.pop();
                }
                named.pop()
            })
        };
        match (found, name) {
            (Some(found), _) => {
                taken.insert(found);
                pairs.push((*child, new_list.children[found]));
            }
            (None, Name::Whole(_)) if !old.get(*child).node.is_scalar() => {
                left.push((index, *child));
            }
            (None, _) => {}
        }
    }
    for (index, child) in left {
        let is_free =
            !taken.contains(&index) && matches!(new_names.get(index), Some(Name::Whole(_)));
        if is_free && !new.get(new_list.children[index]).node.is_scalar() {
            pairs.push((child, new_list.children[index]));
        }
    }
    pairs
}
