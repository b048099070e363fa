//! Serves a router on a bound listener: HTTP/1 and HTTP/2, slow clients cut off, a calm end.
//!
//! A client has a bounded time to send its request head; an answer may take as long as it needs,
//! since streams never end by themselves. When told to stop, the listener closes at once, idle
//! connections close, and requests under way may finish until the deadline.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::{Router, body::Body, extract::ConnectInfo};
use hyper::{Request, body::Incoming, service::service_fn};
use hyper_util::{
    rt::{TokioExecutor, TokioIo, TokioTimer},
    server::conn::auto,
};
use tokio::{
    net::{TcpListener, TcpStream},
    sync::Notify,
    time::{sleep, timeout},
};
use tokio_util::{sync::CancellationToken, task::TaskTracker};
use tower::ServiceExt;
use tracing::{debug, warn};

/// How often an HTTP/2 client is asked whether it is still there, and how long it may take.
const PING_INTERVAL: Duration = Duration::from_secs(30);
const PING_TIMEOUT: Duration = Duration::from_secs(20);

/// The pause after a failed accept that is not the client's fault, such as no file handles left.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How long to serve, and how to end it.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Time a client has to send its request head, and a connection may stay without one.
    pub header_timeout: Duration,
    /// Time that requests under way have once the server is told to stop.
    pub drain_deadline: Duration,
}

/// Serves until `stop` is cancelled, then drains. Returns when the last connection is closed.
pub async fn serve(listener: TcpListener, router: Router, limits: Limits, stop: CancellationToken) {
    let connections = TaskTracker::new();
    let cut = CancellationToken::new();

    while let Some(accepted) = stop.run_until_cancelled(listener.accept()).await {
        match accepted {
            Ok((stream, peer)) => {
                let connection = Connection {
                    router: router.clone(),
                    peer,
                    header_timeout: limits.header_timeout,
                    stop: stop.clone(),
                };
                let cut = cut.clone();
                connections
                    .spawn(async move { cut.run_until_cancelled(connection.serve(stream)).await });
            }
            Err(error) if is_of_the_client(&error) => {}
            Err(error) => {
                warn!(%error, "accepting a connection failed");
                sleep(ACCEPT_PAUSE).await;
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

fn is_of_the_client(error: &io::Error) -> bool {
    matches!(
        error.kind(),
        io::ErrorKind::ConnectionRefused
            | io::ErrorKind::ConnectionAborted
            | io::ErrorKind::ConnectionReset
    )
}

struct Connection {
    router: Router,
    peer: SocketAddr,
    header_timeout: Duration,
    stop: CancellationToken,
}

impl Connection {
    async fn serve(self, stream: TcpStream) {
        if let Err(error) = stream.set_nodelay(true) {
            debug!(%error, "setting TCP_NODELAY failed");
        }
        let first_head = Arc::new(Notify::new());
        let service = {
            let (router, peer, first_head) = (self.router, self.peer, first_head.clone());
            service_fn(move |mut request: Request<Incoming>| {
                first_head.notify_one();
                request.extensions_mut().insert(ConnectInfo(peer));
                router.clone().oneshot(request.map(Body::new))
            })
        };

        let mut builder = auto::Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(self.header_timeout);
        builder
            .http2()
            .timer(TokioTimer::new())
            .keep_alive_interval(PING_INTERVAL)
            .keep_alive_timeout(PING_TIMEOUT);
        let connection = builder.serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);

        // hyper's own time-out starts once the version is known, so a client that sends nothing,
        // or half of an HTTP/2 preface, would stay for ever.
        let no_first_head = async {
            if timeout(self.header_timeout, first_head.notified())
                .await
                .is_ok()
            {
                std::future::pending::<()>().await;
            }
        };
        let ended = tokio::select! {
            ended = connection.as_mut() => ended,
            () = no_first_head => return,
            () = self.stop.cancelled() => {
                connection.as_mut().graceful_shutdown();
                connection.await
            }
        };
        if let Err(error) = ended {
            debug!(error, "connection ended early");
        }
    }
}

#[cfg(test)]
mod tests {
    use axum::routing::get;
    use tokio::{
        io::{AsyncReadExt, AsyncWriteExt},
        task::JoinHandle,
    };

    use super::*;

    const PATIENCE: Duration = Duration::from_secs(10);

    struct Server {
        address: SocketAddr,
        stop: CancellationToken,
        served: JoinHandle<()>,
    }

    async fn start(limits: Limits) -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let stop = CancellationToken::new();
        let peer =
            |ConnectInfo(peer): ConnectInfo<SocketAddr>| async move { peer.ip().to_string() };
        let slow = || async {
            sleep(Duration::from_millis(300)).await;
            "done"
        };
        let router = Router::new()
            .route("/peer", get(peer))
            .route("/slow", get(slow))
            .route("/never", get(std::future::pending::<()>));
        let served = tokio::spawn(serve(listener, router, limits, stop.clone()));
        Server {
            address,
            stop,
            served,
        }
    }

    const CALM: Limits = Limits {
        header_timeout: Duration::from_secs(30),
        drain_deadline: Duration::from_secs(30),
    };

    async fn send(server: &Server, text: &str) -> TcpStream {
        let mut stream = TcpStream::connect(server.address).await.unwrap();
        stream.write_all(text.as_bytes()).await.unwrap();
        stream
    }

    async fn read_to_end(mut stream: TcpStream) -> String {
        let mut text = Vec::new();
        let read = timeout(PATIENCE, stream.read_to_end(&mut text)).await;
        // A reset instead of an orderly close is fine: the point is that it ends.
        drop(read.expect("the connection ends"));
        String::from_utf8(text).unwrap()
    }

    #[tokio::test]
    async fn handlers_see_the_peer() {
        let server = start(CALM).await;
        let stream = send(
            &server,
            "GET /peer HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n",
        )
        .await;
        let answer = read_to_end(stream).await;
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        assert!(answer.ends_with("127.0.0.1"), "{answer}");
    }

    #[tokio::test]
    async fn a_head_that_does_not_end_is_cut() {
        let server = start(Limits {
            header_timeout: Duration::from_millis(200),
            ..CALM
        })
        .await;
        for text in ["", "P", "PRI * HTTP/2.0\r\n", "GET /peer HTTP/1.1\r\nhost:"] {
            read_to_end(send(&server, text).await).await;
        }
    }

    #[tokio::test]
    async fn an_answer_may_take_longer_than_a_head() {
        let server = start(Limits {
            header_timeout: Duration::from_millis(100),
            ..CALM
        })
        .await;
        let stream = send(&server, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
        assert!(read_to_end(stream).await.ends_with("done"));
    }

    #[tokio::test]
    async fn stopping_lets_requests_finish() {
        let server = start(CALM).await;
        let idle = send(&server, "").await;
        let busy = send(&server, "GET /slow HTTP/1.1\r\nhost: a\r\n\r\n").await;
        sleep(Duration::from_millis(100)).await;
        server.stop.cancel();

        assert!(read_to_end(busy).await.ends_with("done"));
        assert_eq!(read_to_end(idle).await, "");
        timeout(PATIENCE, server.served).await.unwrap().unwrap();
        assert!(TcpStream::connect(server.address).await.is_err());
    }

    #[tokio::test]
    async fn what_does_not_end_in_time_is_cut() {
        let server = start(Limits {
            drain_deadline: Duration::from_millis(100),
            ..CALM
        })
        .await;
        let stream = send(&server, "GET /never HTTP/1.1\r\nhost: a\r\n\r\n").await;
        sleep(Duration::from_millis(100)).await;
        server.stop.cancel();
        assert_eq!(read_to_end(stream).await, "");
        timeout(PATIENCE, server.served).await.unwrap().unwrap();
    }
}
