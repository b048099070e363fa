//! The control plane, assembled for `halyard serve`, for tests, and for each replica that a test adds.

pub mod accounts;
pub mod backup;
pub mod commands;
pub mod config;
pub mod edges;
pub mod mails;
pub mod orgs;
pub mod rotate;
pub mod service;
pub mod standalone;
