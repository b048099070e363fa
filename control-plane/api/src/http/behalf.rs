//! Each request uses the database within a share of the connections.

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::{IntoResponse, Response},
};
use serving::{
    address::{ClientAddress, TrustedProxies},
    error::ApiError,
};

use base::db::{Db, behalf::Behalf};

/// Answers a request within the share of its client network, or of its organization once that is known.
pub async fn answer(
    State((proxies, db)): State<(TrustedProxies, Db)>,
    request: Request,
    next: Next,
) -> Response {
    let (parts, body) = request.into_parts();
    let behalf = Behalf::of(ClientAddress::of(&parts, &proxies).network());
    let answering = behalf.scope(next.run(Request::from_parts(parts, body)));
    // It may wait for a connection that hangs, or be about to commit where nobody reads.
    match db.unless_moved(answering).await {
        Ok(answer) => answer,
        Err(moved) => ApiError::from(moved).into_response(),
    }
}
