//! A server whose connections can be cut, and which can go down and come back at the same address.

use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use axum::Router;
use axum::extract::connect_info::Connected;
use axum::serve::{IncomingStream, Listener};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;
use tokio_util::sync::{CancellationToken, DropGuard, WaitForCancellationFutureOwned};

/// A server on a loopback port of its own. Dropping it stops it and cuts its connections.
pub(crate) struct Server {
    pub(crate) address: SocketAddr,
    router: Router,
    state: Mutex<State>,
    connections: Arc<AtomicUsize>,
}

enum State {
    Up {
        _stop: DropGuard,
        stop: CancellationToken,
        serving: JoinHandle<Option<()>>,
    },
    /// The port is bound, so that it is nobody else's, and not listened on.
    Down(Option<TcpSocket>),
}

impl Server {
    /// Makes the router once the address is known.
    pub(crate) fn start(router: impl FnOnce(SocketAddr) -> Router) -> Self {
        let socket = bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)));
        let address = socket.local_addr().expect("a bound address");
        let router = router(address);
        let connections = Arc::default();
        let state = Mutex::new(listen(socket, router.clone(), &connections));
        Self {
            address,
            router,
            state,
            connections,
        }
    }

    /// How many connections there were.
    pub(crate) fn connections(&self) -> usize {
        self.connections.load(Ordering::SeqCst)
    }

    /// Cuts all connections and listens no longer.
    pub(crate) async fn go_down(&self) {
        let mut state = self.state.lock().await;
        if let State::Up { stop, serving, .. } = &mut *state {
            stop.cancel();
            serving.await.expect("the server does not panic");
            *state = State::Down(Some(bind(self.address)));
        }
    }

    /// Listens again.
    pub(crate) async fn come_up(&self) {
        let mut state = self.state.lock().await;
        if let State::Down(held) = &mut *state
            && let Some(socket) = held.take()
        {
            *state = listen(socket, self.router.clone(), &self.connections);
        }
    }
}

fn bind(address: SocketAddr) -> TcpSocket {
    let socket = TcpSocket::new_v4().expect("a socket");
    // Connections of before may linger there.
    socket
        .set_reuseaddr(true)
        .expect("an option of all systems");
    socket.bind(address).expect("a free port");
    socket
}

fn listen(socket: TcpSocket, router: Router, connections: &Arc<AtomicUsize>) -> State {
    let stop = CancellationToken::new();
    let lines = Lines {
        listener: socket.listen(1024).expect("nobody else listens there"),
        stop: stop.clone(),
        connections: Arc::clone(connections),
    };
    let service = router.into_make_service_with_connect_info::<Cut>();
    let serving = async move { drop(axum::serve(lines, service).await) };
    let serving = stop.clone().run_until_cancelled_owned(serving);
    State::Up {
        _stop: stop.clone().drop_guard(),
        stop,
        serving: tokio::spawn(serving),
    }
}

/// Accepts connections that can be cut.
struct Lines {
    listener: TcpListener,
    connections: Arc<AtomicUsize>,
    stop: CancellationToken,
}

/// Cuts one connection. Stands where axum has the address of the other side.
#[derive(Clone, Debug)]
pub(crate) struct Cut(CancellationToken);

impl Cut {
    /// Whatever is answered from now on is not sent.
    pub(crate) fn now(&self) {
        self.0.cancel();
    }
}

impl Listener for Lines {
    type Io = Line;
    type Addr = Cut;

    async fn accept(&mut self) -> (Line, Cut) {
        let (stream, _) = Listener::accept(&mut self.listener).await;
        self.connections.fetch_add(1, Ordering::SeqCst);
        let cut = self.stop.child_token();
        let line = Line {
            stream,
            cut: Box::pin(cut.clone().cancelled_owned()),
        };
        (line, Cut(cut))
    }

    fn local_addr(&self) -> io::Result<Cut> {
        Ok(Cut(self.stop.clone()))
    }
}

impl Connected<IncomingStream<'_, Lines>> for Cut {
    fn connect_info(stream: IncomingStream<'_, Lines>) -> Self {
        stream.remote_addr().clone()
    }
}

/// A connection that fails once it is cut.
struct Line {
    stream: TcpStream,
    cut: Pin<Box<WaitForCancellationFutureOwned>>,
}

impl Line {
    fn poll_cut(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        match self.cut.as_mut().poll(cx) {
            Poll::Ready(()) => Err(io::ErrorKind::ConnectionReset.into()),
            Poll::Pending => Ok(()),
        }
    }
}

impl AsyncRead for Line {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.poll_cut(cx)?;
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl AsyncWrite for Line {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        self.poll_cut(cx)?;
        Pin::new(&mut self.stream).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        self.poll_cut(cx)?;
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
