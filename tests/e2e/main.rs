//! The built binaries as real processes, with QUIC between them. One file a topic.

mod addresses;
mod billing;
mod bulk;
mod cache;
mod enrolment;
mod faults;
mod fleet;
mod hostile;
mod jobs;
mod large;
mod log_hygiene;
mod mail;
mod migration;
mod ofrep;
mod on_demand;
mod outage;
mod publish;
mod regions;
mod scene;
mod schedule;
mod seed;
mod slow_link;
mod streams;
mod usage;
mod vectors;
mod webhooks;
