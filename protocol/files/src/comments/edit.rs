//! Putting comments into a text.

use std::{cmp::Reverse, collections::BTreeMap};

/// Where a comment goes. Lines count from 1, in the text without comments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spot {
    /// At the start, parted from the rest by a blank line.
    Header,
    /// Above a line, indented as it is.
    Above { line: u32 },
    /// At the end of a line.
    Behind { line: u32 },
    /// Below a line, at a column.
    End { line: u32, column: u32 },
}

/// The comments above a line.
#[derive(Default)]
struct Between {
    /// Of what ends there, with their columns: what is further in ends first.
    ends: Vec<(u32, String)>,
    above: Vec<String>,
}

/// Comments on their way into a text.
#[derive(Default)]
pub(super) struct Edit {
    header: Vec<String>,
    /// By the line below them.
    between: BTreeMap<u32, Between>,
    behind: BTreeMap<u32, String>,
}

impl Edit {
    pub(super) fn add(&mut self, comment: &str, spot: Spot) {
        let comment = comment.to_owned();
        match spot {
            Spot::Header => self.header.push(comment),
            Spot::Behind { line } if !self.behind.contains_key(&line) => {
                self.behind.insert(line, comment);
            }
            Spot::Above { line } | Spot::Behind { line } => {
                self.between.entry(line).or_default().above.push(comment);
            }
            Spot::End { line, column } => {
                let between = self.between.entry(line + 1).or_default();
                between.ends.push((column, comment));
            }
        }
    }

    /// The text with the comments.
    pub(super) fn apply(mut self, text: &str) -> String {
        let mut out = String::with_capacity(text.len() * 2);
        for comment in &self.header {
            push_line(&mut out, "", comment);
        }
        if !self.header.is_empty() {
            out.push('\n');
        }
        let mut number = 0;
        for line in text.lines() {
            number += 1;
            let indent = &line[..line.len() - line.trim_start_matches(' ').len()];
            self.push_between(&mut out, number, indent);
            match self.behind.get(&number) {
                Some(comment) => push_line(&mut out, line, &format!(" {comment}")),
                None => push_line(&mut out, line, ""),
            }
        }
        self.push_between(&mut out, number + 1, "");
        out
    }

    fn push_between(&mut self, out: &mut String, number: u32, indent: &str) {
        let Some(mut between) = self.between.remove(&number) else {
            return;
        };
        between.ends.sort_by_key(|(column, _)| Reverse(*column));
        for (column, comment) in between.ends {
            out.extend((1..column).map(|_| ' '));
            push_line(out, "", &comment);
        }
        for comment in between.above {
            push_line(out, indent, &comment);
        }
    }
}

fn push_line(out: &mut String, start: &str, rest: &str) {
    out.push_str(start);
    out.push_str(rest);
    out.push('\n');
}
