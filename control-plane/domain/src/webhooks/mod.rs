//! Webhooks: HTTP receivers of events about an organization's flags.
//!
//! An event is written with its change ([`crate::events::outbox`]), distributed to listening webhooks (`queue.rs`), and delivered
//! (`deliver.rs`); all state is in the database.

mod body;
pub mod change;
mod deliver;
mod detail;
pub mod input;
mod message;
pub mod model;
mod outcome;
mod pace;
mod page;
mod queue;
mod redeliver;
mod request;
pub mod settings;
mod sign;
pub mod store;

use std::sync::Arc;

use secrecy::{ExposeSecret, SecretString};
use serving::clock::Clock;

pub use self::deliver::Deliveries;
use self::settings::WebhookSettings;
use base::{
    config::UrlSettings,
    db::Db,
    outbound::guard::{Guard, Resolver},
    sealing::{Sealer, purpose},
};

pub struct Webhooks {
    pub guard: Guard,
    sealer: Sealer,
    settings: WebhookSettings,
    urls: Arc<UrlSettings>,
    db: Db,
    clock: Clock,
}

impl Webhooks {
    /// Seals secrets with `app_secret`.
    pub fn new(
        db: Db,
        clock: Clock,
        resolver: Resolver,
        app_secret: &SecretString,
        settings: WebhookSettings,
        urls: Arc<UrlSettings>,
    ) -> Self {
        Self {
            guard: Guard::new(settings.allowed.clone(), resolver, settings.timeout),
            sealer: Sealer::new(app_secret, purpose::WEBHOOKS),
            settings,
            urls,
            db,
            clock,
        }
    }

    fn seal(&self, secret: &SecretString) -> Vec<u8> {
        self.sealer.seal(secret.expose_secret().as_bytes())
    }
}
