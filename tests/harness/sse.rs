//! A client of the event stream, as an SDK would read it.

use std::collections::VecDeque;

use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::stream::BoxStream;
use reqwest::RequestBuilder;
use reqwest::header::HeaderMap;
use serde_json::Value;
use tokio::time::timeout;

use crate::patience::patience;

/// An open stream.
pub struct Stream {
    pub status: u16,
    pub headers: HeaderMap,
    chunks: BoxStream<'static, reqwest::Result<Bytes>>,
    buffer: String,
    ready: VecDeque<Event>,
    /// Comment lines seen so far: heartbeats.
    pub comments: usize,
    /// The last `retry:` seen, in milliseconds.
    pub retry: Option<u64>,
}

/// One event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub id: Option<String>,
    /// JSON; a text when the data is no JSON.
    pub data: Value,
}

impl Stream {
    /// Sends a request that is answered with a stream.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn open(request: RequestBuilder) -> Self {
        Self::try_open(request).await.expect("an answer")
    }

    /// The same of a server that may be gone.
    pub async fn try_open(request: RequestBuilder) -> reqwest::Result<Self> {
        let answer = request.send().await?;
        Ok(Self {
            status: answer.status().as_u16(),
            headers: answer.headers().clone(),
            chunks: answer.bytes_stream().boxed(),
            buffer: String::new(),
            ready: VecDeque::new(),
            comments: 0,
            retry: None,
        })
    }

    /// The next event; `None` when the server ended the stream.
    ///
    /// # Panics
    /// When neither happens within the patience of tests.
    pub async fn next(&mut self) -> Option<Event> {
        let waiting = async {
            while self.ready.is_empty() {
                if !self.read().await {
                    return None;
                }
            }
            self.ready.pop_front()
        };
        timeout(patience(), waiting)
            .await
            .expect("an event, or the end of the stream")
    }

    /// The next event of that name; others are skipped.
    ///
    /// # Panics
    /// When the stream ends before.
    pub async fn next_named(&mut self, name: &str) -> Event {
        loop {
            let event = self
                .next()
                .await
                .unwrap_or_else(|| panic!("a {name} before the end"));
            if event.name == name {
                return event;
            }
        }
    }

    /// Waits until a comment line comes.
    pub async fn heartbeat(&mut self) {
        let seen = self.comments;
        let waiting = async {
            while self.comments == seen {
                assert!(self.read().await, "the stream ended without a heartbeat");
            }
        };
        timeout(patience(), waiting).await.expect("a heartbeat");
    }

    /// Reads one chunk; `false` at the end. A connection that is cut is an end too.
    async fn read(&mut self) -> bool {
        let Some(Ok(chunk)) = self.chunks.next().await else {
            return false;
        };
        self.buffer
            .push_str(std::str::from_utf8(&chunk).expect("events are sent whole"));
        while let Some(end) = self.buffer.find("\n\n") {
            let block: String = self.buffer.drain(..end + 2).collect();
            self.take(&block);
        }
        true
    }

    fn take(&mut self, block: &str) {
        let (mut name, mut id, mut data) = (None, None, Vec::new());
        for line in block.lines().filter(|line| !line.is_empty()) {
            let (field, value) = line.split_once(':').unwrap_or((line, ""));
            let value = value.strip_prefix(' ').unwrap_or(value);
            match field {
                "" => self.comments += 1,
                "event" => name = Some(value.to_owned()),
                "id" => id = Some(value.to_owned()),
                "retry" => self.retry = value.parse().ok(),
                "data" => data.push(value),
                other => panic!("unknown field {other} in an event"),
            }
        }
        if !data.is_empty() {
            let name = name.unwrap_or_else(|| "message".to_owned());
            let text = data.join("\n");
            let data = serde_json::from_str(&text).unwrap_or(Value::String(text));
            self.ready.push_back(Event { name, id, data });
        }
    }
}

#[cfg(test)]
mod tests {
    use futures_util::stream;
    use serde_json::json;

    use super::*;

    #[tokio::test]
    async fn events_are_read_across_chunks() {
        let chunks = [
            "retry: 3000\n\nevent: conn",
            "ected\nid: 7\ndata: {\"a\":1}\n\n: \n\ndata: x\n\n",
        ];
        let chunks = chunks.map(|chunk| Ok(Bytes::from_static(chunk.as_bytes())));
        let mut stream = Stream {
            status: 200,
            headers: HeaderMap::new(),
            chunks: stream::iter(chunks).boxed(),
            buffer: String::new(),
            ready: VecDeque::new(),
            comments: 0,
            retry: None,
        };
        let connected = Event {
            name: "connected".into(),
            id: Some("7".into()),
            data: json!({"a": 1}),
        };
        assert_eq!(stream.next().await, Some(connected));
        assert_eq!(stream.next().await.unwrap().data, "x");
        assert_eq!(stream.next().await, None);
        assert_eq!((stream.retry, stream.comments), (Some(3_000), 1));
    }
}
