//! Parses events of the gateway. The position of fields varies with the version of its API; both variants are read.

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;

use crate::billing::{
    history::{Kind, Period, SubscriptionEvent},
    model::Status,
};
use base::ids::OrgId;

#[derive(Debug, Deserialize)]
pub struct Envelope {
    /// Identifies repeated events.
    pub id: String,
    #[serde(rename = "type")]
    kind: String,
    /// Unix seconds; the time of arrival if missing.
    created: Option<i64>,
    data: Data,
}

#[derive(Debug, Deserialize)]
struct Data {
    object: Value,
}

#[derive(Debug, PartialEq, Eq)]
pub struct Report {
    pub gateway_ref: Option<String>,
    /// The organization in the subscription's metadata, which only we can write.
    pub org_id: Option<OrgId>,
    /// The organization named by a checkout, which the payer can forge.
    pub named_org_id: Option<OrgId>,
    pub session_ref: Option<String>,
    /// The subscribed prices, if given.
    pub prices: Vec<String>,
    pub event: SubscriptionEvent,
}

impl Report {
    /// Whether it names prices, and `price` is not among them.
    pub fn is_of_another_price(&self, price: &str) -> bool {
        !self.prices.is_empty() && !self.sells(price)
    }

    pub fn sells(&self, price: &str) -> bool {
        self.prices.iter().any(|it| it == price)
    }
}

impl Envelope {
    /// `None` if malformed.
    pub fn parse(body: &[u8]) -> Option<Self> {
        let envelope: Self = serde_json::from_slice(body).ok()?;
        let is_ref = is_ref(&envelope.id) && envelope.data.object.is_object();
        let is_time = |created| OffsetDateTime::from_unix_timestamp(created).is_ok();
        (is_ref && envelope.created.is_none_or(is_time)).then_some(envelope)
    }

    /// The content about a subscription; `None` for other types of events.
    pub fn report(&self, now: OffsetDateTime) -> Option<Report> {
        let object = &self.data.object;
        let created = match self.created {
            Some(seconds) => OffsetDateTime::from_unix_timestamp(seconds).ok()?,
            None => now,
        };
        let mut report = self.read(object, created, now)?;
        report.event.received_at = now;
        Some(report)
    }

    fn read(&self, object: &Value, created: OffsetDateTime, now: OffsetDateTime) -> Option<Report> {
        match self.kind.as_str() {
            "checkout.session.completed" => Some(session(object, created, now)),
            "customer.subscription.updated" => Some(subscription(object, created)),
            "customer.subscription.deleted" => {
                let mut report = subscription(object, created);
                report.event.kind = Kind::Canceled;
                report.event.status = None;
                Some(report)
            }
            "invoice.payment_failed" => Some(invoice(object, created)),
            _ => None,
        }
    }
}

/// A completed checkout. An unpaid one is an event that does not count.
pub fn session(object: &Value, created: OffsetDateTime, now: OffsetDateTime) -> Report {
    let is_unpaid = object["payment_status"] == "unpaid";
    let event = if is_unpaid {
        SubscriptionEvent::new(Kind::Unpaid, created)
    } else {
        let periods = [object, &object["subscription"]].map(period);
        let period = periods.into_iter().find(|period| period.end.is_some());
        let customer = reference(&object["customer"]);
        SubscriptionEvent::activated(created, period.unwrap_or_default(), customer, now)
    };
    Report {
        gateway_ref: reference(&object["subscription"]),
        org_id: org_id(&object["metadata"]["org_id"]),
        named_org_id: org_id(&object["client_reference_id"]),
        session_ref: reference(&object["id"]),
        prices: prices(&object["subscription"]),
        event,
    }
}

/// The state of a subscription. An unknown status is an event that does not count.
pub fn subscription(object: &Value, created: OffsetDateTime) -> Report {
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
    Report {
        gateway_ref: reference(&object["id"]),
        org_id: org_id(&object["metadata"]["org_id"]),
        named_org_id: None,
        session_ref: None,
        prices: prices(object),
        event,
    }
}

fn invoice(object: &Value, created: OffsetDateTime) -> Report {
    let parent = &object["parent"]["subscription_details"];
    let older = reference(&object["subscription"]);
    let org = [parent, &object["subscription_details"]].map(|it| org_id(&it["metadata"]["org_id"]));
    Report {
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

/// The period of a subscription, or else of its first item.
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

fn prices(object: &Value) -> Vec<String> {
    let items = object["items"]["data"].as_array();
    let prices = items.into_iter().flatten();
    prices
        .filter_map(|item| reference(&item["price"]))
        .collect()
}

/// Whether it ends with the period. Newer API versions may give the time of the end instead.
fn ending(object: &Value, period: Period) -> Option<bool> {
    let is_ending = object["cancel_at_period_end"].as_bool()?;
    let ends_within = time(&object["cancel_at"])
        .zip(period.end)
        .is_some_and(|(at, end)| at <= end);
    Some(is_ending || ends_within)
}

fn time(value: &Value) -> Option<OffsetDateTime> {
    OffsetDateTime::from_unix_timestamp(value.as_i64()?).ok()
}

/// An id, or the id of an expanded object.
fn reference(value: &Value) -> Option<String> {
    let text = value.as_str().or_else(|| value["id"].as_str())?;
    is_ref(text).then(|| text.to_owned())
}

fn is_ref(text: &str) -> bool {
    !text.is_empty() && text.len() <= 255 && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn org_id(value: &Value) -> Option<OrgId> {
    OrgId::parse(value.as_str()?)
}

#[cfg(test)]
mod tests;
