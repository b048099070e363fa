//! One connection that stays open: sends requests that were made before, reads answers by their length.

use std::io;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// Large bodies are read piece by piece, and dropped.
const BUFFER: usize = 64 << 10;
const MAX_HEADERS: usize = 32;

/// A connection to a server.
pub struct Connection {
    stream: TcpStream,
    buffer: Vec<u8>,
}

/// The beginning of an answer.
struct Head {
    status: u16,
    /// Its own length, and that of the body.
    bytes: usize,
    body: usize,
}

impl Connection {
    pub async fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address).await?;
        stream.set_nodelay(true)?;
        Ok(Self {
            stream,
            buffer: vec![0; BUFFER],
        })
    }

    /// Sends a request and reads the answer to its end. Its status, and the length of its body.
    pub async fn ask(&mut self, request: &[u8]) -> io::Result<(u16, usize)> {
        let head = self.exchange(request, |_| ()).await?;
        Ok((head.status, head.body))
    }

    /// The same with the body itself.
    pub async fn fetch(&mut self, request: &[u8]) -> io::Result<(u16, Vec<u8>)> {
        let mut body = Vec::new();
        let head = self
            .exchange(request, |piece| body.extend_from_slice(piece))
            .await?;
        Ok((head.status, body))
    }

    async fn exchange(&mut self, request: &[u8], mut take: impl FnMut(&[u8])) -> io::Result<Head> {
        self.stream.write_all(request).await?;
        let mut filled = 0;
        let head = loop {
            filled += self.read(filled).await?;
            if let Some(head) = head_in(&self.buffer[..filled])? {
                break head;
            }
        };
        take(&self.buffer[head.bytes..filled]);
        let mut received = filled - head.bytes;
        while received < head.body {
            let read = self.read(0).await?;
            take(&self.buffer[..read]);
            received += read;
        }
        if received > head.body {
            return Err(io::Error::other("more than one answer"));
        }
        Ok(head)
    }

    async fn read(&mut self, filled: usize) -> io::Result<usize> {
        match self.stream.read(&mut self.buffer[filled..]).await? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            read => Ok(read),
        }
    }
}

fn head_in(bytes: &[u8]) -> io::Result<Option<Head>> {
    let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
    let mut answer = httparse::Response::new(&mut headers);
    let parsed = answer.parse(bytes).map_err(io::Error::other)?;
    let httparse::Status::Complete(length) = parsed else {
        return Ok(None);
    };
    let body = answer
        .headers
        .iter()
        .find(|header| header.name.eq_ignore_ascii_case("content-length"));
    let body = body.and_then(|header| std::str::from_utf8(header.value).ok()?.parse().ok());
    let status = answer.code.unwrap_or_default();
    match (status, body) {
        (304, _) => Ok(Some(Head {
            status,
            bytes: length,
            body: 0,
        })),
        (_, Some(body)) => Ok(Some(Head {
            status,
            bytes: length,
            body,
        })),
        (_, None) => Err(io::Error::other("an answer without a length")),
    }
}
