//! The requests on standard error (`-v`): method, address, status, id and duration; never a header, a body, or a secret.

use std::time::Instant;

use reqwest::Response;

use super::Request;
use crate::output::escape;

/// The id of an answer, by which operators find the request.
pub(super) fn request_id(answer: &Response) -> Option<String> {
    let id = answer.headers().get("x-request-id")?;
    id.to_str().ok().map(str::to_owned)
}

/// Tells of a request that was sent at `began`.
pub(super) fn tell(
    address: &str,
    request: &Request,
    began: Instant,
    outcome: &reqwest::Result<Response>,
) {
    let told = match outcome {
        Ok(answer) => {
            let id = request_id(answer).unwrap_or_else(|| "-".to_owned());
            format!("{} {id}", answer.status().as_u16())
        }
        Err(_) => "no answer".to_owned(),
    };
    let (method, shown) = (&request.method, request.shown());
    let duration = began.elapsed().as_millis();
    crate::output::message(&escape(&format!(
        "{method} {address}{shown} {told} {duration} ms"
    )));
}
