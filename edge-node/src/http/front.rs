//! The paths that SDKs ask all the time, matched before any router.
//!
//! A router finds these paths too, but it copies what is behind a route for each request, and each layer around it adds a
//! box of its own, which takes longer than the evaluation. So they are compared by their bytes here, and call the handler of
//! the route. Requests that are unusual, such as those with the origin of a browser or another method, are left to the
//! router, which knows all rules.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    extract::Request,
    handler::Handler,
    http::{Method, header},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use serving::{
    address::ClientAddress,
    layers::{self, NO_STORE},
    listener::Application,
};

use super::{
    Caller, client,
    door::{Connection, Door},
    evaluate, ofrep,
};
use crate::Edge;

/// The evaluation paths of an edge, in front of a router that answers everything else.
pub struct Front {
    edge: Arc<Connection>,
    rest: Arc<Router>,
}

/// Each connection has a clone, and shares nothing with others that its requests write to.
impl Clone for Front {
    fn clone(&self) -> Self {
        Self {
            edge: Arc::new(Connection::new(Edge::clone(&self.edge))),
            rest: Arc::clone(&self.rest),
        }
    }
}

impl Front {
    pub(crate) fn new(edge: Edge, rest: Router) -> Self {
        Self {
            edge: Arc::new(Connection::new(edge)),
            rest: Arc::new(rest),
        }
    }

    /// The part of `POST /v1/evaluate` between the head of a request and that of its answer, for measurements: the body of
    /// the answer to a question that comes with this API key.
    ///
    /// # Errors
    /// The refusal of the key or of the question.
    pub async fn evaluate(&self, key: &[u8], question: Bytes) -> Result<Vec<u8>, Response> {
        let nobody = || ClientAddress(Ipv4Addr::UNSPECIFIED.into());
        let mut caller = Caller::with_key(&self.edge, Some(key), nobody).await?;
        let answer = evaluate::evaluated(&mut caller, &question.into()).await;
        answer.map_err(IntoResponse::into_response)
    }
}

/// A path that is asked for all the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Way {
    Single,
    Bulk,
    OfUser,
    OfContext,
    OfrepSingle,
    OfrepBulk,
}

const OFREP: &str = "/ofrep/v1/evaluate/flags";

impl Way {
    fn of(request: &Request) -> Option<Self> {
        if request.headers().contains_key(header::ORIGIN) {
            return None;
        }
        let path = request.uri().path();
        let is_post = match *request.method() {
            Method::POST => true,
            Method::GET => false,
            _ => return None,
        };
        match path {
            "/v1/evaluate" => is_post.then_some(Self::Single),
            "/v1/evaluate/bulk" => is_post.then_some(Self::Bulk),
            OFREP => is_post.then_some(Self::OfrepBulk),
            _ => Self::with_name(path, is_post),
        }
    }

    /// One of those whose path names something.
    fn with_name(path: &str, is_post: bool) -> Option<Self> {
        let is_name = |text: &str| !text.is_empty() && !text.contains('/');
        if let Some(rest) = path.strip_prefix("/v1/client/") {
            let name = rest.strip_suffix("/flags")?;
            let way = if is_post {
                Self::OfContext
            } else {
                Self::OfUser
            };
            return is_name(name).then_some(way);
        }
        let name = path.strip_prefix(OFREP)?.strip_prefix('/')?;
        (is_post && is_name(name)).then_some(Self::OfrepSingle)
    }

    /// The template by which requests are counted.
    const fn route(self) -> &'static str {
        match self {
            Self::Single => "/v1/evaluate",
            Self::Bulk => "/v1/evaluate/bulk",
            Self::OfUser | Self::OfContext => "/v1/client/{envKey}/flags",
            Self::OfrepSingle => "/ofrep/v1/evaluate/flags/{key}",
            Self::OfrepBulk => OFREP,
        }
    }

    /// Calls the handler of the route.
    fn answer(self, request: Request, door: Door) -> BoxFuture<'static, Response> {
        match self {
            Self::Single => evaluate::single.call(request, door),
            Self::Bulk => evaluate::bulk.call(request, door),
            Self::OfUser => client::of_user.call(request, door),
            Self::OfContext => client::of_context.call(request, door),
            Self::OfrepSingle => ofrep::evaluate::single.call(request, door),
            Self::OfrepBulk => ofrep::evaluate::bulk.call(request, door),
        }
    }
}

impl Application for Front {
    fn answer(
        self: Arc<Self>,
        request: Request,
        peer: SocketAddr,
    ) -> impl Future<Output = Response> + Send + 'static {
        let Some(way) = Way::of(&request) else {
            return Either::Right(Arc::clone(&self.rest).answer(request, peer));
        };
        let answer = move |request| way.answer(request, Door::of(&self.edge, peer));
        Either::Left(layers::matched(request, way.route(), NO_STORE, answer))
    }
}

#[cfg(test)]
mod tests {
    use axum::{
        body::Body,
        http::{HeaderName, HeaderValue},
    };

    use super::*;

    fn request(method: Method, path: &str) -> Request {
        let mut request = Request::new(Body::empty());
        *request.method_mut() = method;
        *request.uri_mut() = path.parse().unwrap();
        request
    }

    #[test]
    fn what_sdks_ask_all_the_time_is_matched() {
        for (method, path, way) in [
            (Method::POST, "/v1/evaluate", Way::Single),
            (Method::POST, "/v1/evaluate?x=1", Way::Single),
            (Method::POST, "/v1/evaluate/bulk", Way::Bulk),
            (Method::GET, "/v1/client/dev/flags", Way::OfUser),
            (Method::GET, "/v1/client/d%65v/flags?key=u", Way::OfUser),
            (Method::POST, "/v1/client/dev/flags", Way::OfContext),
            (Method::POST, "/ofrep/v1/evaluate/flags", Way::OfrepBulk),
            (Method::POST, "/ofrep/v1/evaluate/flags/f", Way::OfrepSingle),
        ] {
            assert_eq!(Way::of(&request(method, path)), Some(way), "{path}");
        }
    }

    #[test]
    fn everything_else_is_left_to_the_router() {
        for (method, path) in [
            (Method::GET, "/v1/evaluate"),
            (Method::OPTIONS, "/v1/evaluate"),
            (Method::POST, "/v1/evaluate/"),
            (Method::POST, "/v1/evaluate/bulk/more"),
            (Method::PUT, "/v1/client/dev/flags"),
            (Method::HEAD, "/v1/client/dev/flags"),
            (Method::GET, "/v1/client//flags"),
            (Method::GET, "/v1/client/flags"),
            (Method::GET, "/v1/client/a/b/flags"),
            (Method::GET, "/ofrep/v1/evaluate/flags"),
            (Method::POST, "/ofrep/v1/evaluate/flags/"),
            (Method::POST, "/ofrep/v1/evaluate/flags/a/b"),
            (Method::POST, "/ofrep/v1/evaluate/flagship"),
            (Method::POST, "/v1/track"),
            (Method::GET, "/health"),
        ] {
            assert_eq!(Way::of(&request(method, path)), None, "{path}");
        }
        let mut of_browser = request(Method::POST, "/v1/evaluate");
        let origin = HeaderValue::from_static("https://shop.example");
        let name: HeaderName = header::ORIGIN;
        of_browser.headers_mut().insert(name, origin);
        assert_eq!(Way::of(&of_browser), None);
    }
}
