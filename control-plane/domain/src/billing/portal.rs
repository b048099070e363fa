//! The gateway's own pages, where payers change how they pay.

use super::{Billing, checkout::idempotency_key, input::ReturnPath, model::Subscription};
use crate::members::caller::Caller;
use base::refusal::Refusal;

impl Billing {
    /// Opens the portal for whoever pays for the subscription; gives its address.
    pub async fn open_portal(
        &self,
        caller: &Caller,
        subscriptions: &[Subscription],
    ) -> Result<String, Refusal> {
        let gateway = self.redirect()?;
        let mut customers = subscriptions
            .iter()
            .filter_map(|it| it.state.customer_ref.as_deref());
        let customer = customers.next().ok_or_else(|| {
            Refusal::conflict(
                "the payment gateway has not told yet who pays, please try again later",
            )
        })?;
        let _call = self.calls.try_enter(caller.org_id)?;
        let path = ReturnPath::Billing.as_str();
        let return_url = format!("{}{path}", self.urls.dashboard);
        Ok(gateway
            .open_portal(customer, return_url, idempotency_key())
            .await?)
    }
}
