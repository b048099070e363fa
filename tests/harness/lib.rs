//! What tests stand on: a database each, the control plane in process or as real processes, callers that
//! speak HTTP, and assertions on whole answers. `docs/testing.md` is the tour.

pub mod access;
pub mod app;
pub mod authenticator;
pub mod caller;
pub mod cluster;
pub mod disk;
pub mod documented;
pub mod entitlements;
pub mod expect;
pub mod gateways;
mod locks;
pub mod mail_server;
pub mod mails;
pub mod migration;
pub mod node;
pub mod patience;
pub mod places;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod receiver;
pub mod relay;
pub mod scim;
mod server;
pub mod source;
pub mod sse;
pub mod stack;
pub mod statements;
pub mod tree;
pub mod tunnel;
pub mod unleash;
pub mod user;
pub mod waits;

// What tests in process call is composed by the same lines as what runs.
#[path = "../../control-plane/src/standalone.rs"]
mod standalone;

pub use app::App;
pub use authenticator::Authenticator;
pub use caller::{Caller, Response};
pub use disk::Disk;
pub use gateways::{FormGateway, Gateways, RedirectGateway};
pub use mails::Mail;
pub use patience::eventually;
pub use postgres::Database;
pub use receiver::{Answer, Received, Receiver};
pub use scim::IdentityProvider;
pub use source::{Source, Trouble};
pub use stack::{Control, Edge, Stack};
pub use statements::Statements;
pub use unleash::{LikeUnleash, Unleash};
pub use user::User;
