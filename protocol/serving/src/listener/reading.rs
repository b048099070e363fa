//! Clients that do not read their answers.
//!
//! An answer is held in memory until the client has taken it. So a client that takes nothing, or a few bytes now and then,
//! loses its connection. Over HTTP/2 single answers are looked after besides (`answers`).

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, Sleep, sleep};

use super::crowd::{Crowd, Held};

/// Bytes a second that a client reads at least once the network's buffers are full: what a poor mobile connection manages.
pub(super) const RATE: usize = 16 * 1024;

/// Most bytes that wait in a socket to be sent. Without this bound the system may keep megabytes, and asks for more only when a
/// third of them is gone: of a client that reads at twice [`RATE`] nothing would be seen for a minute.
pub(super) const UNSENT: u32 = 128 * 1024;

/// The time that a client has left to read more. Costs nothing for as long as the network takes what is written.
#[derive(Debug)]
pub(super) struct Pace {
    patience: Duration,
    crowd: Crowd,
    left: Option<Left>,
}

#[derive(Debug)]
struct Left {
    sleep: Pin<Box<Sleep>>,
    patience: Duration,
    _held: Held,
}

impl Pace {
    pub(super) const fn new(patience: Duration, crowd: Crowd) -> Self {
        Self {
            patience,
            crowd,
            left: None,
        }
    }

    /// Nothing could be written of an answer of so many bytes. Ready once the client's time is used up.
    pub(super) fn poll_patience(&mut self, bytes: u64, context: &mut Context<'_>) -> Poll<()> {
        let (whole, crowd) = (self.patience, &self.crowd);
        let left = self.left.get_or_insert_with(|| {
            let held = crowd.hold(bytes);
            let patience = crowd.patience(whole);
            Left {
                sleep: Box::pin(sleep(patience)),
                patience,
                _held: held,
            }
        });
        left.sleep.as_mut().poll(context)
    }

    /// The client made room for so many bytes, which gives it the time that they may take.
    pub(super) fn wrote(&mut self, bytes: usize) {
        if let Some(left) = &mut self.left {
            let earned = Duration::from_secs_f64(bytes as f64 / RATE as f64);
            let end = (left.sleep.deadline() + earned).min(Instant::now() + left.patience);
            left.sleep.as_mut().reset(end);
        }
    }

    /// All that was there to write is written.
    pub(super) fn caught_up(&mut self) {
        self.left = None;
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use axum::{Router, routing::get};
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        net::{TcpSocket, TcpStream},
        time::timeout,
    };

    use super::{
        super::{
            Limits,
            tests::{CALM, PATIENCE, Server, http2_request, start_router},
        },
        *,
    };

    /// More than the buffers of both sides of a connection take.
    const LARGE: usize = 32 * 1024 * 1024;

    async fn large_answers(slow_reader_timeout: Duration) -> Server {
        let large = || async { vec![b'x'; LARGE] };
        let router = Router::new().route("/large", get(large));
        let limits = Limits {
            slow_reader_timeout,
            ..CALM
        };
        start_router(router, limits).await
    }

    async fn ask(server: &Server, request: &[u8]) -> TcpStream {
        let socket = TcpSocket::new_v4().unwrap();
        socket.set_recv_buffer_size(64 * 1024).unwrap();
        let mut stream = socket.connect(server.address).await.unwrap();
        stream.write_all(request).await.unwrap();
        stream
    }

    const GET_LARGE: &[u8] = b"GET /large HTTP/1.1\r\nhost: a\r\n\r\n";

    /// Reads until the connection ends.
    async fn read(mut stream: TcpStream) -> usize {
        let mut read = Vec::new();
        let ended = timeout(PATIENCE, stream.read_to_end(&mut read)).await;
        drop(ended.expect("the connection ends"));
        read.len()
    }

    const RST_STREAM: u8 = 3;
    const PING: u8 = 6;

    /// The kind of the next frame of HTTP/2, and the stream that it is of.
    async fn read_frame(stream: &mut TcpStream) -> (u8, u32) {
        let mut head = [0; 9];
        stream.read_exact(&mut head).await.unwrap();
        let [a, b, c, kind, _, id @ ..] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        stream.read_exact(&mut payload).await.unwrap();
        (kind, u32::from_be_bytes(id))
    }

    #[tokio::test]
    async fn a_client_that_never_reads_its_answer_loses_its_connection() {
        let server = large_answers(Duration::from_millis(300)).await;
        let clients = [ask(&server, GET_LARGE).await, ask(&server, GET_LARGE).await];
        server.stop.cancel();
        // The server ends only when its connections do.
        server.ended().await;
        drop(clients);
    }

    #[tokio::test]
    async fn a_client_that_reads_steadily_gets_all_of_a_large_answer() {
        let server = large_answers(PATIENCE).await;
        let request = b"GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        assert!(read(ask(&server, request).await).await > LARGE);
    }

    #[tokio::test]
    async fn an_http_2_answer_for_which_the_client_opens_no_window_is_reset() {
        let server = large_answers(Duration::from_millis(300)).await;
        let mut request = http2_request("/large");
        // SETTINGS_INITIAL_WINDOW_SIZE is 0: the head of the answer may come, and none of its body.
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
        assert_eq!(&request[preface..preface + 9], &[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        request.splice(
            preface..preface + 9,
            [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0],
        );
        let mut stream = ask(&server, &request).await;
        let reset = async {
            loop {
                let (kind, stream_id) = read_frame(&mut stream).await;
                if kind == RST_STREAM {
                    return stream_id;
                }
            }
        };
        assert_eq!(timeout(PATIENCE, reset).await, Ok(1));
        // The connection goes on.
        let ping = [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8];
        stream.write_all(&ping).await.unwrap();
        let answered = async { while read_frame(&mut stream).await.0 != PING {} };
        timeout(PATIENCE, answered).await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_earns_time_by_what_it_reads() {
        let mut pace = Pace::new(Duration::from_secs(30), Crowd::default());
        let begun = Instant::now();
        // At half of the rate it loses one second in two.
        while timeout(
            Duration::from_secs(2),
            poll_fn(|context| pace.poll_patience(1, context)),
        )
        .await
        .is_err()
        {
            pace.wrote(RATE);
        }
        assert!((55..65).contains(&begun.elapsed().as_secs()));
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_has_less_time_while_answers_that_nobody_reads_hold_much() {
        let crowd = Crowd::default();
        let time = async |bytes| {
            let mut pace = Pace::new(Duration::from_secs(30), crowd.clone());
            let begun = Instant::now();
            poll_fn(|context| pace.poll_patience(bytes, context)).await;
            begun.elapsed().as_secs_f32()
        };
        assert_eq!(time(1 << 20).await.round(), 30.0);
        assert_eq!(time(100 << 20).await.round(), 5.0);
        assert!(time(1 << 30).await < 1.0);
        assert_eq!(crowd.patience(Duration::from_secs(30)).as_secs(), 30);
    }

    /// The buffers are those that the system gives.
    #[tokio::test]
    async fn a_client_well_above_the_least_rate_gets_all_of_a_large_answer() {
        let server = large_answers(Duration::from_secs(3)).await;
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        let request = b"GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        stream.write_all(request).await.unwrap();
        // Three times the patience: long enough to lose a connection of which the system tells nothing.
        let mut piece = vec![0; 8 * RATE / 10];
        let mut slowly = 0;
        for _ in 0..90 {
            slowly += stream.read(&mut piece).await.unwrap();
            sleep(Duration::from_millis(100)).await;
        }
        assert!(slowly + read(stream).await > LARGE);
    }
}
