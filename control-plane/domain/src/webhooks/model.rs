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
    /// The form of the body: `json`, or a message for a chat tool.
    pub format: Format,
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

/// The form of a delivery's body.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = WebhookFormat)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Format {
    /// The whole event.
    #[default]
    Json,
    /// An incoming webhook of Slack.
    Slack,
    /// A webhook of Discord.
    Discord,
    /// A workflow of Microsoft Teams that posts an adaptive card.
    Teams,
}

impl Format {
    pub(super) fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "json" => Ok(Self::Json),
            "slack" => Ok(Self::Slack),
            "discord" => Ok(Self::Discord),
            "teams" => Ok(Self::Teams),
            _ => Err(Invalid::new("format must be json, slack, discord or teams")),
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
    /// The earlier delivery whose body it repeats.
    #[schema(required)]
    pub redelivery_of: Option<WebhookDeliveryId>,
    /// How many attempts were made.
    #[schema(required)]
    pub attempts: Option<i32>,
    /// How long the last attempt took; `null` for private addresses.
    #[schema(required)]
    pub duration_ms: Option<i32>,
    /// Why the last attempt failed.
    #[schema(required)]
    pub error: Option<String>,
    /// The beginning of the last answer, in lists 1,024 bytes, of one delivery 4 KiB; `null` for private addresses.
    #[schema(required)]
    pub response_body: Option<String>,
}

impl Delivery {
    /// With as much of the answer as lists show.
    pub(super) fn shortened(mut self) -> Self {
        if let Some(body) = &mut self.response_body {
            body.truncate(body.floor_char_boundary(1024));
        }
        self
    }
}

/// A delivery with the body that was sent.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookDeliveryDetail)]
pub struct DeliveryDetail {
    /// How it ended.
    #[serde(flatten)]
    pub delivery: Delivery,
    /// The body that was sent, or of a dropped delivery the one to send; `null` once it is no longer kept.
    #[schema(required)]
    pub body: Option<String>,
}

/// The event types of webhooks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookEventTypes)]
pub struct EventTypes {
    /// All there are.
    pub data: Vec<EventType>,
    /// How many.
    pub total: usize,
}

/// An event type of webhooks.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WebhookEventType)]
pub struct EventType {
    /// Its name, such as `flag.killed`.
    #[serde(rename = "type")]
    pub event_type: &'static str,
    /// What it means.
    pub description: &'static str,
}

impl EventTypes {
    /// Every type, those of flags first.
    pub fn all() -> Self {
        let described = |action: &Action| EventType {
            event_type: action.as_str(),
            description: match action {
                Action::FlagUpdated => {
                    "a flag's own fields were changed, or its state in an environment"
                }
                action => action.meaning(),
            },
        };
        let data: Vec<_> = Action::WEBHOOK_TYPES.iter().map(described).collect();
        Self {
            total: data.len(),
            data,
        }
    }
}

pub(super) const ALL: &str = "*";

/// The event type of a requested test.
pub(super) const TEST: &str = "webhook.test";

/// Allows event types, `*`, and all types of an area, such as `segment.*`.
pub(super) fn check_event_type(text: &str) -> Result<(), Invalid> {
    let is_known =
        |action: &Action| text == action.as_str() || area(text) == Some(action.resource_type());
    if text == ALL || Action::WEBHOOK_TYPES.iter().any(is_known) {
        return Ok(());
    }
    Err(Invalid::new(
        "events must be types that /v1/webhooks/event-types lists, areas such as flag.*, or *",
    ))
}

/// Whether a webhook with these events receives one of this type. The outbox asks the same in SQL.
pub(super) fn listens(events: &[String], event_type: &str) -> bool {
    let is_of_area = |area: &str| {
        let rest = event_type.strip_prefix(area);
        rest.is_some_and(|rest| rest.starts_with('.'))
    };
    events.is_empty()
        || events
            .iter()
            .any(|one| one == ALL || one == event_type || area(one).is_some_and(is_of_area))
}

/// The area of a wildcard such as `segment.*`.
fn area(text: &str) -> Option<&str> {
    text.strip_suffix(".*")
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
    fn an_area_means_all_of_its_types() {
        let segments = ["segment.*".to_owned()];
        assert!(listens(&segments, "segment.created"));
        assert!(!listens(&segments, "flag.created"));
        assert!(!listens(&["seg.*".to_owned()], "segment.created"));
        for (text, is_known) in [
            ("segment.*", true),
            ("api_key.*", true),
            ("webhook.*", false),
            ("flag.k*", false),
            (".*", false),
            ("**", false),
        ] {
            assert_eq!(check_event_type(text).is_ok(), is_known, "{text}");
        }
    }

    #[test]
    fn the_audit_log_shows_no_more_of_an_address_than_its_origin() {
        let webhook = Webhook {
            id: WebhookId::new(OffsetDateTime::UNIX_EPOCH),
            name: "Chat".to_owned(),
            url: "https://chat.example:8443/hooks/s3cret?token=s3cret".to_owned(),
            has_secret: true,
            events: Vec::new(),
            format: Format::Json,
            enabled: true,
            created_at: OffsetDateTime::UNIX_EPOCH,
            updated_at: OffsetDateTime::UNIX_EPOCH,
            version: 1,
        };
        assert_eq!(webhook.for_audit_log().url, "https://chat.example:8443/…");
    }
}
