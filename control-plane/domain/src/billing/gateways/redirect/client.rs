//! The calls to the gateway's API.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;
use serving::error::chain;
use time::OffsetDateTime;

use super::event::{self, Report};
use crate::billing::settings::RedirectGatewaySettings;
use base::{
    ids::OrgId,
    outbound::{Answer, Call, CallError, Client, Method, StatusCode},
    refusal::Refusal,
};

/// Characters of an id that are not encoded in a path.
const IN_PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'_').remove(b'-');

#[derive(Debug)]
pub struct RedirectGateway {
    client: Client,
    settings: RedirectGatewaySettings,
}

#[derive(Debug, thiserror::Error)]
pub enum GatewayError {
    /// It may have taken effect.
    #[error("no answer that can be used")]
    Unknown(#[from] CallError),
    /// It may have taken effect.
    #[error("the answer lacks {0}")]
    Lacks(&'static str),
    /// It had no effect.
    #[error("refused with {status}: {message}")]
    Refused { status: StatusCode, message: String },
}

impl From<GatewayError> for Refusal {
    fn from(error: GatewayError) -> Self {
        let error = chain(&error);
        tracing::warn!(error, "a call to the payment gateway failed");
        Self::Upstream("payment gateway failed".into())
    }
}

#[derive(Debug)]
pub struct NewSession<'a> {
    pub org_id: OrgId,
    pub email: &'a str,
    pub success_url: &'a str,
    pub cancel_url: &'a str,
    /// Reused by every attempt.
    pub idempotency_key: String,
}

#[derive(Debug)]
pub struct Session {
    pub id: String,
    /// Where the payer goes.
    pub url: String,
}

#[derive(Debug)]
pub enum Outcome {
    Completed(Box<Report>),
    Open,
    /// Complete, with the payment in progress.
    Pending,
    Over,
}

impl RedirectGateway {
    pub const fn new(client: Client, settings: RedirectGatewaySettings) -> Self {
        Self { client, settings }
    }

    /// Holds the secret that signs the events.
    pub const fn settings(&self) -> &RedirectGatewaySettings {
        &self.settings
    }

    pub async fn open_session(&self, session: NewSession<'_>) -> Result<Session, GatewayError> {
        let org_id = session.org_id.to_string();
        let fields = vec![
            ("mode", "subscription".to_owned()),
            ("line_items[0][price]", self.settings.price_id.clone()),
            ("line_items[0][quantity]", "1".to_owned()),
            ("customer_email", session.email.to_owned()),
            ("client_reference_id", org_id.clone()),
            ("metadata[org_id]", org_id.clone()),
            ("subscription_data[metadata][org_id]", org_id),
            ("success_url", session.success_url.to_owned()),
            ("cancel_url", session.cancel_url.to_owned()),
        ];
        let path = "/v1/checkout/sessions".to_owned();
        let body = self.post(path, fields, session.idempotency_key).await?;
        Ok(Session {
            id: text(&body, "id")?,
            url: address(&body)?,
        })
    }

    /// Expires an unpaid checkout. `false` if the gateway refuses: it may be complete, or expired.
    pub async fn expire_session(
        &self,
        id: &str,
        idempotency_key: String,
    ) -> Result<bool, GatewayError> {
        let path = format!("{}/expire", session_path(id));
        match self.post(path, Vec::new(), idempotency_key).await {
            Ok(_) => Ok(true),
            Err(GatewayError::Refused { .. }) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The status of a checkout, with the resulting subscription.
    pub async fn session(&self, id: &str, now: OffsetDateTime) -> Result<Outcome, GatewayError> {
        let path = format!("{}?expand%5B%5D=subscription", session_path(id));
        let Some(body) = self.get(path).await? else {
            return Ok(Outcome::Over);
        };
        let is_paid = body["payment_status"] != "unpaid";
        Ok(match body["status"].as_str() {
            Some("complete") if is_paid => {
                // The subscription has no earlier events; its other events are newer.
                let opened = body["created"]
                    .as_i64()
                    .ok_or(GatewayError::Lacks("created"))?;
                let opened = OffsetDateTime::from_unix_timestamp(opened)
                    .map_err(|_| GatewayError::Lacks("created"))?;
                Outcome::Completed(Box::new(event::session(&body, opened, now)))
            }
            Some("complete") => Outcome::Pending,
            Some("open") => Outcome::Open,
            Some("expired") => Outcome::Over,
            _ => return Err(GatewayError::Lacks("status")),
        })
    }

    /// Opens the portal for a payer; returns its address.
    pub async fn open_portal(
        &self,
        customer: &str,
        return_url: String,
        idempotency_key: String,
    ) -> Result<String, GatewayError> {
        let fields = vec![
            ("customer", customer.to_owned()),
            ("return_url", return_url),
        ];
        let path = "/v1/billing_portal/sessions".to_owned();
        address(&self.post(path, fields, idempotency_key).await?)
    }

    /// Schedules the end of a subscription for the end of its period.
    pub async fn cancel_at_period_end(
        &self,
        gateway_ref: &str,
        idempotency_key: String,
    ) -> Result<(), GatewayError> {
        let fields = vec![("cancel_at_period_end", "true".to_owned())];
        self.post(subscription_path(gateway_ref), fields, idempotency_key)
            .await
            .map(drop)
    }

    /// Ends a subscription now. A missing one counts as ended.
    pub async fn cancel(&self, gateway_ref: &str) -> Result<(), GatewayError> {
        let answer = self
            .client
            .call(&Call {
                method: Method::DELETE,
                path: subscription_path(gateway_ref),
                fields: Vec::new(),
                idempotency_key: None,
            })
            .await?;
        if is_missing(&answer) {
            return Ok(());
        }
        good(answer).map(drop)
    }

    /// The state of a subscription; `None` if the gateway has none.
    pub async fn subscription(
        &self,
        gateway_ref: &str,
        now: OffsetDateTime,
    ) -> Result<Option<Report>, GatewayError> {
        let Some(body) = self.get(subscription_path(gateway_ref)).await? else {
            return Ok(None);
        };
        let report = event::subscription(&body, now);
        match report.event.status {
            Some(_) => Ok(Some(report)),
            None => Err(GatewayError::Lacks("a status that is known")),
        }
    }

    async fn post(
        &self,
        path: String,
        fields: Vec<(&'static str, String)>,
        idempotency_key: String,
    ) -> Result<Value, GatewayError> {
        let call = Call {
            method: Method::POST,
            path,
            fields,
            idempotency_key: Some(idempotency_key),
        };
        good(self.client.call(&call).await?)
    }

    async fn get(&self, path: String) -> Result<Option<Value>, GatewayError> {
        let call = Call {
            method: Method::GET,
            path,
            fields: Vec::new(),
            idempotency_key: None,
        };
        let answer = self.client.call(&call).await?;
        if is_missing(&answer) {
            return Ok(None);
        }
        good(answer).map(Some)
    }
}

/// Whether the gateway itself reports a missing object; a 404 from a proxy does not count.
fn is_missing(answer: &Answer) -> bool {
    answer.status == StatusCode::NOT_FOUND && answer.body["error"]["code"] == "resource_missing"
}

pub fn good(answer: Answer) -> Result<Value, GatewayError> {
    let Answer { status, body } = answer;
    if !status.is_success() {
        let message = body["error"]["message"].as_str().unwrap_or_default();
        let message = message.chars().take(200).collect();
        return Err(GatewayError::Refused { status, message });
    }
    if body.is_object() {
        Ok(body)
    } else {
        Err(GatewayError::Lacks("an object"))
    }
}

fn text(body: &Value, field: &'static str) -> Result<String, GatewayError> {
    let text = body[field].as_str().filter(|text| !text.is_empty());
    text.map(str::to_owned).ok_or(GatewayError::Lacks(field))
}

/// The address of a page to redirect to.
fn address(body: &Value) -> Result<String, GatewayError> {
    let url = text(body, "url")?;
    let is_page = url::Url::parse(&url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if is_page {
        Ok(url)
    } else {
        Err(GatewayError::Lacks("url"))
    }
}

fn session_path(id: &str) -> String {
    format!("/v1/checkout/sessions/{}", in_path(id))
}

fn subscription_path(gateway_ref: &str) -> String {
    format!("/v1/subscriptions/{}", in_path(gateway_ref))
}

fn in_path(id: &str) -> String {
    utf8_percent_encode(id, IN_PATH).to_string()
}
