//! Every request uses the database on somebody's behalf, and is made again once where its transaction collided with another one.
//!
//! Two transactions that wait for each other, or that cannot both happen, are nobody's mistake: Postgres gives one of them up, and
//! done again it succeeds as a rule. The whole request is done again, since all that it decided is from before. That is right only
//! as long as nothing of it is committed, which the transactions know (`Behalf`); its body is what was read of it. What it spent of its
//! rates is spent once (`rates`).

use axum::{
    body::Body,
    extract::{Request, State},
    http::StatusCode,
    middleware::Next,
    response::Response,
};
use futures_util::TryStreamExt;
use serving::address::{ClientAddress, TrustedProxies};

use base::db::behalf::Behalf;

/// Answers a request on behalf of whoever sent it.
pub async fn answer(
    State(proxies): State<TrustedProxies>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let network = ClientAddress::of(&parts, &proxies).network();
    let again = parts.clone();
    let behalf = Behalf::of(network);
    let pieces = {
        let behalf = behalf.clone();
        body.into_data_stream()
            .inspect_ok(move |piece| behalf.keep(piece))
    };
    let first = Request::from_parts(parts, Body::from_stream(pieces));
    let response = behalf.scope(next.clone().run(first)).await;
    if response.status() != StatusCode::SERVICE_UNAVAILABLE {
        return response;
    }
    let Some(read) = behalf.may_be_made_again() else {
        return busy(&behalf, response);
    };
    metrics::counter!("halyard_requests_made_again_total").increment(1);
    let second = Request::from_parts(again, Body::from(read.freeze()));
    let behalf = Behalf::of(network);
    let response = behalf.scope(next.run(second)).await;
    busy(&behalf, response)
}

/// The answer, counted if it says that the request collided and is not made again.
fn busy(behalf: &Behalf, response: Response) -> Response {
    if let Some(busy) = behalf.collided()
        && response.status() == StatusCode::SERVICE_UNAVAILABLE
    {
        busy.count();
    }
    response
}
