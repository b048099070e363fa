//! The evaluation paths.
//!
//! A handler reads what is served through its [`Caller`], which is an API key's right to one environment, and renders
//! the answer by joining fragments that were prepared with the environment.

mod answer;
mod caller;
mod client;
mod context;
mod defaults;
mod document;
mod door;
mod etag;
mod evaluate;
mod front;
mod named;
mod ofrep;
mod request;
mod sdk;
mod slices;
mod stream;
mod track;
mod usual;
mod whole;

use axum::{
    Router,
    body::Body,
    http::{HeaderValue, Response, header},
};
use serving::layers::{self, cors};
use utoipa_axum::{router::OpenApiRouter, routes};

pub use self::{document::document, front::Front};

use self::{caller::Caller, door::Door};
use crate::Edge;

/// The native paths and those of OFREP, with CORS and `Cache-Control`.
pub(crate) fn router(edge: Edge) -> Router {
    let native = native().split_for_parts().0;
    let ofrep = ofrep::router().split_for_parts().0;
    layers::half(native, cors::evaluation())
        .merge(layers::half(ofrep, cors::ofrep()))
        .with_state(Door::new(edge))
}

fn native() -> OpenApiRouter<Door> {
    OpenApiRouter::new()
        .routes(routes!(evaluate::single))
        .routes(routes!(evaluate::bulk))
        .routes(routes!(client::of_user, client::of_context))
        .routes(routes!(stream::native))
        .routes(routes!(track::track))
        .routes(routes!(defaults::tell))
        .merge(sdk::router())
}

/// Those of an answer to a caller, with what is added around it, so that there is room from the start.
const HEADERS: usize = 12;

fn json(body: Vec<u8>) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    let headers = response.headers_mut();
    headers.reserve(HEADERS);
    headers.insert(
        header::CONTENT_TYPE,
        HeaderValue::from_static("application/json"),
    );
    response
}
