//! The payment gateways: what their protocols look like. Nothing here knows the database.

pub mod form;
pub mod form_api;
pub mod redirect;
