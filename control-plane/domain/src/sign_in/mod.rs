//! Sign-in by providers of an organization's own, by OpenID Connect.
//!
//! Owners set providers up (`change`), and prove the domains whose addresses these may vouch for (`domains`). A page begins a sign-in
//! (`start`) and finishes it with what the provider sent back (`finish`); [`crate::accounts`] opens the session.

mod calls;
pub mod change;
mod discovery;
pub mod domains;
pub mod finish;
mod id_token;
pub mod identities;
pub mod input;
pub mod model;
pub mod records;
pub mod settings;
pub mod start;
pub mod store;

use std::sync::Arc;

use aws_lc_rs::hmac;
use secrecy::{ExposeSecret, SecretString};
use sqlx::PgConnection;

use self::{discovery::Memory, settings::ProviderSettings};
use crate::accounts::email::Email;
use base::{
    config::{Page, UrlSettings},
    db::{self, Db},
    ids::OrgId,
    outbound::{
        guard::{Guard, Resolver},
        texts::Texts,
    },
    refusal::Refusal,
    sealing::{self, Sealer, purpose},
};

/// Where passwords do not sign in.
pub(crate) const BY_PROVIDER: Refusal = Refusal::Forbidden(
    "members of the organization sign in by its provider: begin at POST /v1/auth/oidc/start",
);

/// The page that providers send people back to, for every organization: attempts tell them apart.
pub fn redirect_url(urls: &UrlSettings) -> String {
    urls.page(Page::Login)
}

/// Whether the organization has proven the address's domain.
pub(crate) async fn vouches_for(
    conn: &mut PgConnection,
    org_id: OrgId,
    email: &Email,
) -> db::Result<bool> {
    let Some(domain) = input::domain_of(email) else {
        return Ok(false);
    };
    Ok(store::domains::find_org(conn, &domain).await? == Some(org_id))
}

/// What calls providers and name servers.
pub struct Providers {
    pub guard: Guard,
    pub(crate) texts: Texts,
    sealer: Sealer,
    settings: ProviderSettings,
    /// Attempts are derived with it.
    attempt_key: hmac::Key,
    memory: Memory,
    urls: Arc<UrlSettings>,
    db: Db,
}

impl Providers {
    /// Seals the secrets of clients with `app_secret`.
    pub fn new(
        db: Db,
        resolver: Resolver,
        app_secret: &SecretString,
        settings: ProviderSettings,
        urls: Arc<UrlSettings>,
    ) -> Self {
        let secret = app_secret.expose_secret().as_bytes();
        let key = sealing::derive(secret, "attempts to sign in");
        Self {
            attempt_key: hmac::Key::new(hmac::HMAC_SHA256, key.as_slice()),
            memory: Memory::default(),
            guard: Guard::new(settings.allowed.clone(), resolver, settings.timeout),
            texts: Texts::new(&settings.dns_servers),
            sealer: Sealer::new(app_secret, purpose::SIGN_IN_PROVIDERS),
            settings,
            urls,
            db,
        }
    }

    fn seal(&self, secret: &SecretString) -> Vec<u8> {
        self.sealer.seal(secret.expose_secret().as_bytes())
    }
}
