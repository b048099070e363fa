//! Carrying the comments of a text over to what it is rewritten as.

mod anchors;
mod edit;
mod entries;
mod matching;
#[cfg(test)]
mod tests;

use self::{anchors::anchors, edit::Edit, entries::Entries, matching::Matching};
use crate::{
    document::{self, Document},
    write::to_yaml,
};

/// `new`, as [`to_yaml`] writes it, with the comments of `old` in place of its own. Both are YAML.
///
/// Comments stay with what they are about, wherever that stands in the new text:
///
/// - those at the start of the file that a blank line parts from the rest stay there, and the blank line with them;
/// - those in lines of their own stay above the entry that they stood above, or at the end of the list or map at whose end they
///   stood, by their indentation;
/// - one behind an entry stays in its line; a second one for the same line goes above it.
///
/// An element of a list is the one with the same `key`, `id` or `slug`, or one that is equal; else, for lists and maps, the one
/// with the same index. The comments of an entry that is gone go above the next one in the same list or map that is still there,
/// else to its end. Other blank lines are not kept. Without comments if `old` cannot be read; `new` as it is if that cannot.
///
/// What is read from the answer is what is read from `new`, and carrying again, from `old` or from the answer, changes nothing.
pub fn carry(old: &str, new: &str) -> String {
    let Ok(wanted) = Document::parse(new) else {
        return new.to_owned();
    };
    let bare = to_yaml(&wanted.to_node());
    let comments = document::comments(old);
    let (Ok(before), Ok(after)) = (Document::parse(old), Document::parse(&bare)) else {
        return bare;
    };
    if comments.is_empty() {
        return bare;
    }
    let (old_node, new_node) = (before.to_node(), after.to_node());
    let old_entries = Entries::new(&old_node, before.marks());
    let new_entries = Entries::new(&new_node, after.marks());
    let matching = Matching::new(&old_entries, &new_entries);
    let mut edit = Edit::default();
    for (comment, anchor) in comments.iter().zip(anchors(&old_entries, &comments)) {
        edit.add(&comment.text, matching.spot(anchor));
    }
    let carried = edit.apply(&bare);
    // Holds by construction; data is worth more than comments.
    match Document::parse(&carried) {
        Ok(document) if document.value() == wanted.value() => carried,
        _ => bare,
    }
}
