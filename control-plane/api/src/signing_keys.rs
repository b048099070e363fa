//! The public keys that what edges and SDKs are sent is signed with.

use axum::{
    Json,
    extract::State,
    http::{HeaderName, HeaderValue, header::CACHE_CONTROL},
};
use data_encoding::BASE64URL_NOPAD;
use serde::Serialize;
use serving::error::ApiError;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::http::{Routes, endpoints};
use publish::{Publisher, signing::StoredKey};

/// Another key is told of a day before it signs.
const FOR_FIVE_MINUTES: (HeaderName, HeaderValue) = (
    CACHE_CONTROL,
    HeaderValue::from_static("public, max-age=300"),
);

pub(crate) fn router() -> Routes {
    endpoints![list]
}

/// A JWK Set (RFC 7517) of Ed25519 keys (RFC 8037).
#[derive(Debug, Serialize, ToSchema)]
struct SigningKeys {
    /// In the order in which they sign.
    keys: Vec<SigningKey>,
}

/// A public key.
#[derive(Debug, Serialize, ToSchema)]
struct SigningKey {
    /// Always `OKP`.
    kty: &'static str,
    /// Always `Ed25519`.
    crv: &'static str,
    /// Always `EdDSA`.
    alg: &'static str,
    /// Always `sig`.
    #[serde(rename = "use")]
    usage: &'static str,
    kid: String,
    /// The key itself, base64url: what SDKs pin.
    x: String,
    /// When it begins to sign, or began.
    #[serde(with = "time::serde::rfc3339")]
    signs_from: OffsetDateTime,
    /// When its signatures are not accepted any more; `null` until there is another key.
    #[schema(required)]
    #[serde(with = "time::serde::rfc3339::option")]
    ends_at: Option<OffsetDateTime>,
}

impl From<StoredKey> for SigningKey {
    fn from(key: StoredKey) -> Self {
        Self {
            kty: "OKP",
            crv: "Ed25519",
            alg: "EdDSA",
            usage: "sig",
            kid: key.id.to_string(),
            x: BASE64URL_NOPAD.encode(&key.public_key),
            signs_from: key.signs_from,
            ends_at: key.ends_at,
        }
    }
}

/// Lists the keys that the contents of environments are signed with, for SDKs that verify them.
#[utoipa::path(
    get,
    path = "/.well-known/halyard/signing-keys",
    operation_id = "listSigningKeys",
    tag = "evaluation",
    security(()),
    responses((status = 200, description = "the keys whose signatures are accepted", body = SigningKeys))
)]
async fn list(
    State(publisher): State<Publisher>,
) -> Result<([(HeaderName, HeaderValue); 1], Json<SigningKeys>), ApiError> {
    let keys = publisher.signing_keys().await?;
    let keys = keys.into_iter().map(SigningKey::from).collect();
    Ok(([FOR_FIVE_MINUTES], Json(SigningKeys { keys })))
}
