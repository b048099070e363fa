//! What the comments of a text are about.

use super::entries::Entries;
use crate::document::Comment;

/// What a comment is about. Numbers are those of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    /// The file.
    Header,
    /// The entry below it.
    Above(usize),
    /// The entry in whose line it is.
    Behind(usize),
    /// What ends above it.
    End(usize),
}

/// What each comment is about.
pub(super) fn anchors(entries: &Entries<'_>, comments: &[Comment]) -> Vec<Anchor> {
    let root = entries.get(0);
    if root.children.is_empty() && root.head == root.end {
        return vec![Anchor::Header; comments.len()];
    }
    let first = usize::from(!root.children.is_empty());
    let before_all = comments.partition_point(|comment| comment.place < root.head);
    let mut line = root.head.line;
    let mut header = before_all;
    while header > 0 && !comments[header - 1].behind && comments[header - 1].place.line + 1 == line
    {
        header -= 1;
        line -= 1;
    }
    let anchor = |(place, comment)| match place {
        place if place < header => Anchor::Header,
        place if place < before_all => Anchor::Above(first),
        _ => anchor(entries, comment),
    };
    comments.iter().enumerate().map(anchor).collect()
}

/// What a comment is about that stands behind the start of the root.
fn anchor(entries: &Entries<'_>, comment: &Comment) -> Anchor {
    let at = comment.place;
    let next = entries.0.partition_point(|entry| entry.head < at);
    let last = next - 1;
    if comment.behind {
        let ended = entries.upwards(last).filter(|entry| {
            let entry = entries.get(*entry);
            entry.is_flow && entry.end <= at
        });
        let about = ended.last().unwrap_or(last);
        if entries.get(about).head.line == at.line || entries.last_line(about) == at.line {
            return Anchor::Behind(about);
        }
    }
    let open = entries.upwards(last).filter(|entry| {
        let entry = entries.get(*entry);
        entry.is_flow && entry.end > at
    });
    if let Some(open) = open.last() {
        let follows = next < entries.0.len() && entries.upwards(next).any(|entry| entry == open);
        return Anchor::Above(if follows { next } else { open });
    }
    // The innermost block that goes on, or ends, at the comment's column.
    let fitting = entries.upwards(last).find(|entry| {
        let column = entries.inner_column(*entry);
        column.is_some_and(|column| column <= at.column)
    });
    let block = fitting.unwrap_or(0);
    match entries.0.get(next) {
        Some(entry) if at.column <= entry.column => Anchor::Above(next),
        Some(_) if comment.behind || entries.upwards(next).any(|entry| entry == block) => {
            Anchor::Above(next)
        }
        _ => Anchor::End(block),
    }
}
