//! Protocols of the payment gateways, without database access.

pub mod form;
pub mod form_api;
pub mod redirect;
