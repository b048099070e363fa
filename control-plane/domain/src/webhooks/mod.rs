//! Webhooks: whoever an organization wants to be told of changes to its flags.
//!
//! An event is written with its change (`outbox.rs`), shared out among those who listen (`queue.rs`), and delivered (`deliver.rs`),
//! each by what the database says and not by what a process remembers.

pub mod change;
mod deliver;
pub mod input;
pub mod model;
pub mod outbox;
mod pace;
mod queue;
mod request;
mod sign;
pub mod store;

use secrecy::{ExposeSecret, SecretString};
use serving::clock::Clock;

pub use self::deliver::Deliveries;
use crate::config::WebhookSettings;
use base::{
    db::Db,
    outbound::guard::{Guard, Resolver},
    sealing::{Sealer, purpose},
};

/// What webhooks may be, and where they are.
pub struct Webhooks {
    /// Which addresses may be called.
    pub guard: Guard,
    sealer: Sealer,
    settings: WebhookSettings,
    db: Db,
    clock: Clock,
}

impl Webhooks {
    /// Secrets are sealed with `app_secret`.
    pub fn new(
        db: Db,
        clock: Clock,
        resolver: Resolver,
        app_secret: &SecretString,
        settings: WebhookSettings,
    ) -> Self {
        Self {
            guard: Guard::new(settings.allowed.clone(), resolver, settings.timeout),
            sealer: Sealer::new(app_secret, purpose::WEBHOOKS),
            settings,
            db,
            clock,
        }
    }

    fn seal(&self, secret: &SecretString) -> Vec<u8> {
        self.sealer.seal(secret.expose_secret().as_bytes())
    }
}
