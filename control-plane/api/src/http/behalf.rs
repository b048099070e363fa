//! Each request uses the database within a share of the connections.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use serving::address::{ClientAddress, TrustedProxies};

use base::db::behalf::Behalf;

/// Answers a request within the share of its client network, or of its organization once that is known.
pub async fn answer(
    State(proxies): State<TrustedProxies>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let behalf = Behalf::of(ClientAddress::of(&parts, &proxies).network());
    behalf
        .scope(next.run(Request::from_parts(parts, body)))
        .await
}
