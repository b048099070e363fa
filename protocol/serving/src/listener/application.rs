//! What is served.

use std::{net::SocketAddr, sync::Arc};

use axum::{
    Router,
    body::Body,
    extract::ConnectInfo,
    http::{Request, Response},
};
use futures_util::FutureExt;
use tower::ServiceExt;

/// Answers the requests of connections. Each connection has a clone of its own, which its requests share: what all connections
/// share would be written to by all processors.
pub trait Application: Send + Sync + 'static {
    /// Answers a request that came from this address.
    fn answer(
        self: Arc<Self>,
        request: Request<Body>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Body>> + Send + 'static;
}

/// A router finds the address in the request, as [`ConnectInfo`].
impl Application for Router {
    fn answer(
        self: Arc<Self>,
        mut request: Request<Body>,
        peer: SocketAddr,
    ) -> impl Future<Output = Response<Body>> + Send + 'static {
        request.extensions_mut().insert(ConnectInfo(peer));
        let answer = Self::clone(&self).oneshot(request);
        answer.map(|Ok(answer)| answer)
    }
}
