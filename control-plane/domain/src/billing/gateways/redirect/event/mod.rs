//! The events of the gateway, read into what they say of a subscription. Fields stand in different places in the versions of its
//! API; both are read.

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::billing::{
    history::{Kind, Period, SubscriptionEvent},
    model::Status,
};
use base::ids::OrgId;

/// The longest id that is taken for one, in bytes.
const MAX_REF: usize = 255;

/// An event, as far as every event is the same.
#[derive(Debug, Deserialize)]
pub struct Envelope {
    /// By which a repeated event is recognised.
    pub id: String,
    #[serde(rename = "type")]
    kind: String,
    /// Unix seconds; when it arrives, where it does not say.
    created: Option<i64>,
    data: Data,
}

#[derive(Debug, Deserialize)]
struct Data {
    object: Value,
}

/// What an event says, and of what.
#[derive(Debug, PartialEq, Eq)]
pub struct Told {
    /// The gateway's id of the subscription.
    pub gateway_ref: Option<String>,
    /// The organization that it was begun for, as only we can have written it there.
    pub org_id: Option<OrgId>,
    /// The organization that a checkout names; whoever pays may have written it there.
    pub named_org_id: Option<OrgId>,
    /// The gateway's id of the checkout.
    pub session_ref: Option<String>,
    /// What is subscribed to, where it says.
    pub prices: Vec<String>,
    pub event: SubscriptionEvent,
}

impl Told {
    /// Whether it says that something else is subscribed to than `price`.
    pub fn is_of_another_price(&self, price: &str) -> bool {
        !self.prices.is_empty() && !self.sells(price)
    }

    /// Whether it says that `price` is subscribed to.
    pub fn sells(&self, price: &str) -> bool {
        self.prices.iter().any(|it| it == price)
    }
}

impl Envelope {
    /// Reads an event. `None` for what is none.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let envelope: Self = serde_json::from_slice(body).ok()?;
        let is_ref = is_ref(&envelope.id) && envelope.data.object.is_object();
        let is_time = |created| OffsetDateTime::from_unix_timestamp(created).is_ok();
        (is_ref && envelope.created.is_none_or(is_time)).then_some(envelope)
    }

    /// What it says of a subscription; `None` when it is of another type.
    pub fn told(&self, now: OffsetDateTime) -> Option<Told> {
        let object = &self.data.object;
        let created = match self.created {
            Some(seconds) => OffsetDateTime::from_unix_timestamp(seconds).ok()?,
            None => now,
        };
        let mut told = self.read(object, created, now)?;
        told.event.received_at = now;
        Some(told)
    }

    fn read(&self, object: &Value, created: OffsetDateTime, now: OffsetDateTime) -> Option<Told> {
        match self.kind.as_str() {
            "checkout.session.completed" => Some(session(object, created, now)),
            "customer.subscription.updated" => Some(subscription(object, created)),
            "customer.subscription.deleted" => {
                let mut told = subscription(object, created);
                told.event.kind = Kind::Canceled;
                told.event.status = None;
                Some(told)
            }
            "invoice.payment_failed" => Some(invoice(object, created)),
            _ => None,
        }
    }
}

/// A checkout that was completed. One that is not paid yet is an event that does not count.
pub fn session(object: &Value, created: OffsetDateTime, now: OffsetDateTime) -> Told {
    let is_unpaid = object["payment_status"] == "unpaid";
    let event = if is_unpaid {
        SubscriptionEvent::new(Kind::Unpaid, created)
    } else {
        let told = [object, &object["subscription"]].map(period);
        let period = told.into_iter().find(|period| period.end.is_some());
        let customer = reference(&object["customer"]);
        SubscriptionEvent::activated(created, period.unwrap_or_default(), customer, now)
    };
    Told {
        gateway_ref: reference(&object["subscription"]),
        org_id: org_id(&object["metadata"]["org_id"]),
        named_org_id: org_id(&object["client_reference_id"]),
        session_ref: reference(&object["id"]),
        prices: prices(&object["subscription"]),
        event,
    }
}

/// How a subscription stands. A status that is not known is an event that does not count.
pub fn subscription(object: &Value, created: OffsetDateTime) -> Told {
    let status = object["status"].as_str().and_then(status);
    let kind = match status {
        Some(_) => Kind::Reported,
        None => Kind::Unpaid,
    };
    let period = period(object);
    let event = SubscriptionEvent {
        status,
        customer_ref: reference(&object["customer"]),
        cancel_at_period_end: ending(object, period),
        period_start: period.start,
        period_end: period.end,
        ..SubscriptionEvent::new(kind, created)
    };
    Told {
        gateway_ref: reference(&object["id"]),
        org_id: org_id(&object["metadata"]["org_id"]),
        named_org_id: None,
        session_ref: None,
        prices: prices(object),
        event,
    }
}

/// A payment that failed.
fn invoice(object: &Value, created: OffsetDateTime) -> Told {
    let parent = &object["parent"]["subscription_details"];
    let older = reference(&object["subscription"]);
    let org = [parent, &object["subscription_details"]].map(|it| org_id(&it["metadata"]["org_id"]));
    Told {
        gateway_ref: older.or_else(|| reference(&parent["subscription"])),
        org_id: org.into_iter().flatten().next(),
        named_org_id: None,
        session_ref: None,
        prices: Vec::new(),
        event: SubscriptionEvent {
            customer_ref: reference(&object["customer"]),
            ..SubscriptionEvent::new(Kind::PaymentFailed, created)
        },
    }
}

fn status(text: &str) -> Option<Status> {
    match text {
        "active" | "trialing" => Some(Status::Active),
        "past_due" | "unpaid" | "incomplete" | "paused" => Some(Status::PastDue),
        "canceled" | "incomplete_expired" => Some(Status::Canceled),
        _ => None,
    }
}

/// The period of a subscription: at its top, else at its first item.
fn period(object: &Value) -> Period {
    let of = |place: &Value| Period {
        start: time(&place["current_period_start"]),
        end: time(&place["current_period_end"]),
    };
    let top = of(object);
    if top == Period::default() {
        of(&object["items"]["data"][0])
    } else {
        top
    }
}

/// What a subscription is to.
fn prices(object: &Value) -> Vec<String> {
    let items = object["items"]["data"].as_array();
    let prices = items.into_iter().flatten();
    prices
        .filter_map(|item| reference(&item["price"]))
        .collect()
}

/// Whether it ends with the period. Newer versions may give the time of its end instead.
fn ending(object: &Value, period: Period) -> Option<bool> {
    let told = object["cancel_at_period_end"].as_bool()?;
    let ends_within = time(&object["cancel_at"])
        .zip(period.end)
        .is_some_and(|(at, end)| at <= end);
    Some(told || ends_within)
}

fn time(value: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(value.as_i64()?).ok()
}

/// An id, or that of an object which is shown in its place.
fn reference(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value["id"].as_str())?;
    is_ref(text).then(|| text.to_owned())
}

fn is_ref(text: &str) -> bool {
    !text.is_empty() && text.len() <= MAX_REF && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn org_id(value: &Value) -> Option<OrgId> {
    OrgId::parse(value.as_str()?)
}

#[cfg(test)]
mod tests;
