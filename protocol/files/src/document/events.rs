//! What the parser of YAML says of a text.

use granit_parser::{Event, Marker, Parser};

use crate::problem::Place;

/// A comment, as written from its `#` on, without blanks at its end.
pub(crate) struct Comment {
    pub(crate) text: String,
    pub(crate) place: Place,
    /// Whether something else stands before it in its line.
    pub(crate) behind: bool,
}

/// The events of a text.
pub(super) fn parser(text: &str, with_comments: bool) -> Parser<'_, granit_parser::StrInput<'_>> {
    let mut options = granit_parser::options! {
        flow_nesting_limit: super::MAX_DEPTH,
        block_nesting_limit: super::MAX_DEPTH,
        disallow_directives: true,
        emit_unresolved_aliases: true,
        max_buffered_comment_events: super::MAX_BYTES,
    };
    options.set_emit_comments(with_comments);
    Parser::new_from_str_with_options(text, options)
}

/// The comments of a text, in order. Those up to the first error of syntax, if there is one.
pub(crate) fn comments(text: &str) -> Vec<Comment> {
    let events = parser(text, true).map_while(Result::ok);
    let comments = events.filter_map(|(event, span)| {
        let Event::Comment(comment, _) = event else {
            return None;
        };
        let before = text.get(..span.start.byte_offset()?)?;
        let line = before.rsplit(['\n', '\r']).next()?;
        Some(Comment {
            text: format!("#{}", comment.trim_end()),
            place: place(&span.start),
            behind: !line.trim_matches(['\u{feff}', ' ', '\t']).is_empty(),
        })
    });
    let mut comments: Vec<_> = comments.collect();
    comments.sort_by_key(|comment| comment.place);
    comments
}

pub(super) fn place(marker: &Marker) -> Place {
    let number = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Place {
        line: number(marker.line()),
        column: number(marker.col()).saturating_add(1),
    }
}
