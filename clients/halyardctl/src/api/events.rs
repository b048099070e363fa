//! A stream of events, as servers send them (`text/event-stream`).

use std::{collections::VecDeque, time::Duration};

use reqwest::Response;
use tokio::time::timeout;

use super::Error;

/// How long a stream may be silent. The service sends a heartbeat more often.
const SILENCE: Duration = Duration::from_secs(90);
/// The longest line that is kept, in bytes.
const MAX_LINE: usize = 1 << 20;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its position, if it has one.
    pub id: Option<String>,
    /// What it is.
    pub name: String,
    /// Its data, which is JSON.
    pub data: String,
}

/// The events of an open stream.
#[derive(Debug)]
pub struct Events {
    answer: Response,
    reader: Reader,
}

impl Events {
    pub(super) fn new(answer: Response) -> Self {
        Self {
            answer,
            reader: Reader::default(),
        }
    }

    /// The next event; `None` when the stream ended.
    ///
    /// # Errors
    /// When the connection broke or is silent.
    pub async fn next(&mut self) -> Result<Option<Event>, Error> {
        loop {
            if let Some(event) = self.reader.complete.pop_front() {
                return Ok(Some(event));
            }
            let read = timeout(SILENCE, self.answer.chunk()).await;
            let read = read.map_err(|_| Error::Failed("the stream is silent".to_owned()))?;
            match read.map_err(|why| Error::while_doing("the stream broke", why.without_url()))? {
                Some(bytes) => self.reader.read(&bytes)?,
                None => return Ok(None),
            }
        }
    }
}

/// Makes events of bytes.
#[derive(Debug, Default)]
struct Reader {
    line: Vec<u8>,
    event: Event,
    complete: VecDeque<Event>,
}

impl Reader {
    fn read(&mut self, bytes: &[u8]) -> Result<(), Error> {
        for &byte in bytes {
            if byte == b'\n' {
                let line = std::mem::take(&mut self.line);
                let line = String::from_utf8_lossy(&line);
                self.take(line.trim_end_matches('\r'));
            } else if self.line.len() < MAX_LINE {
                self.line.push(byte);
            } else {
                return Err(Error::Failed("the stream has no end of a line".to_owned()));
            }
        }
        Ok(())
    }

    fn take(&mut self, line: &str) {
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if !event.data.is_empty() {
                self.complete.push_back(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.event.id = Some(value.to_owned()),
            "event" => value.clone_into(&mut self.event.name),
            "data" => {
                if !self.event.data.is_empty() {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(value);
            }
            // Comments, which are heartbeats, and the time to wait.
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_read_wherever_the_bytes_are_cut() {
        let text = "retry: 3000\n\nid: 7\r\nevent: change\r\ndata: {\"a\":\ndata: 1}\n\n: beat\n\nevent: edges\ndata:{}\n\n";
        for cut in 0..text.len() {
            let mut reader = Reader::default();
            reader.read(&text.as_bytes()[..cut]).unwrap();
            reader.read(&text.as_bytes()[cut..]).unwrap();
            let change = Event {
                id: Some("7".to_owned()),
                name: "change".to_owned(),
                data: "{\"a\":\n1}".to_owned(),
            };
            let edges = Event {
                id: None,
                name: "edges".to_owned(),
                data: "{}".to_owned(),
            };
            assert_eq!(reader.complete, [change, edges], "cut at {cut}");
        }
    }

    #[test]
    fn a_line_without_an_end_is_given_up() {
        let mut reader = Reader::default();
        assert!(reader.read(&vec![b'a'; MAX_LINE]).is_ok());
        assert!(reader.read(b"a").is_err());
    }
}
