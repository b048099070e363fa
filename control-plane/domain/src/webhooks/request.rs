//! The request of a delivery: body, signature, headers.

use bytes::Bytes;
use time::OffsetDateTime;

use super::{body, sign, store::lanes::Next};
use base::{
    ids::WebhookId,
    jobs::Failure,
    outbound::{HeaderMap, HeaderName, HeaderValue, Method, guard::Outgoing},
    sealing::Sealer,
};

/// Bytes of a response that are read.
pub(super) const ANSWER: usize = 4 * 1024;

const AGENT: &str = concat!("Halyard/", env!("CARGO_PKG_VERSION"));
const CONTENT_TYPE: HeaderName = HeaderName::from_static("content-type");
const USER_AGENT: HeaderName = HeaderName::from_static("user-agent");
const SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature");
const TIMED_SIGNATURE: HeaderName = HeaderName::from_static("x-service-signature-v2");
const WEBHOOK: HeaderName = HeaderName::from_static("x-webhook-id");
const DELIVERY: HeaderName = HeaderName::from_static("x-webhook-delivery");
const EVENT: HeaderName = HeaderName::from_static("x-webhook-event");

/// A delivery, with the same body at each attempt. An error if the secret cannot be opened: nothing is sent without its
/// signature.
pub(super) fn of(
    id: WebhookId,
    next: &Next,
    dashboard: &str,
    sealer: &Sealer,
    now: OffsetDateTime,
) -> Result<Outgoing, Failure> {
    let body = body::of(next, dashboard)?;
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(USER_AGENT, HeaderValue::from_static(AGENT));
    headers.insert(WEBHOOK, id.to_string().parse()?);
    headers.insert(DELIVERY, next.delivery_id.to_string().parse()?);
    headers.insert(EVENT, next.event_type.parse()?);
    if let Some(sealed) = &next.sealed_secret {
        let secret = sealer.open(sealed)?;
        headers.insert(SIGNATURE, sign::signature(&secret, &body).parse()?);
        let timed = sign::timed(&secret, now, next.delivery_id, &body);
        headers.insert(TIMED_SIGNATURE, timed.parse()?);
    }
    Ok(Outgoing {
        method: Method::POST,
        headers,
        body: Bytes::from(body),
    })
}
