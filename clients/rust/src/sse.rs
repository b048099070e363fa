//! Server-sent events, as far as an edge sends them, with bounds on everything.

use std::mem;

/// The most bytes of a field that is not data.
const SMALL: usize = 1 << 10;

/// An event. Reconnection delays are left to the client's own waits.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its kind; empty if none is named.
    pub(crate) name: String,
    /// Its data, lines joined by line feeds.
    pub(crate) data: String,
}

/// Why a stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Broken {
    #[error("an event of the stream is longer than {0} bytes")]
    TooLong(usize),
    #[error("the stream is not UTF-8")]
    Text,
}

/// Takes bytes as they come.
#[derive(Debug)]
pub(crate) struct Parser {
    /// The most bytes of the data of an event.
    limit: usize,
    line: Vec<u8>,
    event: Event,
    has_data: bool,
    /// A carriage return ended the last line: a line feed that follows belongs to it.
    after_return: bool,
}

impl Parser {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            limit,
            line: Vec::new(),
            event: Event::default(),
            has_data: false,
            after_return: false,
        }
    }

    /// Takes bytes, and hands over the events that they complete.
    pub(crate) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(Event),
    ) -> Result<(), Broken> {
        if mem::take(&mut self.after_return) && bytes.first() == Some(&b'\n') {
            bytes = bytes.get(1..).unwrap_or_default();
        } else if bytes.is_empty() {
            return Ok(());
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = bytes.split_at(end);
            self.extend(line)?;
            self.end_line(&mut each)?;
            let is_both = rest.starts_with(b"\r\n");
            self.after_return = rest == b"\r";
            bytes = rest.get(if is_both { 2 } else { 1 }..).unwrap_or_default();
        }
        self.extend(bytes)
    }

    fn extend(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        if self.line.len() + bytes.len() > self.limit + "data: ".len() {
            return Err(Broken::TooLong(self.limit));
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, each: &mut impl FnMut(Event)) -> Result<(), Broken> {
        let line = mem::take(&mut self.line);
        if line.is_empty() {
            let event = mem::take(&mut self.event);
            if mem::take(&mut self.has_data) {
                each(event);
            }
            return Ok(());
        }
        let line = String::from_utf8(line).map_err(|_| Broken::Text)?;
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "data" => {
                if self.event.data.len() + value.len() + 1 > self.limit {
                    return Err(Broken::TooLong(self.limit));
                }
                if self.has_data {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
                self.has_data = true;
            }
            "event" if value.len() > SMALL => return Err(Broken::TooLong(SMALL)),
            "event" => value.clone_into(&mut self.event.name),
            // Comments, ids (data repeats them), and what is not known.
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STREAM: &str = "retry: 3000\r\n\r\nid: 1-a\nevent: at\ndata: {\"version\":1}\n\n: beat\n\n\
                          event: delta\rdata:AAAA\rdata: BB\r\rdata\n\nevent: none\n\nid: x\n";

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.to_owned(),
            data: data.to_owned(),
        }
    }

    fn read<'p>(
        limit: usize,
        parts: impl IntoIterator<Item = &'p [u8]>,
    ) -> Result<Vec<Event>, Broken> {
        let (mut parser, mut events) = (Parser::new(limit), Vec::new());
        for part in parts {
            parser.feed(part, |event| events.push(event))?;
        }
        Ok(events)
    }

    #[test]
    fn events_are_the_same_however_the_bytes_are_cut() {
        let expected = vec![
            event("at", "{\"version\":1}"),
            event("delta", "AAAA\nBB"),
            event("", ""),
        ];
        let bytes = STREAM.as_bytes();
        for cut in 0..=bytes.len() {
            let (a, b) = bytes.split_at(cut);
            assert_eq!(read(100, [a, b]), Ok(expected.clone()), "cut at {cut}");
        }
        assert_eq!(read(100, bytes.chunks(1)), Ok(expected));
    }

    #[test]
    fn an_event_without_its_empty_line_is_none() {
        assert_eq!(read(100, [&b"event: at\ndata: 1\n"[..]]), Ok(vec![]));
    }

    #[test]
    fn what_is_too_long_is_refused_before_it_is_kept() {
        let line = "x".repeat(200);
        assert_eq!(read(100, [line.as_bytes()]), Err(Broken::TooLong(100)));
        let lines = "data: 12345678\n".repeat(20);
        assert_eq!(read(100, [lines.as_bytes()]), Err(Broken::TooLong(100)));
        let fits = format!("data: {}\n\n", "x".repeat(99));
        assert_eq!(read(100, [fits.as_bytes()]).map(|all| all.len()), Ok(1));
        let comments = ": a comment\n".repeat(100);
        assert_eq!(read(100, [comments.as_bytes()]), Ok(vec![]));
    }

    #[test]
    fn bytes_that_are_no_text_are_refused() {
        assert_eq!(read(100, [&b"data: \xff\n"[..]]), Err(Broken::Text));
    }
}
