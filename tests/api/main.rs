//! The API of the control plane, in process, over a real database. One file a domain.

mod access;
mod accounts;
mod api_keys;
mod approvals;
mod audit;
mod conventions;
mod database;
mod environments;
mod explain;
mod flag_states;
mod flags;
mod jobs;
mod leader;
mod mail;
mod members;
mod metrics;
mod mfa;
mod onboarding;
mod operations;
mod projects;
mod publish;
mod replicas;
mod roles;
mod sales;
mod segments;
mod trail;
