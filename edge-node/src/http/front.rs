//! What SDKs ask all the time, matched before any router.
//!
//! A router finds these paths too, but it copies what is behind a route for each request, and each layer around it adds a box of its
//! own, which takes longer than the evaluation. So they are compared by their bytes here, and go to the same handlers. Whatever is
//! unusual about a request, such as the origin of a browser or another method, is left to the router, which knows all rules.

use std::{
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

use axum::{
    Router,
    body::Body,
    extract::{FromRequestParts, Request},
    http::{Method, header, request::Parts},
    response::{IntoResponse, Response},
};
use bytes::Bytes;
use futures_util::future::{BoxFuture, Either};
use serving::{
    address::ClientAddress,
    body::RawBody,
    layers::{self, NO_STORE},
    listener::Application,
    params::Query,
};

use super::{Caller, client, etag::Known, evaluate, named::Named, ofrep};
use crate::Edge;

/// The evaluation paths of an edge, in front of a router that answers everything else.
#[derive(Clone)]
pub struct Front {
    edge: Edge,
    rest: Arc<Router>,
}

impl Front {
    pub(crate) fn new(edge: Edge, rest: Router) -> Self {
        Self {
            edge,
            rest: Arc::new(rest),
        }
    }

    /// What `POST /v1/evaluate` does between the head of a request and that of its answer, for whoever measures it: the body of the
    /// answer to a question that comes with this API key.
    ///
    /// # Errors
    /// The refusal of the key or of the question.
    pub async fn evaluate(&self, key: &[u8], question: Bytes) -> Result<Vec<u8>, Response> {
        let nobody = || ClientAddress(Ipv4Addr::UNSPECIFIED.into());
        let mut caller = Caller::with_key(&self.edge, Some(key), nobody).await?;
        let answer = evaluate::evaluated(&self.edge, &mut caller, &question.into()).await;
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

    /// Each answer in a box of its own size: what is around them moves it several times.
    fn answer(
        self,
        request: Request,
        peer: SocketAddr,
        front: Arc<Front>,
    ) -> BoxFuture<'static, Response> {
        let (head, body) = request.into_parts();
        match self {
            Self::Single => Box::pin(front.single(peer, head, body)),
            Self::Bulk => Box::pin(front.bulk(peer, head, body)),
            Self::OfUser => Box::pin(front.of_user(peer, head)),
            Self::OfContext => Box::pin(front.of_context(peer, head, body)),
            Self::OfrepSingle => Box::pin(front.ofrep_single(peer, head, body)),
            Self::OfrepBulk => Box::pin(front.ofrep_bulk(peer, head, body)),
        }
    }
}

/// The handlers, with what their routes extract from a request.
impl Front {
    async fn single(self: Arc<Self>, peer: SocketAddr, head: Parts, body: Body) -> Response {
        match Caller::of(&head, peer, &self.edge).await {
            Ok(caller) => evaluate::one(&self.edge, caller, RawBody::of(head, body).await).await,
            Err(refusal) => refusal,
        }
    }

    async fn bulk(self: Arc<Self>, peer: SocketAddr, head: Parts, body: Body) -> Response {
        match Caller::of(&head, peer, &self.edge).await {
            Ok(caller) => evaluate::some(&self.edge, caller, RawBody::of(head, body).await).await,
            Err(refusal) => refusal,
        }
    }

    async fn of_user(self: Arc<Self>, peer: SocketAddr, mut head: Parts) -> Response {
        let caller = match Caller::of(&head, peer, &self.edge).await {
            Ok(caller) => caller,
            Err(refusal) => return refusal,
        };
        let (env_key, known) = (Named::of(&head), Known::of(&head.headers));
        let filter = Query::from_request_parts(&mut head, &()).await;
        client::user(&self.edge, caller, env_key, filter, known).await
    }

    async fn of_context(self: Arc<Self>, peer: SocketAddr, head: Parts, body: Body) -> Response {
        let caller = match Caller::of(&head, peer, &self.edge).await {
            Ok(caller) => caller,
            Err(refusal) => return refusal,
        };
        let (env_key, known) = (Named::of(&head), Known::of(&head.headers));
        let body = RawBody::of(head, body).await;
        client::context(&self.edge, caller, env_key, known, body).await
    }

    async fn ofrep_single(self: Arc<Self>, peer: SocketAddr, head: Parts, body: Body) -> Response {
        ofrep::one(&self.edge, peer, head, body).await
    }

    async fn ofrep_bulk(self: Arc<Self>, peer: SocketAddr, head: Parts, body: Body) -> Response {
        ofrep::all(&self.edge, peer, head, body).await
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
        let answer = move |request| way.answer(request, peer, self);
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
