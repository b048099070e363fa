//! What a provider says of itself, and its keys. Both are kept for a while.
//!
//! A key that is not known may be a new one, so the keys are fetched again, once a minute at most: tokens with invented key ids
//! must not make this service a burden for a provider. One lock for each provider, so that those who wait find what one fetched.

use std::{collections::HashMap, sync::Arc};

use jsonwebtoken::jwk::Jwk;
use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::Value;
use time::{Duration, OffsetDateTime};
use url::Url;

use super::{
    Providers,
    calls::{Ask, unusable},
    model::Provider,
};
use base::{
    ids::{OrgId, SignInProviderId},
    outbound::guard::UserUrl,
    refusal::Refusal,
};

/// How long both are kept.
const KEPT: Duration = Duration::minutes(10);
/// How long until keys are fetched again because one is not among them.
const PAUSE: Duration = Duration::minutes(1);
/// Keys of a provider that are read.
const MAX_KEYS: usize = 100;
/// Providers in memory.
const MAX_PROVIDERS: usize = 10_000;

/// The document at `/.well-known/openid-configuration`.
#[derive(Deserialize)]
struct Document {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    jwks_uri: String,
    userinfo_endpoint: Option<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

#[derive(Deserialize)]
struct KeySet {
    keys: Vec<Value>,
}

/// What a provider says of itself.
pub(super) struct Discovered {
    pub(super) authorization: Url,
    pub(super) token: UserUrl,
    keys: UserUrl,
    /// Where claims are that the ID token leaves out.
    pub(super) user_info: Option<UserUrl>,
    /// Whether the client's secret is sent in the form, and not in the header.
    pub(super) takes_secret_in_form: bool,
    /// Whether it names itself in every answer (RFC 9207).
    pub(super) names_itself: bool,
}

#[derive(Default)]
struct Known {
    discovered: Option<(OffsetDateTime, Arc<Discovered>)>,
    keys: Option<(OffsetDateTime, Arc<Vec<Jwk>>)>,
}

type Shared = Arc<tokio::sync::Mutex<Known>>;

/// What is kept of providers, by their id and issuer.
#[derive(Default)]
pub(super) struct Memory(Mutex<HashMap<(SignInProviderId, String), Shared>>);

impl Memory {
    fn of(&self, provider: &Provider) -> Shared {
        let mut all = self.0.lock();
        if all.len() >= MAX_PROVIDERS {
            all.clear();
        }
        Arc::clone(
            all.entry((provider.id, provider.issuer.clone()))
                .or_default(),
        )
    }
}

/// Whether something is older than `age`, or from the future of a clock that was set back.
fn is_older(at: OffsetDateTime, age: Duration, now: OffsetDateTime) -> bool {
    now < at || now - at >= age
}

impl Providers {
    /// What the provider says of itself.
    pub(super) async fn discover(
        &self,
        org_id: OrgId,
        provider: &Provider,
        now: OffsetDateTime,
    ) -> Result<Arc<Discovered>, Refusal> {
        let known = self.memory.of(provider);
        let mut known = known.lock().await;
        if let Some((at, discovered)) = &known.discovered
            && !is_older(*at, KEPT, now)
        {
            return Ok(Arc::clone(discovered));
        }
        let address = format!(
            "{}/.well-known/openid-configuration",
            provider.issuer.trim_end_matches('/')
        );
        let document: Document = self.ask(org_id, &self.address(&address)?, Ask::Get).await?;
        let discovered = Arc::new(self.read(provider, document)?);
        known.discovered = Some((now, Arc::clone(&discovered)));
        Ok(discovered)
    }

    fn read(&self, provider: &Provider, document: Document) -> Result<Discovered, Refusal> {
        // Else one provider could pass its users off as another's.
        if document.issuer != provider.issuer {
            return Err(unusable("it names another issuer"));
        }
        let methods = document.token_endpoint_auth_methods_supported;
        let takes = |method: &str| {
            methods
                .as_ref()
                .is_some_and(|all| all.iter().any(|one| one == method))
        };
        let authorization = self.address(&document.authorization_endpoint)?;
        // The browser follows it, with the state in its query.
        if authorization.url().scheme() != "https" && self.settings.allowed.is_empty() {
            return Err(unusable("its address is not https"));
        }
        let user_info = document.userinfo_endpoint;
        Ok(Discovered {
            authorization: authorization.url().clone(),
            token: self.address(&document.token_endpoint)?,
            keys: self.address(&document.jwks_uri)?,
            user_info: user_info.map(|text| self.address(&text)).transpose()?,
            // The header is what the specification presumes (RFC 8414, 2).
            takes_secret_in_form: takes("client_secret_post") && !takes("client_secret_basic"),
            names_itself: document.authorization_response_iss_parameter_supported,
        })
    }

    fn address(&self, text: &str) -> Result<UserUrl, Refusal> {
        let parsed = self.guard.parse("issuer", text);
        parsed.map_err(|_| unusable("an address of it must not be called"))
    }

    /// The provider's keys; with `anew` fetched again, unless that was just done.
    pub(super) async fn keys(
        &self,
        org_id: OrgId,
        provider: &Provider,
        discovered: &Discovered,
        anew: bool,
        now: OffsetDateTime,
    ) -> Result<Arc<Vec<Jwk>>, Refusal> {
        let known = self.memory.of(provider);
        let mut known = known.lock().await;
        let age = if anew { PAUSE } else { KEPT };
        if let Some((at, keys)) = &known.keys
            && !is_older(*at, age, now)
        {
            return Ok(Arc::clone(keys));
        }
        let set: KeySet = self.ask(org_id, &discovered.keys, Ask::Get).await?;
        // Keys of kinds that are not known here are none of our business.
        let keys = set.keys.into_iter().take(MAX_KEYS);
        let keys = keys.filter_map(|key| serde_json::from_value(key).ok());
        let keys = Arc::new(keys.collect());
        known.keys = Some((now, Arc::clone(&keys)));
        Ok(keys)
    }
}
