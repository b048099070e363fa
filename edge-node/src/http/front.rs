//! What SDKs ask all the time, matched before any router.
//!
//! A router finds these paths too, but it copies what is behind a route for each request, and each layer around it adds a box of its
//! own, which takes longer than the evaluation. So they are compared by their bytes here, and go to the same handlers. Whatever is
//! unusual about a request, such as the origin of a browser or another method, is left to the router, which knows all rules.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use axum::{
    Router,
    extract::Request,
    handler::Handler,
    http::{Method, header},
    response::Response,
    routing::future::RouteFuture,
};
use futures_util::future::{BoxFuture, Either};
use serving::layers::{self, NO_STORE};
use tower::Service;

use super::{client, evaluate, ofrep};
use crate::Edge;

/// The evaluation paths of an edge, in front of a router that answers everything else.
#[derive(Clone)]
pub struct Front {
    edge: Edge,
    rest: Router,
}

impl Front {
    pub(crate) const fn new(edge: Edge, rest: Router) -> Self {
        Self { edge, rest }
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

    async fn answer(self, request: Request, edge: Edge) -> Response {
        match self {
            Self::Single => evaluate::single.call(request, edge).await,
            Self::Bulk => evaluate::bulk.call(request, edge).await,
            Self::OfUser => client::of_user.call(request, edge).await,
            Self::OfContext => client::of_context.call(request, edge).await,
            Self::OfrepSingle => ofrep::single(request, edge).await,
            Self::OfrepBulk => ofrep::bulk(request, edge).await,
        }
    }
}

impl Service<Request> for Front {
    type Response = Response;
    type Error = Infallible;
    type Future = Either<BoxFuture<'static, Result<Response, Infallible>>, RouteFuture<Infallible>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        // A router is always ready.
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let Some(way) = Way::of(&request) else {
            return Either::Right(self.rest.call(request));
        };
        let edge = self.edge.clone();
        let answer = move |request| way.answer(request, edge);
        Either::Left(Box::pin(layers::matched(
            request,
            way.route(),
            NO_STORE,
            answer,
        )))
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
