//! `gateway_redirect`: Stripe's API. The payer is redirected to a page of the gateway; what happens to the subscription is
//! told by signed events.

pub mod client;
pub mod event;
pub mod signature;
