//! Requests to providers. Their addresses come from tenants: each goes through the guard, with bounds on time and size, follows no
//! redirect, and needs TLS outside of the networks that the operator named.

use base::{
    ids::OrgId,
    outbound::{
        HeaderMap, HeaderName, HeaderValue, Method,
        guard::{Outgoing, SendError, UserUrl},
    },
    refusal::Refusal,
};
use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::time::Instant;

use super::Providers;

/// Bytes of an answer that are read.
const MAX_ANSWER: usize = 256 * 1024;

const ACCEPT: HeaderName = HeaderName::from_static("accept");
const AUTHORIZATION: HeaderName = HeaderName::from_static("authorization");
const CONTENT_TYPE: HeaderName = HeaderName::from_static("content-type");

/// What is asked of a provider.
pub(super) enum Ask {
    /// A document.
    Get,
    /// A document that belongs to the bearer of a token.
    GetAs(String),
    /// A form, with credentials of the client in the header if there are any.
    Post { form: String, basic: Option<String> },
}

/// A provider that cannot be used. The words hold nothing of what it sent.
pub(super) fn unusable(what: &'static str) -> Refusal {
    Refusal::Upstream(format!("the sign-in provider cannot be used: {what}").into())
}

impl Providers {
    /// Asks, and reads the answer as JSON. Anything but a success is a failure of the provider.
    pub(super) async fn ask<T: DeserializeOwned>(
        &self,
        org_id: OrgId,
        url: &UserUrl,
        ask: Ask,
    ) -> Result<T, Refusal> {
        let deadline = Instant::now() + self.settings.timeout;
        let failed = |error: SendError| {
            tracing::info!(reason = error.reason(), org.id = %org_id, "a sign-in provider was not reached");
            unusable(error.reason())
        };
        let place = self
            .guard
            .locate(url, org_id, deadline)
            .await
            .map_err(failed)?;
        if url.url().scheme() != "https" && !place.is_private() {
            return Err(unusable("its address is not https"));
        }
        let request = outgoing(ask)?;
        let answer = self
            .guard
            .send_to(url, place, request, deadline)
            .await
            .map_err(failed)?;
        let is_success = answer.status.is_success();
        let body = answer.read_up_to(MAX_ANSWER).await.map_err(failed)?;
        if !is_success {
            return Err(unusable("it answers with an error"));
        }
        if !body.is_whole {
            return Err(unusable("its answer is too large"));
        }
        serde_json::from_slice(&body.bytes)
            .map_err(|_| unusable("its answer is not as OpenID Connect requires"))
    }
}

fn outgoing(ask: Ask) -> Result<Outgoing, Refusal> {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static("application/json"));
    let value = |text: String| {
        let mut value =
            HeaderValue::try_from(text).map_err(|_| unusable("its token cannot be sent"))?;
        value.set_sensitive(true);
        Ok::<_, Refusal>(value)
    };
    let (method, body) = match ask {
        Ask::Get => (Method::GET, Bytes::new()),
        Ask::GetAs(token) => {
            headers.insert(AUTHORIZATION, value(format!("Bearer {token}"))?);
            (Method::GET, Bytes::new())
        }
        Ask::Post { form, basic } => {
            let kind = HeaderValue::from_static("application/x-www-form-urlencoded");
            headers.insert(CONTENT_TYPE, kind);
            if let Some(basic) = basic {
                headers.insert(AUTHORIZATION, value(format!("Basic {basic}"))?);
            }
            (Method::POST, Bytes::from(form))
        }
    };
    Ok(Outgoing {
        method,
        headers,
        body,
    })
}
