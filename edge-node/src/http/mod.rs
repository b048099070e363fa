//! The evaluation paths.
//!
//! A handler reads what is served through its [`Caller`], which is an API key's right to one environment, and renders
//! the answer by joining fragments that were prepared with the environment.

mod answer;
mod caller;
mod client;
mod context;
mod etag;
mod evaluate;
mod ofrep;
mod request;
mod slices;
mod stream;
mod track;
mod whole;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Response, header},
    routing::{get, post},
};
use serving::{
    address::TrustedProxies,
    layers::{self, NO_STORE, cors},
};

pub(crate) use self::slices::places;

use self::caller::Caller;
use crate::Edge;

/// The native paths and those of OFREP, with CORS and `Cache-Control`.
pub(crate) fn router(edge: Edge) -> Router {
    let native = Router::new()
        .route("/v1/evaluate", post(evaluate::single))
        .route("/v1/evaluate/bulk", post(evaluate::bulk))
        .route(
            "/v1/client/{env_key}/flags",
            get(client::of_user).post(client::of_context),
        )
        .route("/v1/stream/{env_key}", get(stream::native))
        .route("/v1/track", post(track::track));
    layers::half(native, NO_STORE, cors::evaluation())
        .merge(layers::half(ofrep::router(), NO_STORE, cors::ofrep()))
        .with_state(edge)
}

impl axum::extract::FromRef<Edge> for TrustedProxies {
    fn from_ref(edge: &Edge) -> Self {
        edge.parts().settings.trusted_proxies.clone()
    }
}

fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    response.headers_mut().insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}
