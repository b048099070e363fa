//! Webhooks as sent by clients, and the rules for them. Checks that require a DNS lookup are made by [`Guard::admit`], before
//! any lock is taken.

use std::collections::HashSet;

use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Format, Webhook, check_event_type};
use base::{
    ids::WebhookId,
    input::{Invalid, Name, Patch, all_given, date_time, has_text, is_longer_than, required},
    outbound::guard::{Guard, UserUrl},
};

/// Characters of a secret. A longer one is not more secure: HMAC hashes it first.
const MAX_SECRET: usize = 255;
/// More than there are names; repeated ones count once.
const MAX_EVENTS: usize = 100;

/// The body of a webhook's creation.
#[derive(Deserialize, ToSchema)]
pub struct NewWebhook {
    /// Required; 1 to 255 characters.
    #[schema(value_type = String)]
    name: Option<String>,
    /// Required; `http` or `https`, publicly reachable, at most 2,048 characters.
    #[schema(value_type = String)]
    url: Option<String>,
    /// What deliveries are signed with, at most 255 characters; not signed when absent or empty.
    #[schema(value_type = Option<String>)]
    secret: Option<SecretString>,
    /// Event types as `GET /v1/webhooks/event-types` lists them, or all of an area, such as `flag.*`. All events when absent,
    /// empty or `["*"]`.
    events: Option<Vec<String>>,
    /// `json` (the default), `slack`, `discord` or `teams`.
    format: Option<String>,
}

/// The body of a webhook's update.
#[derive(Deserialize, ToSchema)]
pub struct WebhookPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    url: Patch<String>,
    /// Empty or `null`: deliveries are no longer signed.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    secret: Patch<SecretString>,
    #[serde(default)]
    #[schema(value_type = Vec<String>, required = false)]
    events: Patch<Vec<String>>,
    /// `json`, `slack`, `discord` or `teams`.
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    format: Patch<String>,
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    enabled: Patch<bool>,
}

/// The body of a repetition of failed deliveries.
#[derive(Deserialize, ToSchema)]
pub struct Redelivery {
    /// Required; RFC 3339. Deliveries that ended before it are left alone.
    #[schema(value_type = String)]
    since: Option<String>,
}

impl Redelivery {
    pub fn check(self) -> Result<OffsetDateTime, Invalid> {
        let since = required("since", self.since)?;
        date_time(&since).ok_or_else(|| Invalid::new("since must be an RFC 3339 date-time"))
    }
}

pub struct WebhookWish {
    pub(super) name: Name,
    pub url: UserUrl,
    pub(super) secret: Option<SecretString>,
    pub(super) events: Vec<String>,
    pub(super) format: Format,
}

pub struct WebhookChange {
    pub(super) name: Option<Name>,
    pub url: Option<UserUrl>,
    pub(super) secret: Patch<SecretString>,
    pub(super) events: Option<Vec<String>>,
    pub(super) format: Option<Format>,
    pub(super) enabled: Option<bool>,
}

impl NewWebhook {
    pub fn check(self, guard: &Guard) -> Result<WebhookWish, Invalid> {
        all_given([("name", has_text(&self.name)), ("url", has_text(&self.url))])?;
        Ok(WebhookWish {
            name: Name::parse(self.name)?,
            url: guard.parse("url", &required("url", self.url)?)?,
            secret: self.secret.map_or(Ok(None), checked_secret)?,
            events: checked_events(self.events.unwrap_or_default())?,
            format: self
                .format
                .map_or(Ok(Format::Json), |format| Format::parse(&format))?,
        })
    }
}

impl WebhookPatch {
    /// Only the secret may be `null`.
    pub fn check(self, guard: &Guard) -> Result<WebhookChange, Invalid> {
        let name = self.name.not_null("name")?;
        let url = self.url.not_null("url")?;
        let events = self.events.not_null("events")?;
        let format = self.format.not_null("format")?;
        Ok(WebhookChange {
            name: name.map(|name| Name::parse(Some(name))).transpose()?,
            url: url
                .map(|url| guard.parse("url", &required("url", Some(url))?))
                .transpose()?,
            secret: match self.secret {
                Patch::Set(secret) => checked_secret(secret)?.map_or(Patch::Clear, Patch::Set),
                other => other,
            },
            events: events.map(checked_events).transpose()?,
            format: format.map(|format| Format::parse(&format)).transpose()?,
            enabled: self.enabled.not_null("enabled")?,
        })
    }
}

impl WebhookWish {
    /// A new webhook, enabled from now on.
    pub fn create(&self, now: OffsetDateTime) -> Webhook {
        Webhook {
            id: WebhookId::new(now),
            name: self.name.as_str().to_owned(),
            url: self.url.as_str().to_owned(),
            has_secret: self.secret.is_some(),
            events: self.events.clone(),
            format: self.format,
            enabled: true,
            created_at: now,
            updated_at: now,
            version: 1,
        }
    }
}

impl WebhookChange {
    pub fn apply(&self, before: &Webhook) -> Webhook {
        let mut webhook = before.clone();
        if let Some(name) = &self.name {
            webhook.name = name.as_str().to_owned();
        }
        if let Some(url) = &self.url {
            webhook.url = url.as_str().to_owned();
        }
        if !self.secret.is_keep() {
            webhook.has_secret = matches!(self.secret, Patch::Set(_));
        }
        if let Some(events) = &self.events {
            webhook.events.clone_from(events);
        }
        if let Some(format) = self.format {
            webhook.format = format;
        }
        if let Some(enabled) = self.enabled {
            webhook.enabled = enabled;
        }
        webhook
    }
}

fn checked_secret(secret: SecretString) -> Result<Option<SecretString>, Invalid> {
    let text = secret.expose_secret();
    if is_longer_than(text, MAX_SECRET) {
        return Err(Invalid::new("secret must have at most 255 characters"));
    }
    Ok((!text.is_empty()).then_some(secret))
}

/// Distinct events in the given order.
fn checked_events(mut events: Vec<String>) -> Result<Vec<String>, Invalid> {
    if events.len() > MAX_EVENTS {
        return Err(Invalid::new("events must be at most 100 names"));
    }
    events.iter().try_for_each(|name| check_event_type(name))?;
    let mut seen = HashSet::new();
    events.retain(|name| seen.insert(name.clone()));
    Ok(events)
}
