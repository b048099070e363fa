//! Halyard's control plane: the management API over Postgres, and the publisher that tells edges what to serve.
//!
//! One folder a domain: `model` (types and pure rules), `input` (what a client may say), `change` (operations), `store` (all
//! its SQL), `routes` (HTTP).

pub mod accounts;
pub mod api_keys;
pub mod app;
pub mod approvals;
pub mod audit;
pub mod billing;
mod blocking;
mod checks;
pub mod clocks;
pub mod config;
pub mod dashboard;
pub mod db;
pub mod edges;
pub mod environments;
pub mod events;
pub mod flags;
pub mod http;
pub mod ids;
pub mod input;
pub mod jobs;
pub mod leader;
pub mod lifecycle;
pub mod live;
pub mod long_pages;
pub mod looks;
pub mod mail;
pub mod me;
pub mod members;
pub mod mfa;
pub mod migration;
pub mod onboarding;
pub mod operator;
pub mod orgs;
pub mod outbound;
pub mod projects;
pub mod publish;
pub mod refusal;
pub mod replicas;
pub mod roles;
pub mod sales;
pub mod scim;
pub mod sealing;
pub mod search;
pub mod segments;
pub mod service;
pub mod sessions;
pub mod shares;
pub mod state;
mod telemetry;
pub mod unit;
pub mod usage;
pub mod waker;
pub mod webhooks;
