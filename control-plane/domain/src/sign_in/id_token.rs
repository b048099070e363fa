//! ID tokens: signature and claims (OpenID Connect Core, 3.1.3.7), by the injected clock.

use aws_lc_rs::constant_time;
use jsonwebtoken::{
    Algorithm, DecodingKey, Header, Validation, decode, decode_header,
    jwk::{AlgorithmParameters, EllipticCurve, Jwk, KeyAlgorithm, PublicKeyUse},
};
use serde::Deserialize;
use serde_json::{Map, Value};
use time::OffsetDateTime;

/// Only signatures by keys that the provider alone has. Without these, and with those of a shared secret, anybody could sign.
const ALGORITHMS: [Algorithm; 4] = [
    Algorithm::RS256,
    Algorithm::PS256,
    Algorithm::ES256,
    Algorithm::EdDSA,
];

/// Seconds by which clocks may differ.
const LEEWAY: i64 = 60;

/// Bytes of a token.
const MAX_TOKEN: usize = 64 * 1024;

/// What a token must say.
pub(super) struct Expected<'a> {
    pub(super) issuer: &'a str,
    pub(super) client_id: &'a str,
    pub(super) nonce: &'a str,
    /// When the sign-in began; an older token is not its answer.
    pub(super) began_at: OffsetDateTime,
}

/// Why a token is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Malformed,
    Algorithm,
    /// The keys may have changed.
    UnknownKey,
    Signature,
    Issuer,
    Audience,
    Time,
    Nonce,
    Subject,
}

impl Fault {
    pub(super) const fn words(self) -> &'static str {
        match self {
            Self::Malformed => "the ID token is not a signed token",
            Self::Algorithm => "the ID token is not signed by an algorithm that is accepted",
            Self::UnknownKey => "the ID token is signed by an unknown key",
            Self::Signature => "the signature of the ID token is wrong",
            Self::Issuer => "the ID token is from another issuer",
            Self::Audience => "the ID token is for another client",
            Self::Time => "the ID token has expired, or is not yet valid",
            Self::Nonce => "the ID token belongs to another sign-in",
            Self::Subject => "the ID token names nobody",
        }
    }
}

/// One text, or several.
#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
struct Claims {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    /// Unix seconds.
    exp: i64,
    /// Unix seconds.
    iat: i64,
    /// Unix seconds.
    nbf: Option<i64>,
    nonce: Option<String>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// A verified token.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IdToken {
    pub(super) subject: String,
    /// The claims that are not checked here.
    pub(super) claims: Map<String, Value>,
}

/// Verifies a token.
pub(super) fn verify(
    token: &str,
    keys: &[Jwk],
    expected: &Expected<'_>,
    now: OffsetDateTime,
) -> Result<IdToken, Fault> {
    if token.len() > MAX_TOKEN {
        return Err(Fault::Malformed);
    }
    // Fails for `none`, which is no algorithm.
    let header = decode_header(token).map_err(|_| Fault::Malformed)?;
    if !ALGORITHMS.contains(&header.alg) {
        return Err(Fault::Algorithm);
    }
    // Extensions that must be understood are not (RFC 7515, 4.1.11).
    if header.crit.is_some() {
        return Err(Fault::Malformed);
    }
    let key = find_key(&header, keys)?;
    let mut validation = Validation::new(header.alg);
    validation.required_spec_claims.clear();
    // By the injected clock, and exactly, below.
    validation.validate_exp = false;
    validation.validate_nbf = false;
    validation.validate_aud = false;
    let decoded = decode::<Value>(token, &key, &validation).map_err(|_| Fault::Signature)?;
    let claims: Claims = serde_json::from_value(decoded.claims).map_err(|_| Fault::Malformed)?;
    check(claims, expected, now)
}

/// The one key that the token's header means.
fn find_key(header: &Header, keys: &[Jwk]) -> Result<DecodingKey, Fault> {
    let mut fitting = keys.iter().filter(|key| {
        let is_named = match &header.kid {
            Some(kid) => key.common.key_id.as_ref() == Some(kid),
            None => true,
        };
        is_named && fits(key, header.alg)
    });
    let key = fitting.next().ok_or(Fault::UnknownKey)?;
    // Without a name only one key can be meant (OpenID Connect Core, 10.1).
    if fitting.next().is_some() {
        return Err(Fault::UnknownKey);
    }
    DecodingKey::from_jwk(key).map_err(|_| Fault::UnknownKey)
}

/// Whether a key is of the algorithm's kind, and for signatures by it.
fn fits(key: &Jwk, algorithm: Algorithm) -> bool {
    let is_of_kind = match (&key.algorithm, algorithm) {
        (AlgorithmParameters::RSA(_), Algorithm::RS256 | Algorithm::PS256) => true,
        (AlgorithmParameters::EllipticCurve(key), Algorithm::ES256) => {
            key.curve == EllipticCurve::P256
        }
        (AlgorithmParameters::OctetKeyPair(key), Algorithm::EdDSA) => {
            key.curve == EllipticCurve::Ed25519
        }
        _ => false,
    };
    let named = key.common.key_algorithm;
    let signs = key
        .common
        .public_key_use
        .as_ref()
        .is_none_or(|used| *used == PublicKeyUse::Signature);
    is_of_kind && signs && named.is_none_or(|named| named == KeyAlgorithm::from(algorithm))
}

fn check(claims: Claims, expected: &Expected<'_>, now: OffsetDateTime) -> Result<IdToken, Fault> {
    if claims.iss != expected.issuer {
        return Err(Fault::Issuer);
    }
    let is_for_others_too = match &claims.aud {
        Audience::One(one) if one == expected.client_id => false,
        Audience::Several(all) if all.iter().any(|one| one == expected.client_id) => all.len() > 1,
        Audience::One(_) | Audience::Several(_) => return Err(Fault::Audience),
    };
    match &claims.azp {
        Some(azp) if azp != expected.client_id => return Err(Fault::Audience),
        None if is_for_others_too => return Err(Fault::Audience),
        Some(_) | None => {}
    }
    let now = now.unix_timestamp();
    let began_at = expected.began_at.unix_timestamp();
    let is_valid = claims.exp.saturating_add(LEEWAY) > now
        && claims.iat <= now + LEEWAY
        && claims.iat.saturating_add(LEEWAY) >= began_at
        && claims.nbf.is_none_or(|begin| begin <= now + LEEWAY);
    if !is_valid {
        return Err(Fault::Time);
    }
    let nonce = claims.nonce.unwrap_or_default();
    constant_time::verify_slices_are_equal(nonce.as_bytes(), expected.nonce.as_bytes())
        .map_err(|_| Fault::Nonce)?;
    if claims.sub.is_empty() || claims.sub.chars().count() > 255 || claims.sub.contains('\0') {
        return Err(Fault::Subject);
    }
    Ok(IdToken {
        subject: claims.sub,
        claims: claims.more,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: OffsetDateTime = OffsetDateTime::UNIX_EPOCH;

    fn checked(change: impl FnOnce(&mut Value)) -> Result<String, Fault> {
        let mut claims = json!({
            "iss": "https://login.example",
            "sub": "ada",
            "aud": "halyard",
            "exp": 300,
            "iat": 0,
            "nonce": "once",
        });
        change(&mut claims);
        let claims = serde_json::from_value(claims).map_err(|_| Fault::Malformed)?;
        let expected = Expected {
            issuer: "https://login.example",
            client_id: "halyard",
            nonce: "once",
            began_at: NOW,
        };
        check(claims, &expected, NOW).map(|token| token.subject)
    }

    fn with(name: &str, value: Value) -> Result<String, Fault> {
        checked(|claims| claims[name] = value)
    }

    #[test]
    fn every_claim_is_checked() {
        assert_eq!(checked(|_| ()), Ok("ada".to_owned()));
        let issuer = with("iss", json!("https://login.example/"));
        assert_eq!(issuer, Err(Fault::Issuer));
        for (aud, azp, expected) in [
            (json!("other"), None, false),
            (json!([]), None, false),
            (json!(["halyard"]), None, true),
            (json!(["halyard", "other"]), None, false),
            (json!(["halyard", "other"]), Some("other"), false),
            (json!(["other", "halyard"]), Some("halyard"), true),
            (json!("halyard"), Some("other"), false),
        ] {
            let found = checked(|claims| {
                claims["aud"] = aud.clone();
                if let Some(azp) = azp {
                    claims["azp"] = json!(azp);
                }
            });
            assert_eq!(found.is_ok(), expected, "{aud} {azp:?}");
        }
        for (name, second, expected) in [
            ("exp", -60, false),
            ("exp", -59, true),
            ("iat", 60, true),
            ("iat", 61, false),
            ("iat", -60, true),
            ("iat", -61, false),
            ("nbf", 60, true),
            ("nbf", 61, false),
            ("exp", i64::MAX, true),
            ("iat", i64::MIN, false),
        ] {
            let found = with(name, json!(second));
            assert_eq!(found.is_ok(), expected, "{name} {second}");
        }
        for nonce in [json!("twice"), json!(""), Value::Null] {
            assert_eq!(with("nonce", nonce), Err(Fault::Nonce));
        }
        for sub in ["".to_owned(), "a".repeat(256), "a\0".to_owned()] {
            assert_eq!(with("sub", json!(sub)), Err(Fault::Subject));
        }
        for name in ["exp", "iat"] {
            let absent = checked(|claims| drop(claims.as_object_mut().unwrap().remove(name)));
            assert_eq!(absent, Err(Fault::Malformed), "{name}");
        }
    }

    #[test]
    fn a_token_without_a_signature_is_refused_before_any_key_is_looked_at() {
        let expected = Expected {
            issuer: "",
            client_id: "",
            nonce: "",
            began_at: NOW,
        };
        // {"alg":"none"}, {"alg":"HS256"}
        for (header, fault) in [
            ("eyJhbGciOiJub25lIn0", Fault::Malformed),
            ("eyJhbGciOiJIUzI1NiJ9", Fault::Algorithm),
        ] {
            for signature in ["", "AAAA"] {
                let token = format!("{header}.e30.{signature}");
                assert_eq!(verify(&token, &[], &expected, NOW), Err(fault));
            }
        }
    }
}
