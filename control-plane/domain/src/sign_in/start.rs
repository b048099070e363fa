//! Beginning a sign-in: which provider, and where the browser goes.
//!
//! An attempt is bound three times: the provider's answer to it by the state, the ID token by the nonce, the code by PKCE. Nonce
//! and verifier are derived from the state with a key of ours, so only hashes are stored. The page keeps a key of its own, without
//! which its state is useless: nobody is signed in by a link that somebody else made.

use aws_lc_rs::hmac;
use data_encoding::BASE64URL_NOPAD;
use rand::{RngExt, rand_core::UnwrapErr, rngs::SysRng};
use sha2::{Digest, Sha256};
use time::{Duration, OffsetDateTime};

use super::{
    Providers,
    input::domain_of,
    model::Provider,
    redirect_url,
    store::{
        attempts::{self, Attempt},
        domains, providers,
    },
};
use crate::{accounts::email::Email, orgs};
use base::{
    ids::{OrgId, SignInProviderId},
    refusal::{Missing, Refusal},
};

/// How long a sign-in may take.
const LIFETIME: Duration = Duration::minutes(10);

/// Whose providers are meant.
#[derive(Debug)]
pub enum Whose {
    /// The organization that the address's domain is proven for.
    Email(Email),
    /// An organization by its id or slug.
    Organization(String),
}

/// A sign-in that has begun, or the choice that is left.
#[derive(Debug)]
pub enum Begun {
    Started {
        redirect_url: String,
        /// The page keeps it and sends it back.
        attempt_key: String,
    },
    Choice(Vec<Provider>),
}

/// What an attempt is recognised by, of its state.
pub(super) struct Derived {
    pub(super) nonce: String,
    pub(super) verifier: String,
}

impl Providers {
    /// The organization whose providers are meant; the answer does not tell whether an address has an account.
    pub async fn find_org(&self, whose: &Whose) -> Result<OrgId, Refusal> {
        let mut conn = self.db.acquire().await?;
        let found = match whose {
            Whose::Email(email) => match domain_of(email) {
                Some(domain) => domains::find_org(&mut conn, &domain).await?,
                None => None,
            },
            Whose::Organization(name) => orgs::store::find_by_name(&mut conn, name)
                .await?
                .map(|org| org.id),
        };
        found.ok_or(Missing::SignInProvider.into())
    }

    /// Begins a sign-in at the provider, or at the only one.
    pub async fn start(
        &self,
        org_id: OrgId,
        whose: &Whose,
        provider_id: Option<SignInProviderId>,
        now: OffsetDateTime,
    ) -> Result<Begun, Refusal> {
        let mut all = {
            let mut conn = self.db.acquire().await?;
            providers::list(&mut conn, org_id).await?
        };
        if let Some(id) = provider_id {
            all.retain(|provider| provider.id == id);
        }
        let provider = match all.as_slice() {
            [] => return Err(Missing::SignInProvider.into()),
            [one] => one,
            [_, _, ..] => return Ok(Begun::Choice(all)),
        };
        // Called without a connection in hand.
        let discovered = self.discover(org_id, provider, now).await?;

        let (state, key) = (random(), random());
        let derived = self.derive(&state);
        let attempt = Attempt {
            org_id,
            provider_id: provider.id,
            key_hash: hash(&key),
            created_at: now,
            expires_at: now + LIFETIME,
        };
        attempts::insert(&mut *self.db.acquire().await?, &hash(&state), &attempt).await?;

        let challenge = BASE64URL_NOPAD.encode(&Sha256::digest(derived.verifier.as_bytes()));
        let mut url = discovered.authorization.clone();
        {
            let mut query = url.query_pairs_mut();
            query
                .append_pair("response_type", "code")
                .append_pair("client_id", &provider.client_id)
                .append_pair("redirect_uri", &redirect_url(&self.urls))
                .append_pair("scope", "openid email profile")
                .append_pair("state", &state)
                .append_pair("nonce", &derived.nonce)
                .append_pair("code_challenge", &challenge)
                .append_pair("code_challenge_method", "S256");
            if let Whose::Email(email) = whose {
                query.append_pair("login_hint", email.as_str());
            }
        }
        Ok(Begun::Started {
            redirect_url: url.into(),
            attempt_key: key,
        })
    }

    /// What belongs to a state, which nobody else can compute.
    pub(super) fn derive(&self, state: &str) -> Derived {
        let of = |what: &str| {
            let message = format!("{what}\0{state}");
            BASE64URL_NOPAD.encode(hmac::sign(&self.attempt_key, message.as_bytes()).as_ref())
        };
        Derived {
            nonce: of("nonce"),
            verifier: of("verifier"),
        }
    }
}

/// 256 random bits.
fn random() -> String {
    let bytes: [u8; 32] = UnwrapErr(SysRng).random();
    BASE64URL_NOPAD.encode(&bytes)
}

/// The stored form. 256 random bits need neither a key nor a slower hash.
pub(super) fn hash(text: &str) -> Vec<u8> {
    Sha256::digest(text.as_bytes()).to_vec()
}
