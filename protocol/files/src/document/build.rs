//! From the events of the parser to values and marks.

use std::borrow::Cow;

use granit_parser::{ErrorKind, Event, Marker, ScalarStyle, Span, StructureStyle, Tag};
use serde_json::{Map, Value};

use super::{
    MAX_DEPTH,
    events::{parser, place},
    marks::{Entry, Inner, Marks},
    scalar,
};
use crate::problem::{Place, Problem};

/// How many problems of a text are told.
const MAX_PROBLEMS: usize = 100;

/// A list or map that has not ended.
struct Open {
    start: Place,
    flow: bool,
    content: Content,
}

enum Content {
    List(Vec<Value>, Vec<Marks>),
    Map {
        values: Map<String, Value>,
        entries: Vec<Entry>,
        /// A key whose value has not come. Without a text if it was refused.
        key: Option<(Option<Box<str>>, Place)>,
    },
}

#[derive(Default)]
struct Builder<'a> {
    text: &'a str,
    open: Vec<Open>,
    root: Option<(Value, Marks)>,
    problems: Vec<Problem>,
    documents: usize,
}

/// The value of a text and the marks of its nodes.
pub(super) fn build(text: &str) -> Result<(Value, Marks), Vec<Problem>> {
    let mut builder = Builder {
        text,
        ..Builder::default()
    };
    for event in parser(text, false) {
        match event {
            Ok((event, span)) => {
                if !builder.take(event, &span) || builder.problems.len() >= MAX_PROBLEMS {
                    break;
                }
            }
            Err(error) => {
                let message = match error.kind() {
                    ErrorKind::RecursionLimitExceeded => too_deep(),
                    _ => error.info(),
                };
                builder.refuse(place(error.marker()), message);
                break;
            }
        }
    }
    if !builder.problems.is_empty() {
        return Err(builder.problems);
    }
    let start = Place { line: 1, column: 1 };
    let nothing = Marks {
        start,
        end: start,
        inner: Inner::Scalar,
    };
    Ok(builder.root.unwrap_or((Value::Null, nothing)))
}

impl Builder<'_> {
    fn refuse(&mut self, place: Place, message: impl Into<String>) {
        self.problems.push(Problem::at("", place, message));
    }

    /// Takes an event; whether the text is worth reading on.
    fn take(&mut self, event: Event<'_>, span: &Span) -> bool {
        let start = place(&span.start);
        match event {
            Event::DocumentStart(..) => {
                self.documents += 1;
                if self.documents > 1 {
                    self.refuse(start, "a second document: a file holds one");
                    return false;
                }
            }
            Event::Alias(_) | Event::UnresolvedAlias(_) => {
                self.refuse(start, "an alias: write out what it stands for");
                self.value(Value::Null, leaf(span));
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.anchored(anchor, start);
                self.scalar(text, style, tag.as_deref(), span);
            }
            Event::SequenceStart(style, anchor, tag) => {
                self.anchored(anchor, start);
                self.collection_tag(tag.as_deref(), "seq", start);
                return self.begin(start, style, Content::List(Vec::new(), Vec::new()));
            }
            Event::MappingStart(style, anchor, tag) => {
                self.anchored(anchor, start);
                self.collection_tag(tag.as_deref(), "map", start);
                let content = Content::Map {
                    values: Map::new(),
                    entries: Vec::new(),
                    key: None,
                };
                return self.begin(start, style, content);
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(place(&span.end)),
            _ => {}
        }
        true
    }

    fn anchored(&mut self, anchor: usize, place: Place) {
        if anchor != 0 {
            self.refuse(place, "an anchor: write out what refers to it");
        }
    }

    fn collection_tag(&mut self, tag: Option<&Tag>, fitting: &str, place: Place) {
        if let Some(tag) = tag
            && tag.core_suffix() != Some(fitting)
        {
            self.refuse(
                place,
                format!("the tag {} is not known here", tag.original()),
            );
        }
    }

    fn begin(&mut self, start: Place, style: StructureStyle, content: Content) -> bool {
        if self.open.len() >= MAX_DEPTH {
            self.refuse(start, too_deep());
            return false;
        }
        if self.awaits_key() {
            self.refuse(start, "a key must be text, not a list or a map");
            return false;
        }
        let flow = style == StructureStyle::Flow;
        self.open.push(Open {
            start,
            flow,
            content,
        });
        true
    }

    fn end(&mut self, end: Place) {
        let Some(Open {
            start,
            flow,
            content,
        }) = self.open.pop()
        else {
            return;
        };
        let (value, inner) = match content {
            Content::List(values, items) => (Value::Array(values), Inner::List { flow, items }),
            Content::Map {
                values, entries, ..
            } => (Value::Object(values), Inner::Map { flow, entries }),
        };
        self.value(value, Marks { start, end, inner });
    }

    fn awaits_key(&self) -> bool {
        let content = self.open.last().map(|open| &open.content);
        matches!(content, Some(Content::Map { key: None, .. }))
    }

    fn scalar(&mut self, text: Cow<'_, str>, style: ScalarStyle, tag: Option<&Tag>, span: &Span) {
        let mut marks = leaf(span);
        if matches!(style, ScalarStyle::Literal | ScalarStyle::Folded) {
            // The parser says where the content begins, and ends it where it looked for more.
            marks.start = self.block_header(span).unwrap_or(marks.start);
            marks.end = self
                .line_before(&span.end)
                .map_or(marks.end, |(_, behind)| behind);
        }
        let start = marks.start;
        let value = match tag.map(|tag| (tag, tag.core_suffix())) {
            Some((_, Some(name))) => scalar::tagged(name, &text),
            Some((tag, None)) => Err(format!("the tag {} is not known here", tag.original())),
            None if style == ScalarStyle::Plain => scalar::plain(&text),
            None => Ok(Value::String(text.into_owned())),
        };
        if self.awaits_key() {
            return self.key(value, start);
        }
        let value = value.unwrap_or_else(|message| {
            self.refuse(start, message);
            Value::Null
        });
        self.value(value, marks);
    }

    /// Where the `|` or `>` of a block of text stands, whose span begins with its content.
    fn block_header(&self, span: &Span) -> Option<Place> {
        let (line, behind) = self.line_before(&span.start)?;
        let code = line.split(" #").next()?;
        Some(Place {
            line: behind.line,
            column: column_behind(&code[..code.rfind(['|', '>'])?]),
        })
    }

    /// The line of the last thing before a place that is not blank, up to there, and the place behind it.
    fn line_before(&self, marker: &Marker) -> Option<(&str, Place)> {
        let offset = marker.byte_offset()?;
        let before = self
            .text
            .get(..offset)?
            .trim_end_matches([' ', '\t', '\n', '\r']);
        let lines_between = self.text.get(before.len()..offset)?.matches('\n').count();
        let line = before.rsplit('\n').next()?;
        let behind = Place {
            line: place(marker)
                .line
                .saturating_sub(u32::try_from(lines_between).ok()?),
            column: column_behind(line),
        };
        Some((line, behind))
    }

    fn key(&mut self, value: Result<Value, String>, start: Place) {
        let text = match value {
            Ok(Value::String(text)) => Some(text.into_boxed_str()),
            Ok(other) => {
                self.refuse(start, format!("a key must be text: write \"{other}\""));
                None
            }
            Err(message) => {
                self.refuse(start, message);
                None
            }
        };
        if let Some(Open {
            content: Content::Map { key, .. },
            ..
        }) = self.open.last_mut()
        {
            *key = Some((text, start));
        }
    }

    fn value(&mut self, value: Value, marks: Marks) {
        let Some(open) = self.open.last_mut() else {
            self.root = Some((value, marks));
            return;
        };
        match &mut open.content {
            Content::List(values, items) => {
                values.push(value);
                items.push(marks);
            }
            Content::Map {
                values,
                entries,
                key,
            } => match key.take() {
                Some((Some(key), start)) => {
                    let is_new = values.insert(key.to_string(), value).is_none();
                    if is_new {
                        entries.push(Entry {
                            key,
                            start,
                            value: marks,
                        });
                        return;
                    }
                    let first = entries.iter().find(|entry| entry.key == key);
                    let line = first.map_or(0, |entry| entry.start.line);
                    let message =
                        format!("the key {key:?} stands here twice: first in line {line}");
                    self.refuse(start, message);
                }
                Some((None, _)) => {}
                // Only an alias comes here: it was refused.
                None => *key = Some((None, marks.start)),
            },
        }
    }
}

fn too_deep() -> String {
    format!("more than {MAX_DEPTH} lists and maps in one another")
}

fn column_behind(line: &str) -> u32 {
    u32::try_from(line.chars().count()).map_or(u32::MAX, |column| column.saturating_add(1))
}

fn leaf(span: &Span) -> Marks {
    Marks {
        start: place(&span.start),
        end: place(&span.end),
        inner: Inner::Scalar,
    }
}
