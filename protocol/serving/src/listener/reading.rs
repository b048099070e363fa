//! Clients that do not read their answers.
//!
//! An answer is held in memory until the client has taken it. So a client that takes nothing, or a few bytes now and then,
//! loses its connection. Over HTTP/1 and for a connection as a whole, the socket tells ([`Pace`]); over HTTP/2 a client can
//! keep the socket moving and yet open no window for an answer, so there each answer counts what was taken of it ([`Taken`]).

use std::{
    pin::Pin,
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicUsize, Ordering},
    },
    task::{Context, Poll},
    time::Duration,
};

use tokio::time::{Instant, MissedTickBehavior, Sleep, interval_at, sleep};

/// Bytes a second that a client reads at least once the network's buffers are full: what a poor mobile connection manages.
const RATE: usize = 16 * 1024;

/// Where more clients than these do not read, each further one has only this part of the time: what all of them hold in
/// memory has to stay bounded too.
const FEW: usize = 64;
const HURRY: u32 = 6;

/// The connections of a listener whose clients have something to read and do not.
#[derive(Clone, Debug, Default)]
pub(super) struct Crowd(Arc<AtomicUsize>);

impl Crowd {
    /// Another one, until what is returned is dropped, and how many there were.
    fn enter(&self) -> (usize, InCrowd) {
        let others = self.0.fetch_add(1, Ordering::Relaxed);
        (others, InCrowd(self.clone()))
    }
}

#[derive(Debug)]
struct InCrowd(Crowd);

impl Drop for InCrowd {
    fn drop(&mut self) {
        self.0.0.fetch_sub(1, Ordering::Relaxed);
    }
}

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
    _in_crowd: InCrowd,
}

impl Pace {
    pub(super) const fn new(patience: Duration, crowd: Crowd) -> Self {
        Self {
            patience,
            crowd,
            left: None,
        }
    }

    /// Nothing could be written. Ready once the client's time is used up.
    pub(super) fn poll_patience(&mut self, context: &mut Context<'_>) -> Poll<()> {
        let (whole, crowd) = (self.patience, &self.crowd);
        let left = self.left.get_or_insert_with(|| {
            let (others, _in_crowd) = crowd.enter();
            let patience = if others < FEW { whole } else { whole / HURRY };
            Left {
                sleep: Box::pin(sleep(patience)),
                patience,
                _in_crowd,
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

/// How much was taken of an answer that is under way.
#[derive(Debug, Default)]
pub(super) struct Taken(AtomicUsize);

impl Taken {
    pub(super) fn add(&self, bytes: usize) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// The answers of a connection that are under way.
#[derive(Clone, Debug, Default)]
pub(super) struct Answers(Arc<Mutex<Vec<Watched>>>);

#[derive(Debug)]
struct Watched {
    taken: Weak<Taken>,
    /// How much had been taken at the last look.
    seen: Option<usize>,
}

impl Answers {
    /// Another one, until what is returned is dropped.
    pub(super) fn begin(&self) -> Arc<Taken> {
        let taken = Arc::new(Taken::default());
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|other| other.taken.strong_count() > 0);
        answers.push(Watched {
            taken: Arc::downgrade(&taken),
            seen: None,
        });
        taken
    }

    /// Waits until an answer has been under way for `patience`, and less of it was taken in this time than its part of
    /// what the connection should carry.
    pub(super) async fn stalled(&self, patience: Duration) {
        let mut looks = interval_at(Instant::now() + patience, patience);
        // Two looks in a row would find nothing moved.
        looks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            looks.tick().await;
            if self.look(patience) {
                return;
            }
        }
    }

    /// Whether an answer that the last look saw has hardly moved since.
    fn look(&self, since: Duration) -> bool {
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        answers.retain(|answer| answer.taken.strong_count() > 0);
        let part = since.as_secs_f64() * RATE as f64 / answers.len().max(1) as f64;
        let mut is_stalled = false;
        for Watched { taken, seen } in answers.iter_mut() {
            let Some(taken) = taken.upgrade() else {
                continue;
            };
            let now = taken.0.load(Ordering::Relaxed);
            is_stalled |= seen.is_some_and(|before| ((now - before) as f64) < part);
            *seen = Some(now);
        }
        is_stalled
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

    #[tokio::test]
    async fn a_client_that_never_reads_its_answer_loses_its_connection() {
        let server = large_answers(Duration::from_millis(300)).await;
        let clients = [ask(&server, GET_LARGE).await, ask(&server, GET_LARGE).await];
        server.stop.cancel();
        // The server ends only when its connections do.
        timeout(PATIENCE, server.served).await.unwrap().unwrap();
        drop(clients);
    }

    #[tokio::test]
    async fn a_client_that_reads_steadily_gets_all_of_a_large_answer() {
        let server = large_answers(PATIENCE).await;
        let request = b"GET /large HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n";
        assert!(read(ask(&server, request).await).await > LARGE);
    }

    #[tokio::test]
    async fn an_http_2_client_that_opens_no_window_loses_its_connection() {
        let server = large_answers(Duration::from_millis(300)).await;
        let mut request = http2_request("/large");
        // SETTINGS_INITIAL_WINDOW_SIZE is 0: the head of the answer may come, and none of its body.
        let preface = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".len();
        assert_eq!(&request[preface..preface + 9], &[0, 0, 0, 4, 0, 0, 0, 0, 0]);
        request.splice(
            preface..preface + 9,
            [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0],
        );
        // It reads all the time.
        assert!(read(ask(&server, &request).await).await < 10_000);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_earns_time_by_what_it_reads() {
        let mut pace = Pace::new(Duration::from_secs(30), Crowd::default());
        let begun = Instant::now();
        // At half of the rate it loses one second in two.
        while timeout(
            Duration::from_secs(2),
            poll_fn(|context| pace.poll_patience(context)),
        )
        .await
        .is_err()
        {
            pace.wrote(RATE);
        }
        assert!((55..65).contains(&begun.elapsed().as_secs()));
    }

    #[tokio::test(start_paused = true)]
    async fn each_of_many_clients_that_do_not_read_has_less_time() {
        let crowd = Crowd::default();
        let mut paces: Vec<_> = (0..=FEW)
            .map(|_| Pace::new(Duration::from_secs(30), crowd.clone()))
            .collect();
        let begun = Instant::now();
        let first = poll_fn(|context| {
            let polled = paces.iter_mut().map(|pace| pace.poll_patience(context));
            let ready: Vec<_> = polled.map(|pace| pace.is_ready()).collect();
            match ready.iter().position(|ready| *ready) {
                Some(place) => Poll::Ready(place),
                None => Poll::Pending,
            }
        });
        assert_eq!((first.await, begun.elapsed().as_secs()), (FEW, 5));
        for pace in &mut paces {
            pace.caught_up();
        }
        assert_eq!(crowd.enter().0, 0);
    }

    #[test]
    fn each_answer_of_a_connection_has_to_move() {
        let second = Duration::from_secs(1);
        let answers = Answers::default();
        let (moving, standing) = (answers.begin(), answers.begin());
        assert!(!answers.look(second), "they have just begun");
        for taken in [&moving, &standing] {
            taken.add(RATE / 2);
        }
        assert!(!answers.look(second), "each took its half");
        moving.add(RATE);
        assert!(answers.look(second), "one stands");
        drop(standing);
        moving.add(RATE);
        assert!(!answers.look(second), "that one is gone");
    }
}
