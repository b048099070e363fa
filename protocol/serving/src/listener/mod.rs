//! Serves a service on a bound listener: HTTP/1 and HTTP/2, time-outs for slow clients, graceful shutdown.
//!
//! What a handler leaves of a request's body is read before the next request (`unread`). An answer marked [`LongLived`] is
//! continued without the machinery of its request (`long_lived`).
//!
//! A client has a bounded time to send its request head, and another one to begin the next (`head`, `idle`); an answer
//! may take as long as it needs, since streams never end by themselves, but its client has to read it (`reading`). Once `stop`
//! is cancelled, the listener and idle connections close at once, and requests in flight may finish until the deadline.
//!
//! While the process is [`Leaving`], connections are accepted and requests answered as before, and clients are asked to connect
//! anew, which leads them elsewhere: over HTTP/1 by `Connection: close` in each answer, over HTTP/2 by a GOAWAY, though not before
//! the first request, of which the client would otherwise not know whether it was taken.

mod answers;
mod application;
mod crowd;
mod head;
mod idle;
mod limits;
mod long_lived;
mod places;
mod reading;
mod unread;

use std::{convert::Infallible, io, net::SocketAddr, sync::Arc, time::Duration};

use axum::body::Body;
use futures_util::{FutureExt, StreamExt, stream::FuturesUnordered};
use hyper::{
    Request, Response, Version,
    body::{Body as _, Incoming},
    header::{self, HeaderValue},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tracing::{debug, warn};

pub(crate) use self::places::REFUSED;
use self::{
    answers::Streams,
    crowd::Crowd,
    head::{Arrivals, HeadTimer},
    idle::Requests,
    long_lived::{Handover, Lent, LongAnswer},
    places::Place,
    reading::{Pace, UNSENT},
    unread::Unread,
};
pub use self::{application::Application, limits::Limits, long_lived::LongLived, places::Places};
use crate::leaving::Leaving;

/// Serves until `stop` is cancelled, then drains. Returns when the last connection is closed.
pub async fn serve<A: Application + Clone>(
    listener: TcpListener,
    application: A,
    limits: Limits,
    places: Places,
    leaving: Leaving,
    stop: CancellationToken,
) {
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();
    let slow_readers = Crowd::default();

    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => {
                let Some(place) = places.take(peer.ip()) else {
                    continue;
                };
                let connection = Connection {
                    application: Arc::new(application.clone()),
                    peer,
                    limits,
                    slow_readers: slow_readers.clone(),
                    leaving: Arc::new(leaving.clone()),
                    stop: stop.clone(),
                    cut: cut.clone(),
                };
                let (cut, tracker) = (cut.clone(), connections.clone());
                connections.spawn(async move {
                    if let Some(long) = connection.serve(stream, &place).await {
                        place.keep();
                        // A task of its own, since a task is as large as the largest thing it ever does; and in a box, since what
                        // is around it would hold it twice.
                        let long = Box::pin(long.run());
                        tracker.spawn(async move {
                            let _place = place;
                            cut.run_until_cancelled_owned(long).await;
                        });
                    }
                });
            }
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                warn!(%error, "accepting a connection failed");
                // Not the fault of a client: there may be no file handles.
                sleep(Duration::from_millis(100)).await;
            }
        }
    }

    drop(listener);
    connections.close();
    if timeout(limits.drain_deadline, connections.wait())
        .await
        .is_err()
    {
        debug!(
            connections = connections.len(),
            "cutting what did not end in time"
        );
        cut.cancel();
        connections.wait().await;
    }
}

#[cfg(target_os = "linux")]
fn bound_unsent(stream: &TcpStream) {
    if let Err(error) = socket2::SockRef::from(stream).set_tcp_notsent_lowat(UNSENT) {
        debug!(%error, "setting TCP_NOTSENT_LOWAT failed");
    }
}

/// Other systems keep less.
#[cfg(not(target_os = "linux"))]
const fn bound_unsent(_: &TcpStream) {}

fn is_of_the_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

/// What happens to a connection from outside.
enum News {
    /// It is no longer served.
    Over,
    /// Nothing was asked for long.
    Pause,
    /// The process is leaving, and the client has to be asked to connect elsewhere by the protocol.
    Leave,
    /// The server stops.
    Stop,
}

struct Connection<A> {
    application: Arc<A>,
    peer: SocketAddr,
    limits: Limits,
    slow_readers: Crowd,
    leaving: Arc<Leaving>,
    stop: CancellationToken,
    /// Ends what did not end in time.
    cut: CancellationToken,
}

impl<A: Application> Connection<A> {
    /// Serves requests until there are no more, or until an answer remains that continues by itself.
    async fn serve(self, stream: TcpStream, place: &Place) -> Option<LongAnswer> {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "setting TCP_NODELAY failed");
        }
        bound_unsent(&stream);
        let shared = Shared {
            first_head: Arc::default(),
            arrivals: Arrivals::new(),
            handover: Arc::default(),
            requests: Requests::new(self.slow_readers.clone()),
            unread: Unread::default(),
        };
        let cut = self.cut.clone();
        self.converse(stream, place, &shared).await;
        let long = shared.handover.take();
        if long.is_none() {
            let linger = shared.unread.linger(shared.handover.socket());
            cut.run_until_cancelled(linger).await;
        }
        long
    }

    async fn converse(self, stream: TcpStream, place: &Place, shared: &Shared) {
        let Limits {
            header_timeout,
            slow_reader_timeout,
            ..
        } = self.limits;
        let answering = Answering {
            application: Arc::clone(&self.application),
            peer: self.peer,
            leaving: Arc::clone(&self.leaving),
            shared: shared.clone(),
        };
        let service = service_fn(move |request| answering.answer(request));
        let builder = builder(&self.limits, &shared.arrivals);
        let lent = Lent::new(
            stream,
            &shared.handover,
            shared.arrivals.clone(),
            Pace::new(slow_reader_timeout, self.slow_readers.clone()),
        );
        let connection = builder.serve_connection(TokioIo::new(lent), service);
        tokio::pin!(connection);

        // Asked only when there may be some, and not each time the connection has something to do: that would lock what all
        // connections share.
        let mut news = FuturesUnordered::from_iter([self.news(place, shared, false)]);
        let ended = loop {
            let first = tokio::select! {
                // A request that is there already is taken.
                biased;
                ended = connection.as_mut() => break ended,
                Some(first) = news.next() => first,
            };
            match first {
                News::Over => return,
                News::Leave => {
                    place.keep();
                    connection.as_mut().graceful_shutdown();
                    news.push(self.news(place, shared, true));
                }
                News::Pause => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection.as_mut() => break ended,
                        // The client does not leave; one that asked at the last moment is still answered.
                        () = shared.requests.pause_for(header_timeout) => return,
                        () = self.cut.cancelled() => return,
                    }
                }
                News::Stop => {
                    connection.as_mut().graceful_shutdown();
                    tokio::select! {
                        ended = connection.as_mut() => break ended,
                        () = shared.handover.wanted() => return,
                        () = self.cut.cancelled() => return,
                    }
                }
            }
        };
        if let Err(error) = ended {
            debug!(error, "connection ended early");
        }
    }

    /// Waits for the first thing that happens to the connection from outside; `has_left` after [`News::Leave`].
    async fn news(&self, place: &Place, shared: &Shared, has_left: bool) -> News {
        let Limits {
            header_timeout,
            keep_alive_timeout,
            slow_reader_timeout,
            ..
        } = self.limits;
        // hyper's own time-out starts once the HTTP version is known, so a client that sends nothing, or half of an
        // HTTP/2 preface, would stay for ever. HTTP/2 has none for a head at all.
        let no_first_head = async {
            if has_left {
                return std::future::pending().await;
            }
            tokio::select! {
                head = timeout(header_timeout, shared.first_head.notified()) => if head.is_ok() {
                    place.keep();
                    std::future::pending::<()>().await;
                },
                () = place.is_wanted() => {}
            }
        };
        let leave = async {
            if has_left {
                return std::future::pending().await;
            }
            self.leaving.begun().cancelled().await;
            shared.requests.begun().await;
        };
        tokio::select! {
            () = no_first_head => News::Over,
            () = shared.arrivals.end(keep_alive_timeout) => News::Over,
            () = shared.handover.wanted() => News::Over,
            () = shared.requests.end_stalled(slow_reader_timeout) => News::Over,
            () = shared.requests.pause_for(keep_alive_timeout) => News::Pause,
            () = self.stop.cancelled() => News::Stop,
            () = leave => News::Leave,
        }
    }
}

/// The protocols of a connection, with their time-outs.
fn builder(limits: &Limits, arrivals: &Arrivals) -> auto::Builder<Streams> {
    let mut builder = auto::Builder::new(Streams);
    builder
        .http1()
        .timer(HeadTimer {
            arrivals: arrivals.clone(),
            head_timeout: limits.header_timeout,
        })
        .header_read_timeout(limits.keep_alive_timeout);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(30))
        .keep_alive_timeout(Duration::from_secs(20));
    builder
}

/// Answers the requests of one connection.
struct Answering<A> {
    application: Arc<A>,
    peer: SocketAddr,
    leaving: Arc<Leaving>,
    shared: Shared,
}

/// The state of a connection that its requests change.
#[derive(Clone)]
struct Shared {
    first_head: Arc<Notify>,
    arrivals: Arrivals,
    handover: Arc<Handover>,
    requests: Requests,
    unread: Unread,
}

impl<A: Application> Answering<A> {
    fn answer(
        &self,
        request: Request<Incoming>,
    ) -> impl Future<Output = Result<Response<Body>, Infallible>> + use<A> {
        let Shared {
            first_head,
            arrivals,
            handover: home,
            requests,
            unread,
        } = &self.shared;
        first_head.notify_one();
        arrivals.over();
        let home = Arc::clone(home);
        let handover = Handover::is_possible(&request).then(|| Arc::clone(&home));
        let counted = (request.version() == Version::HTTP_2).then(|| requests.begin());
        let has_body = !request.body().is_end_stream();
        let unread = (has_body && counted.is_none()).then(|| unread.clone());
        let request = match &unread {
            Some(unread) => unread.watch(request),
            None => request.map(Body::new),
        };
        let leaving = counted.is_none().then(|| Arc::clone(&self.leaving));
        let answer = Arc::clone(&self.application).answer(request, self.peer);
        answer.then(async move |mut answer| {
            if let Some(unread) = unread {
                answer = unread.settle(answer).await;
            }
            if counted.is_none() {
                home.note(&answer);
            }
            let mut answer = match (handover, counted) {
                (Some(handover), _) => handover.pass(answer).await,
                (None, Some(counted)) => counted.until_sent(answer),
                (None, None) => answer,
            };
            if leaving.is_some_and(|leaving| leaving.is_begun()) {
                let close = HeaderValue::from_static("close");
                answer.headers_mut().insert(header::CONNECTION, close);
            }
            Ok(answer)
        })
    }
}

#[cfg(test)]
mod tests;
