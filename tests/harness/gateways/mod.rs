//! Stand-ins for the payment gateways, on loopback, with state and trouble. They are written from the gateways' own
//! documentation, and share no code with the service.

pub mod form;
pub mod signature;

pub use form::{Callback, FormGateway};
