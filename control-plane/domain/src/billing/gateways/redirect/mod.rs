//! `gateway_redirect`: Stripe's API. The payer is redirected to a page of the gateway; signed events report changes of the
//! subscription.

pub mod client;
pub mod event;
pub mod signature;
