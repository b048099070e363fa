//! Answers that stay open leave HTTP's machinery behind once they have begun.
//!
//! A connection with its parser, buffers and timers takes some thirty kilobytes, and a client that only listens needs
//! none of them. So the socket is lent to the machinery and taken back when a handler marks its answer [`LongLived`]:
//! the rest of the answer is written by a task that holds only the socket and the body, and the connection ends with
//! the body. The mark has no effect on HTTP/2, where one connection carries many answers, and on HTTP/1.0.

use std::{
    io::{self, ErrorKind},
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
    task::{Context, Poll, ready},
    time::Duration,
};

use axum::{
    body::{Body, BodyDataStream},
    http::{HeaderValue, Method, Request, Response, Version, header},
};
use bytes::Bytes;
use futures_util::StreamExt;
use hyper::body::Body as _;
use parking_lot::Mutex;
use time::macros::format_description;
use tokio::{
    io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf},
    net::{TcpStream, tcp::ReadHalf},
    sync::Notify,
    time::timeout,
};

use super::{head::Arrivals, idle::UNKNOWN, reading::Pace};
use crate::clock::Clock;

/// A head and a body of so many bytes are written as one: copying them takes less than the system does to look at both.
const SMALL: usize = 1_024;

/// Marks an answer, in its extensions, whose body continues for as long as the client stays connected.
#[derive(Clone, Copy, Debug)]
pub struct LongLived;

/// Where a connection deposits an answer and its socket to be continued elsewhere.
#[derive(Default)]
pub(super) struct Handover {
    wanted: Notify,
    /// The bytes of the answer that is being written.
    bytes: AtomicU64,
    answer: Mutex<Option<Response<Body>>>,
    socket: Mutex<Option<TcpStream>>,
}

impl Handover {
    /// Whether answers to a request may be handed over.
    pub(super) fn is_possible<B>(request: &Request<B>) -> bool {
        request.version() == Version::HTTP_11 && request.method() == Method::GET
    }

    /// Notes how much an answer holds until it is written.
    pub(super) fn note(&self, answer: &Response<Body>) {
        let bytes = answer.body().size_hint().upper().unwrap_or(UNKNOWN);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Takes a marked answer away from the connection, which must then be dropped.
    pub(super) async fn pass(&self, answer: Response<Body>) -> Response<Body> {
        if answer.extensions().get::<LongLived>().is_none() {
            return answer;
        }
        *self.answer.lock() = Some(answer);
        self.wanted.notify_one();
        std::future::pending().await
    }

    /// Waits until there is an answer to continue.
    pub(super) async fn wanted(&self) {
        self.wanted.notified().await;
    }

    /// The answer to continue, once the connection was dropped.
    pub(super) fn take(&self) -> Option<LongAnswer> {
        Some(LongAnswer {
            answer: self.answer.lock().take()?,
            socket: self.socket.lock().take()?,
        })
    }

    /// The socket, once the connection was dropped.
    pub(super) fn socket(&self) -> Option<TcpStream> {
        self.socket.lock().take()
    }
}

/// An answer and the socket to write it to.
pub(super) struct LongAnswer {
    answer: Response<Body>,
    socket: TcpStream,
}

impl LongAnswer {
    /// Writes until the body ends or the client disconnects.
    pub(super) fn run(self) -> impl Future<Output = ()> + Send + 'static {
        let head = render_head(&self.answer, &Clock::system());
        write(
            self.socket,
            head.into(),
            self.answer.into_body().into_data_stream(),
        )
    }
}

async fn write(mut socket: TcpStream, head: Bytes, mut body: BodyDataStream) {
    let (mut reading, mut writing) = socket.split();
    let mut next = Some(Ok(head));
    while let Some(Ok(piece)) = next {
        if !matches!(
            // A client that reads nothing for this long is gone.
            timeout(Duration::from_secs(60), writing.write_all(&piece)).await,
            Ok(Ok(()))
        ) {
            return;
        }
        drop(piece);
        next = tokio::select! {
            next = body.next() => next,
            () = gone(&mut reading) => return,
        };
    }
    // A client that has disconnected needs no farewell.
    drop(writing.shutdown().await);
}

/// Waits until the client has disconnected. Whatever it sends meanwhile is ignored.
///
/// It is read in the way of the connection that lent the socket: as long as that one's waker is kept there, so is its memory.
async fn gone(reading: &mut ReadHalf<'_>) {
    let mut ignored = [0; 64];
    while let Ok(1..) = reading.read(&mut ignored).await {}
}

/// Status line and headers; the end of the connection is the end of the body.
fn render_head(answer: &Response<Body>, clock: &Clock) -> Vec<u8> {
    let status = answer.status();
    let reason = status.canonical_reason().unwrap_or_default();
    let mut head = format!("HTTP/1.1 {} {reason}\r\n", status.as_u16()).into_bytes();
    let date = date(clock);
    let own = [
        (&header::CONNECTION, &HeaderValue::from_static("close")),
        (&header::DATE, &date),
    ];
    for (name, value) in answer.headers().iter().chain(own) {
        head.extend_from_slice(name.as_str().as_bytes());
        head.extend_from_slice(b": ");
        head.extend_from_slice(value.as_bytes());
        head.extend_from_slice(b"\r\n");
    }
    head.extend_from_slice(b"\r\n");
    head
}

fn date(clock: &Clock) -> HeaderValue {
    let format = format_description!(
        "[weekday repr:short], [day] [month repr:short] [year] [hour]:[minute]:[second] GMT"
    );
    let text = clock
        .now()
        .format(format)
        .expect("every time has all parts");
    HeaderValue::try_from(text).expect("a date is printable")
}

/// A socket that returns to the [`Handover`] when its borrower is dropped.
pub(super) struct Lent {
    socket: Option<TcpStream>,
    home: Arc<Handover>,
    arrivals: Arrivals,
    pace: Pace,
}

impl Lent {
    pub(super) fn new(
        socket: TcpStream,
        home: &Arc<Handover>,
        arrivals: Arrivals,
        pace: Pace,
    ) -> Self {
        Self {
            socket: Some(socket),
            home: Arc::clone(home),
            arrivals,
            pace,
        }
    }

    /// What became of a write; an error once the client has taken too long to make room for it.
    fn paced(
        &mut self,
        wrote: Poll<io::Result<usize>>,
        context: &mut Context<'_>,
    ) -> Poll<io::Result<usize>> {
        match wrote {
            Poll::Ready(Ok(bytes)) => self.pace.wrote(bytes),
            Poll::Pending => {
                let bytes = self.home.bytes.load(Ordering::Relaxed);
                ready!(self.pace.poll_patience(bytes, context));
                return Poll::Ready(Err(ErrorKind::TimedOut.into()));
            }
            Poll::Ready(Err(_)) => {}
        }
        wrote
    }

    fn socket(self: Pin<&mut Self>) -> Pin<&mut TcpStream> {
        let socket = self.get_mut().socket.as_mut();
        Pin::new(socket.expect("the socket is there until the end"))
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        *self.home.socket.lock() = self.socket.take();
    }
}

impl AsyncRead for Lent {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = self.as_mut().socket().poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.arrivals.note();
        }
        read
    }
}

impl AsyncWrite for Lent {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let wrote = self.as_mut().socket().poll_write(context, bytes);
        self.paced(wrote, context)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.pace.caught_up();
        self.socket().poll_flush(context)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.socket().poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let length: usize = parts.iter().map(|part| part.len()).sum();
        let mut whole = [0; SMALL];
        let wrote = match whole.get_mut(..length) {
            Some(whole) => {
                let mut rest = &mut *whole;
                for part in parts {
                    let (first, others) = rest.split_at_mut(part.len());
                    first.copy_from_slice(part);
                    rest = others;
                }
                self.as_mut().socket().poll_write(context, whole)
            }
            None => self.as_mut().socket().poll_write_vectored(context, parts),
        };
        self.paced(wrote, context)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }
}
