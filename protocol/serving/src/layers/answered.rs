//! What every answer has, whoever gave it: its request's id, security headers, a line in the log, a count; and that there is one.

use std::{
    convert::Infallible,
    panic::{AssertUnwindSafe, catch_unwind},
    task::{Context, Poll},
};

use axum::{
    extract::Request,
    http::{HeaderValue, header::CACHE_CONTROL},
    response::Response,
};
use futures_util::{
    FutureExt,
    future::{BoxFuture, Either, ready},
};
use tower::Service;

use super::{
    SECURITY_HEADERS, answer_panic,
    request::{Observed, Route},
};

/// A service whose panics are answered with 500.
#[derive(Clone, Debug)]
pub(super) struct Answered<S>(pub(super) S);

impl<S> Service<Request> for Answered<S>
where
    S: Service<Request, Response = Response, Error = Infallible>,
    S::Future: Send + 'static,
{
    type Response = Response;
    type Error = Infallible;
    type Future = BoxFuture<'static, Result<Response, Infallible>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let route = Route::of(&request);
        let observed = Observed::begin(&request, route);
        let answer = catch_unwind(AssertUnwindSafe(|| self.0.call(request)));
        let answer = match answer {
            Ok(answer) => Either::Left(guard(answer.map(|Ok(answer)| answer))),
            Err(panic) => Either::Right(ready(secure(answer_panic(panic)))),
        };
        Box::pin(observed.end(answer).map(Ok))
    }
}

/// Answers a request that was matched before any router, as a route of [`half`](super::half) with this template does to whoever is
/// no browser. The future that `answer` begins is in a box, since it is moved several times.
pub fn matched(
    request: Request,
    route: &'static str,
    cache_control: HeaderValue,
    answer: impl FnOnce(Request) -> BoxFuture<'static, Response>,
) -> impl Future<Output = Response> + Send + 'static {
    let observed = Observed::begin(&request, Route::Template(route));
    let answer = answer(request).map(|mut answer| {
        let headers = answer.headers_mut();
        headers.entry(CACHE_CONTROL).or_insert(cache_control);
        answer
    });
    observed.end(guard(answer))
}

/// The answer, also where making it panics. Not an `async fn`, which would be twice as large: as an argument and while it is
/// awaited.
fn guard(answer: impl Future<Output = Response>) -> impl Future<Output = Response> {
    let answer = AssertUnwindSafe(answer).catch_unwind();
    answer.map(|answer| secure(answer.unwrap_or_else(answer_panic)))
}

fn secure(mut answer: Response) -> Response {
    let headers = answer.headers_mut();
    for (name, value) in SECURITY_HEADERS {
        headers.insert(name, value);
    }
    answer
}
