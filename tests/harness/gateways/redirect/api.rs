//! Calls: what the gateway answers, and what it remembers.

use axum::http::StatusCode;
use serde_json::{Map, Value, json};

use super::account::Account;
use super::objects::Session;
use super::parameters::{Parameters, invalid};
use super::requests::Request;
use super::{PRICE_ID, SECRET_KEY};

const A_DAY: i64 = 86_400;

/// Parameters of a new session that the gateway knows, and this stand-in honours or can ignore.
const OF_SESSIONS: [&str; 12] = [
    "mode",
    "line_items",
    "customer",
    "customer_email",
    "client_reference_id",
    "metadata",
    "subscription_data",
    "success_url",
    "cancel_url",
    "locale",
    "payment_method_types",
    "allow_promotion_codes",
];

/// An answer in JSON.
#[derive(Clone, Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Value,
    /// Whether it was given before, for the same idempotency key.
    pub(super) is_replayed: bool,
}

/// An answer that a repeated call gets too.
pub(super) struct Kept {
    request: Request,
    answer: Answer,
    at: i64,
}

type Answered = Result<Value, Answer>;

impl Account {
    /// Answers a call.
    pub(super) fn answer(&mut self, request: &Request) -> Answer {
        if let Err(refusal) = authenticate(request) {
            return refusal;
        }
        // For other methods the key has no effect.
        let key = request
            .idempotency_key
            .as_ref()
            .filter(|_| request.method == "POST");
        let Some(key) = key else {
            return self.execute(request);
        };
        let now = self.now();
        self.kept.retain(|_, kept| now - kept.at < A_DAY);
        if let Some(kept) = self.kept.get(key) {
            if !kept.request.asks_the_same_as(request) {
                let message = format!(
                    "Keys for idempotent requests can only be used with the same parameters they were first used with. \
                     Try using a key other than '{key}' if you meant to execute a different request."
                );
                return invalid(400).says("idempotency_error", &message);
            }
            let mut answer = kept.answer.clone();
            answer.is_replayed = true;
            return answer;
        }
        let answer = self.execute(request);
        // Refused parameters are not remembered: nothing was executed.
        if answer.status == 200 {
            let kept = Kept {
                request: request.clone(),
                answer: answer.clone(),
                at: now,
            };
            self.kept.insert(key.clone(), kept);
        }
        answer
    }

    fn execute(&mut self, request: &Request) -> Answer {
        let parameters = Parameters(&request.fields);
        let parts: Vec<_> = request.path.trim_start_matches('/').split('/').collect();
        let answered = match (request.method.as_str(), &parts[..]) {
            ("POST", ["v1", "checkout", "sessions"]) => self.open_session(&parameters),
            ("GET", ["v1", "checkout", "sessions", id]) => self.retrieve_session(id, &parameters),
            ("POST", ["v1", "checkout", "sessions", id, "expire"]) => self.expire_session(id),
            ("POST", ["v1", "billing_portal", "sessions"]) => self.open_portal(&parameters),
            ("GET", ["v1", "subscriptions", id]) => self
                .subscription(id)
                .map(drop)
                .map(|()| self.show_subscription(id)),
            ("POST", ["v1", "subscriptions", id]) => self.update_subscription(id, &parameters),
            ("DELETE", ["v1", "subscriptions", id]) => self.cancel_subscription(id),
            (method, _) => {
                let message = format!("Unrecognized request URL ({method}: {}).", request.path);
                Err(invalid(404).says("invalid_request_error", &message))
            }
        };
        answered.map_or_else(
            |refusal| refusal,
            |body| Answer {
                status: StatusCode::OK.as_u16(),
                body,
                is_replayed: false,
            },
        )
    }

    fn open_session(&mut self, parameters: &Parameters<'_>) -> Answered {
        parameters.only(&OF_SESSIONS)?;
        let mode = parameters.required("mode")?;
        if mode != "subscription" {
            return Err(invalid(400).about("mode", "this stand-in sells subscriptions alone"));
        }
        let price = parameters.required("line_items[0][price]")?;
        if price != PRICE_ID {
            return Err(invalid(400).missing("price", price, "line_items[0][price]"));
        }
        let quantity = parameters.required("line_items[0][quantity]")?;
        if quantity.parse::<u32>().is_err() {
            let message = format!("Invalid integer: {quantity}");
            return Err(invalid(400).about("line_items[0][quantity]", &message));
        }
        let customer = parameters.owned("customer");
        let customer_email = parameters.owned("customer_email");
        match (&customer, &customer_email) {
            (Some(_), Some(_)) => {
                let message =
                    "You may only specify one of these parameters: customer, customer_email.";
                return Err(invalid(400).about("customer", message));
            }
            (Some(id), None) if !self.customers.contains(id) => {
                return Err(invalid(400).missing("customer", id, "customer"));
            }
            (None, Some(email)) if !is_email(email) => {
                let message = format!("Invalid email address: {email}");
                return Err(invalid(400)
                    .code("email_invalid")
                    .about("customer_email", &message));
            }
            _ => {}
        }
        let client_reference_id = parameters.owned("client_reference_id");
        if client_reference_id
            .as_ref()
            .is_some_and(|id| id.chars().count() > 200)
        {
            return Err(invalid(400).about("client_reference_id", "at most 200 characters"));
        }
        parameters.required("success_url")?;
        let success_url = parameters.address("success_url")?.unwrap_or_default();
        let now = self.now();
        let session = Session {
            id: self.new_id("cs_test"),
            created: now,
            expires_at: now + A_DAY,
            customer,
            customer_email,
            client_reference_id,
            metadata: parameters.metadata("metadata")?,
            subscription_metadata: parameters.metadata("subscription_data[metadata]")?,
            success_url,
            cancel_url: parameters.address("cancel_url")?,
            is_complete: false,
            is_paid: false,
            subscription: None,
            invoice: None,
        };
        let shown = self.show_session(&session);
        self.sessions.insert(session.id.clone(), session);
        Ok(shown)
    }

    fn retrieve_session(&self, id: &str, parameters: &Parameters<'_>) -> Answered {
        let session = self.session(id)?;
        let mut shown = self.show_session(session);
        match parameters.get("expand[]").or(parameters.get("expand[0]")) {
            None => {}
            Some("subscription") => {
                if let Some(subscription) = &session.subscription {
                    shown["subscription"] = self.show_subscription(subscription);
                }
            }
            Some(other) => {
                let message = format!("This property cannot be expanded ({other}).");
                return Err(invalid(400).says("invalid_request_error", &message));
            }
        }
        Ok(shown)
    }

    fn expire_session(&mut self, id: &str) -> Answered {
        let now = self.now();
        let status = self.session(id)?.status(now);
        if status != "open" {
            let message = format!(
                "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout Session has a status of \
                 `{status}`."
            );
            return Err(invalid(400).says("invalid_request_error", &message));
        }
        self.expire_now(id);
        let event = self.session_event("checkout.session.expired", id);
        self.caused.push(event);
        Ok(self.show_session(self.session(id)?))
    }

    fn open_portal(&mut self, parameters: &Parameters<'_>) -> Answered {
        parameters.only(&["customer", "return_url", "locale", "configuration"])?;
        let customer = parameters.required("customer")?;
        if !self.customers.contains(customer) {
            return Err(invalid(400).missing("customer", customer, "customer"));
        }
        let id = self.new_id("bps");
        Ok(json!({
            "id": id,
            "object": "billing_portal.session",
            "configuration": "bpc_halyard",
            "created": self.now(),
            "customer": customer,
            "flow": null,
            "livemode": false,
            "locale": null,
            "on_behalf_of": null,
            "return_url": parameters.address("return_url")?,
            "url": format!("{}/p/session/{id}", self.url),
        }))
    }

    fn update_subscription(&mut self, id: &str, parameters: &Parameters<'_>) -> Answered {
        let now = self.now();
        let subscription = self.subscription(id)?;
        parameters.only(&["cancel_at_period_end", "metadata"])?;
        let cancel = parameters.boolean("cancel_at_period_end")?;
        let metadata: Map<_, _> = parameters.metadata("metadata")?;
        if cancel.is_some() && subscription.is_over() {
            let message =
                "A canceled subscription can only update its cancellation_details and metadata.";
            return Err(invalid(400).says("invalid_request_error", message));
        }
        subscription.metadata.extend(metadata);
        if let Some(cancel) = cancel {
            subscription.cancel_at_period_end = cancel;
            subscription.canceled_at = cancel.then_some(now);
        }
        let event = self.subscription_event("customer.subscription.updated", id);
        self.caused.push(event);
        Ok(self.show_subscription(id))
    }

    fn cancel_subscription(&mut self, id: &str) -> Answered {
        if self.subscription(id)?.is_over() {
            return Err(invalid(404).missing("subscription", id, "id"));
        }
        self.end(id);
        let event = self.subscription_event("customer.subscription.deleted", id);
        self.caused.push(event);
        Ok(self.show_subscription(id))
    }

    /// Ends a subscription now.
    pub(super) fn end(&mut self, id: &str) {
        let now = self.now();
        let subscription = self.subscriptions.get_mut(id).expect("a subscription");
        "canceled".clone_into(&mut subscription.status);
        subscription.canceled_at.get_or_insert(now);
        subscription.ended_at = Some(now);
    }
}

fn authenticate(request: &Request) -> Result<(), Answer> {
    match request.authorization.as_deref() {
        Some(given) if given.strip_prefix("Bearer ") == Some(SECRET_KEY) => Ok(()),
        Some(_) => Err(invalid(401).says(
            "invalid_request_error",
            "Invalid API Key provided: sk_test_*****",
        )),
        None => Err(invalid(401).says("invalid_request_error", "You did not provide an API key.")),
    }
}

fn is_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(local, domain)| {
        !local.is_empty() && domain.contains('.') && !text.contains(char::is_whitespace)
    })
}
