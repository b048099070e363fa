//! Shared by the routes of all domains: authorization, reports in answers, words of refusals.

pub mod access;
pub mod behalf;
pub mod device;
pub mod fields;
pub mod found;
pub mod known;
pub mod openapi;
pub mod part;
pub mod published;
pub mod rates;
pub mod tags;
pub mod warned;

pub(crate) use self::access::declare::endpoints;
