//! Events as the gateway sends them.

use serde_json::{Value, json};
use time::OffsetDateTime;

use super::account::Account;

/// One event.
#[derive(Clone, Debug)]
pub struct Event {
    /// What is sent. A test may change it, and it is signed as it is then.
    pub body: Value,
}

impl Event {
    /// By which a repeated delivery is recognised.
    ///
    /// # Panics
    /// When a test took it out.
    #[must_use]
    pub fn id(&self) -> &str {
        self.body["id"].as_str().expect("an id")
    }

    /// Such as `invoice.payment_failed`.
    ///
    /// # Panics
    /// When a test took it out.
    #[must_use]
    pub fn kind(&self) -> &str {
        self.body["type"].as_str().expect("a type")
    }

    /// What it is about.
    #[must_use]
    pub fn object(&self) -> &Value {
        &self.body["data"]["object"]
    }

    /// The same as if it had happened then.
    #[must_use]
    pub fn at(mut self, time: OffsetDateTime) -> Self {
        self.body["created"] = json!(time.unix_timestamp());
        self
    }

    /// The same with another value at a JSON pointer into its object.
    ///
    /// # Panics
    /// When there is nothing at that place.
    #[must_use]
    pub fn with(mut self, pointer: &str, value: Value) -> Self {
        let place = self.body["data"]["object"].pointer_mut(pointer);
        *place.unwrap_or_else(|| panic!("nothing at {pointer}")) = value;
        self
    }
}

impl Account {
    /// A new event about an object, now.
    pub(super) fn event(&mut self, kind: &str, object: Value) -> Event {
        let body = json!({
            "id": self.new_id("evt"),
            "object": "event",
            "api_version": self.shape.version(),
            "created": self.now(),
            "data": {"object": object},
            "livemode": false,
            "pending_webhooks": 1,
            "request": {"id": null, "idempotency_key": null},
            "type": kind,
        });
        Event { body }
    }

    /// A new event about a session.
    pub(super) fn session_event(&mut self, kind: &str, id: &str) -> Event {
        let session = self.show_session(&self.sessions[id]);
        self.event(kind, session)
    }

    /// A new event about a subscription.
    pub(super) fn subscription_event(&mut self, kind: &str, id: &str) -> Event {
        let subscription = self.show_subscription(id);
        self.event(kind, subscription)
    }

    /// A new event about the latest invoice of a subscription.
    pub(super) fn invoice_event(&mut self, kind: &str, id: &str) -> Event {
        let is_paid = kind != "invoice.payment_failed";
        let invoice = self.subscriptions[id].show_invoice(self.shape, self.now(), is_paid);
        self.event(kind, invoice)
    }
}
