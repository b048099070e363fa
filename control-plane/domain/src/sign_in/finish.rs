//! What a provider vouches for: its code is exchanged for an ID token, which is verified.
//!
//! The attempt is used up first, whatever comes of it. No connection of the pool is held while the provider is asked.

use std::collections::BTreeMap;

use aws_lc_rs::constant_time;
use data_encoding::BASE64;
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;
use url::form_urlencoded;

use super::{
    Providers,
    calls::{Ask, unusable},
    discovery::Discovered,
    id_token::{self, Expected, Fault, IdToken},
    model::Provider,
    redirect_url,
    start::hash,
    store::{
        attempts::{self, Attempt},
        providers,
    },
};
use crate::accounts::email::Email;
use base::{ids::OrgId, input::proper_name, refusal::Refusal};

const ENDED: Refusal =
    Refusal::Unauthenticated("the sign-in has expired or was used before: begin again");
const ELSEWHERE: Refusal = Refusal::Unauthenticated(
    "the sign-in was begun elsewhere: begin and finish it in the same browser",
);
const OTHER_ISSUER: Refusal =
    Refusal::Unauthenticated("the answer is from another provider than the one that was asked");

/// Values of a claim that are read.
const MAX_VALUES: usize = 1_000;

/// What a provider sent back by way of the browser, and what the page kept.
pub struct Answer {
    pub state: String,
    pub code: SecretString,
    /// The issuer as the provider names itself in its answer (RFC 9207).
    pub issuer: Option<String>,
    pub attempt_key: String,
}

/// Somebody for whom a provider vouches.
pub struct Vouched {
    pub org_id: OrgId,
    pub provider: Provider,
    pub subject: String,
    /// Their address, if the provider has verified it.
    pub email: Option<Email>,
    pub name: Option<String>,
    /// The values of the claim that roles are taken from; `None` where they are not.
    pub role_values: Option<Vec<String>>,
}

#[derive(Deserialize)]
struct Tokens {
    id_token: String,
    access_token: Option<String>,
}

impl Providers {
    /// Finishes a sign-in at its provider.
    pub async fn finish(&self, answer: Answer, now: OffsetDateTime) -> Result<Vouched, Refusal> {
        let (attempt, provider, sealed) = self.consume(&answer, now).await?;
        let org_id = attempt.org_id;
        let discovered = self.discover(org_id, &provider, now).await?;
        match &answer.issuer {
            Some(issuer) if *issuer != provider.issuer => return Err(OTHER_ISSUER),
            None if discovered.names_itself => return Err(OTHER_ISSUER),
            Some(_) | None => {}
        }
        let derived = self.derive(&answer.state);
        let secret = match sealed {
            Some(sealed) => Some(
                self.sealer
                    .open(&sealed)
                    .map_err(|error| Refusal::Fault(error.into()))?,
            ),
            None => None,
        };
        let ask = exchange(
            &provider,
            &discovered,
            secret.as_ref().map(|secret| secret.as_slice()),
            &[
                ("grant_type", "authorization_code"),
                ("code", answer.code.expose_secret()),
                ("redirect_uri", &redirect_url(&self.urls)),
                ("code_verifier", &derived.verifier),
            ],
        );
        let tokens: Tokens = self.ask(org_id, &discovered.token, ask).await?;
        let expected = Expected {
            issuer: &provider.issuer,
            client_id: &provider.client_id,
            nonce: &derived.nonce,
            began_at: attempt.created_at,
        };
        let token = self
            .verify(
                org_id,
                &provider,
                &discovered,
                &tokens.id_token,
                &expected,
                now,
            )
            .await?;
        self.vouched(org_id, provider, &discovered, token, tokens.access_token)
            .await
    }

    /// Uses an attempt up, and refuses one of another page.
    async fn consume(
        &self,
        answer: &Answer,
        now: OffsetDateTime,
    ) -> Result<(Attempt, Provider, Option<Vec<u8>>), Refusal> {
        let mut tx = self.db.begin().await?;
        let attempt = attempts::consume(&mut tx, &hash(&answer.state)).await?;
        let found = match &attempt {
            Some(attempt) => {
                providers::find_with_secret(&mut tx, attempt.org_id, attempt.provider_id).await?
            }
            None => None,
        };
        tx.commit().await?;
        let attempt = attempt
            .filter(|attempt| now < attempt.expires_at)
            .ok_or(ENDED)?;
        constant_time::verify_slices_are_equal(&attempt.key_hash, &hash(&answer.attempt_key))
            .map_err(|_| ELSEWHERE)?;
        let (provider, sealed) = found.ok_or(ENDED)?;
        Ok((attempt, provider, sealed))
    }

    /// Verifies a token. Keys are fetched again if one is unknown.
    async fn verify(
        &self,
        org_id: OrgId,
        provider: &Provider,
        discovered: &Discovered,
        token: &str,
        expected: &Expected<'_>,
        now: OffsetDateTime,
    ) -> Result<IdToken, Refusal> {
        let keys = self.keys(org_id, provider, discovered, false, now).await?;
        let mut verified = id_token::verify(token, &keys, expected, now);
        if verified == Err(Fault::UnknownKey) {
            let keys = self.keys(org_id, provider, discovered, true, now).await?;
            verified = id_token::verify(token, &keys, expected, now);
        }
        verified.map_err(|fault| {
            tracing::warn!(
                reason = fault.words(),
                org.id = %org_id,
                provider.id = %provider.id,
                "an ID token was refused",
            );
            Refusal::Unauthenticated(fault.words())
        })
    }

    /// Reads the claims, and those that the ID token leaves out from the provider's user info.
    async fn vouched(
        &self,
        org_id: OrgId,
        provider: Provider,
        discovered: &Discovered,
        token: IdToken,
        access_token: Option<String>,
    ) -> Result<Vouched, Refusal> {
        let IdToken {
            subject,
            mut claims,
        } = token;
        let wanted = ["email", "name"].into_iter();
        let is_incomplete = wanted
            .chain(provider.role_claim.as_deref())
            .any(|name| !claims.contains_key(name));
        if is_incomplete && let (Some(url), Some(bearer)) = (&discovered.user_info, access_token) {
            let more: Map<String, Value> = self.ask(org_id, url, Ask::GetAs(bearer)).await?;
            // It may be about somebody else (OpenID Connect Core, 5.3.2).
            if more.get("sub").and_then(Value::as_str) != Some(&subject) {
                return Err(unusable("its user info is about somebody else"));
            }
            merge(&mut claims, more);
        }
        Ok(Vouched {
            email: verified_email(&claims),
            name: text(&claims, "name").and_then(|name| proper_name("name", Some(name)).ok()),
            role_values: provider
                .role_claim
                .as_ref()
                .map(|claim| values(claims.get(claim))),
            org_id,
            provider,
            subject,
        })
    }
}

/// Adds claims that the ID token does not have. An address and whether it is verified belong together.
fn merge(claims: &mut Map<String, Value>, more: Map<String, Value>) {
    let has_email = claims.contains_key("email");
    for (name, value) in more {
        let is_of_email = name == "email" || name == "email_verified";
        if is_of_email && !has_email {
            claims.insert(name, value);
        } else if !is_of_email {
            claims.entry(name).or_insert(value);
        }
    }
}

/// An address counts only where the provider says that it has verified it.
fn verified_email(claims: &Map<String, Value>) -> Option<Email> {
    let is_verified = claims.get("email_verified") == Some(&Value::Bool(true));
    let email = text(claims, "email")?;
    Email::parse(Some(&email)).ok().filter(|_| is_verified)
}

fn text(claims: &Map<String, Value>, name: &str) -> Option<String> {
    claims.get(name)?.as_str().map(str::to_owned)
}

/// The texts of a claim that is one, or a list.
fn values(claim: Option<&Value>) -> Vec<String> {
    match claim {
        Some(Value::String(one)) => vec![one.clone()],
        Some(Value::Array(all)) => {
            let texts = all.iter().take(MAX_VALUES).filter_map(Value::as_str);
            texts.map(str::to_owned).collect()
        }
        _ => Vec::new(),
    }
}

/// The request that exchanges a code. A client with a secret proves itself as the provider wants it.
fn exchange(
    provider: &Provider,
    discovered: &Discovered,
    secret: Option<&[u8]>,
    fields: &[(&str, &str)],
) -> Ask {
    let secret = secret.map(String::from_utf8_lossy);
    let mut all: BTreeMap<&str, &str> = fields.iter().copied().collect();
    let mut basic = None;
    match &secret {
        Some(secret) if !discovered.takes_secret_in_form => {
            // Both are encoded as in forms first (RFC 6749, 2.3.1).
            let encoded = |text: &str| -> String {
                form_urlencoded::byte_serialize(text.as_bytes()).collect()
            };
            let pair = format!("{}:{}", encoded(&provider.client_id), encoded(secret));
            basic = Some(BASE64.encode(pair.as_bytes()));
        }
        Some(secret) => {
            all.insert("client_id", &provider.client_id);
            all.insert("client_secret", secret);
        }
        None => {
            all.insert("client_id", &provider.client_id);
        }
    }
    let form = form_urlencoded::Serializer::new(String::new())
        .extend_pairs(all)
        .finish();
    Ask::Post { form, basic }
}
