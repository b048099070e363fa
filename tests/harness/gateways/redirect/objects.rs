//! Objects of the gateway, and how they are written as JSON.

use serde_json::{Map, Value, json};

use super::PRICE_ID;

/// A month of Pro, in the smallest unit of the currency.
pub(super) const AMOUNT: u32 = 199_900;
const CURRENCY: &str = "inr";

/// Where periods and ids of subscriptions stand. The gateway moved them in 2025; which one a merchant gets is a setting there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// `current_period_*` of a subscription and `subscription` of an invoice at the top.
    Older,
    /// The period on the first item, the subscription in `parent.subscription_details`.
    Present,
}

impl Shape {
    /// The version of the API that an event names.
    pub(super) const fn version(self) -> &'static str {
        match self {
            Self::Older => "2024-06-20",
            Self::Present => "2026-10-28.endive",
        }
    }
}

/// A checkout.
#[derive(Clone)]
pub(super) struct Session {
    pub(super) id: String,
    pub(super) created: i64,
    pub(super) expires_at: i64,
    pub(super) customer: Option<String>,
    pub(super) customer_email: Option<String>,
    pub(super) client_reference_id: Option<String>,
    pub(super) metadata: Map<String, Value>,
    pub(super) subscription_metadata: Map<String, Value>,
    pub(super) success_url: String,
    pub(super) cancel_url: Option<String>,
    pub(super) is_complete: bool,
    pub(super) is_paid: bool,
    pub(super) subscription: Option<String>,
    pub(super) invoice: Option<String>,
}

impl Session {
    /// `open`, `complete` or `expired`.
    pub(super) const fn status(&self, now: i64) -> &'static str {
        match self.is_complete {
            true => "complete",
            false if now < self.expires_at => "open",
            false => "expired",
        }
    }

    pub(super) fn show(&self, url: &str, now: i64) -> Value {
        let status = self.status(now);
        let url = (status == "open").then(|| format!("{url}/c/pay/{}", self.id));
        json!({
            "id": self.id,
            "object": "checkout.session",
            "amount_subtotal": AMOUNT,
            "amount_total": AMOUNT,
            "automatic_tax": {"enabled": false, "liability": null, "provider": null, "status": null},
            "cancel_url": self.cancel_url,
            "client_reference_id": self.client_reference_id,
            "created": self.created,
            "currency": CURRENCY,
            "custom_fields": [],
            "custom_text": {"after_submit": null, "shipping_address": null, "submit": null},
            "customer": self.customer,
            "customer_details": self.customer_email.as_ref().map(|email| json!({
                "address": null, "email": email, "name": null, "phone": null, "tax_exempt": "none", "tax_ids": [],
            })),
            "customer_email": self.customer_email,
            "expires_at": self.expires_at,
            "invoice": self.invoice,
            "livemode": false,
            "locale": null,
            "metadata": self.metadata,
            "mode": "subscription",
            "payment_intent": null,
            "payment_method_types": ["card"],
            "payment_status": if self.is_paid { "paid" } else { "unpaid" },
            "shipping_options": [],
            "status": status,
            "subscription": self.subscription,
            "success_url": self.success_url,
            "ui_mode": "hosted",
            "url": url,
        })
    }
}

/// What a customer pays for each month.
#[derive(Clone)]
pub(super) struct Subscription {
    pub(super) id: String,
    pub(super) item: String,
    pub(super) customer: String,
    pub(super) created: i64,
    pub(super) status: String,
    pub(super) metadata: Map<String, Value>,
    pub(super) period_start: i64,
    pub(super) period_end: i64,
    pub(super) cancel_at_period_end: bool,
    pub(super) canceled_at: Option<i64>,
    pub(super) ended_at: Option<i64>,
    pub(super) latest_invoice: String,
}

impl Subscription {
    /// Whether it has ended for good.
    pub(super) fn is_over(&self) -> bool {
        matches!(self.status.as_str(), "canceled" | "incomplete_expired")
    }

    pub(super) fn show(&self, shape: Shape) -> Value {
        let mut item = json!({
            "id": self.item,
            "object": "subscription_item",
            "created": self.created,
            "metadata": {},
            "price": {
                "id": PRICE_ID,
                "object": "price",
                "active": true,
                "currency": CURRENCY,
                "product": "prod_pro",
                "recurring": {"interval": "month", "interval_count": 1, "usage_type": "licensed"},
                "type": "recurring",
                "unit_amount": AMOUNT,
            },
            "quantity": 1,
            "subscription": self.id,
            "tax_rates": [],
        });
        let mut subscription = json!({
            "id": self.id,
            "object": "subscription",
            "automatic_tax": {"enabled": false, "liability": null},
            "billing_cycle_anchor": self.created,
            "cancel_at": self.cancel_at_period_end.then_some(self.period_end),
            "cancel_at_period_end": self.cancel_at_period_end,
            "canceled_at": self.canceled_at,
            "collection_method": "charge_automatically",
            "created": self.created,
            "currency": CURRENCY,
            "customer": self.customer,
            "default_payment_method": null,
            "description": null,
            "ended_at": self.ended_at,
            "latest_invoice": self.latest_invoice,
            "livemode": false,
            "metadata": self.metadata,
            "pause_collection": null,
            "schedule": null,
            "start_date": self.created,
            "status": self.status,
            "trial_end": null,
            "trial_start": null,
        });
        let with_period = match shape {
            Shape::Older => &mut subscription,
            Shape::Present => &mut item,
        };
        with_period["current_period_start"] = json!(self.period_start);
        with_period["current_period_end"] = json!(self.period_end);
        subscription["items"] = json!({
            "object": "list",
            "data": [item],
            "has_more": false,
            "total_count": 1,
            "url": format!("/v1/subscription_items?subscription={}", self.id),
        });
        subscription
    }

    /// Its latest invoice.
    pub(super) fn show_invoice(&self, shape: Shape, now: i64, is_paid: bool) -> Value {
        let mut invoice = json!({
            "id": self.latest_invoice,
            "object": "invoice",
            "amount_due": AMOUNT,
            "amount_paid": if is_paid { AMOUNT } else { 0 },
            "amount_remaining": if is_paid { 0 } else { AMOUNT },
            "attempt_count": 1,
            "attempted": true,
            "billing_reason": "subscription_cycle",
            "collection_method": "charge_automatically",
            "created": now,
            "currency": CURRENCY,
            "customer": self.customer,
            "livemode": false,
            "metadata": {},
            "next_payment_attempt": (!is_paid).then_some(now + 3 * 86_400),
            "period_end": self.period_start,
            "period_start": self.period_start,
            "status": if is_paid { "paid" } else { "open" },
            "subtotal": AMOUNT,
            "total": AMOUNT,
            "lines": {"object": "list", "data": [{
                "id": self.latest_invoice.replace("in_", "il_"),
                "object": "line_item",
                "amount": AMOUNT,
                "currency": CURRENCY,
                "metadata": self.metadata,
                "period": {"start": self.period_start, "end": self.period_end},
                "quantity": 1,
            }], "has_more": false, "total_count": 1, "url": format!("/v1/invoices/{}/lines", self.latest_invoice)},
        });
        match shape {
            Shape::Older => {
                invoice["subscription"] = json!(self.id);
                invoice["subscription_details"] = json!({"metadata": self.metadata});
            }
            Shape::Present => {
                invoice["parent"] = json!({
                    "type": "subscription_details",
                    "quote_details": null,
                    "subscription_details": {"metadata": self.metadata, "subscription": self.id},
                });
            }
        }
        invoice
    }
}
