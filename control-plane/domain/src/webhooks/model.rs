//! A webhook and its deliveries as the API shows them, and their event types.

use serde::Serialize;
use time::OffsetDateTime;
use url::Url;
use utoipa::ToSchema;

use crate::events::Action;
use base::{
    ids::{WebhookDeliveryId, WebhookId},
    input::Invalid,
};

/// A webhook. Its secret is never shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Webhook {
    /// Its id.
    pub id: WebhookId,
    /// What people call it.
    pub name: String,
    /// Where events are posted to.
    pub url: String,
    /// Whether deliveries are signed.
    pub has_secret: bool,
    /// The event types it listens to; all of them when empty or `["*"]`.
    pub events: Vec<String>,
    /// Whether it is delivered to.
    pub enabled: bool,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it was last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// Value of the `ETag`: the number of changes, creation included.
    #[serde(skip)]
    pub version: i64,
}

impl Webhook {
    /// The webhook in the audit log, which is also read by members without access to webhooks: only the origin of the address,
    /// since many services put a credential into the rest.
    pub(super) fn for_audit_log(&self) -> Self {
        let origin = Url::parse(&self.url).map(|url| url.origin().ascii_serialization());
        Self {
            url: format!("{}/…", origin.unwrap_or_default()),
            ..self.clone()
        }
    }
}

/// How a delivery ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = WebhookDelivery)]
pub struct Delivery {
    /// Its id, which the receiver sees as `X-Webhook-Delivery`.
    pub id: WebhookDeliveryId,
    /// The event.
    pub event_type: String,
    /// The status of the last answer; 0 when there was none.
    pub response_status: i32,
    /// Whether an attempt was answered with a status from 200 to 299.
    pub success: bool,
    /// When the last attempt ended.
    #[serde(with = "time::serde::rfc3339")]
    pub delivered_at: OffsetDateTime,
}

pub(super) const ALL: &str = "*";

/// The event type of a requested test.
pub(super) const TEST: &str = "webhook.test";

pub(super) fn check_event_type(text: &str) -> Result<(), Invalid> {
    let known = Action::WEBHOOK_TYPES.map(Action::as_str);
    if text == ALL || known.contains(&text) {
        return Ok(());
    }
    Err(Invalid::new(format!(
        "events must be of {} or {ALL}",
        known.join(", ")
    )))
}

pub(super) fn listens(events: &[String], event_type: &str) -> bool {
    events.is_empty() || events.iter().any(|one| one == ALL || one == event_type)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_events_and_the_star_mean_all() {
        let events = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        assert!(listens(&events(&[]), "flag.killed"));
        assert!(listens(&events(&["flag.created", "*"]), "flag.killed"));
        assert!(listens(&events(&["flag.killed"]), "flag.killed"));
        assert!(!listens(&events(&["flag.created"]), "flag.killed"));
    }

    #[test]
    fn the_audit_log_shows_no_more_of_an_address_than_its_origin() {
        let webhook = Webhook {
            id: WebhookId::new(OffsetDateTime::UNIX_EPOCH),
            name: "Chat".to_owned(),
            url: "https://chat.example:8443/hooks/s3cret?token=s3cret".to_owned(),
            has_secret: true,
            events: Vec::new(),
            enabled: true,
            created_at: OffsetDateTime::UNIX_EPOCH,
            updated_at: OffsetDateTime::UNIX_EPOCH,
            version: 1,
        };
        assert_eq!(webhook.for_audit_log().url, "https://chat.example:8443/…");
    }
}
