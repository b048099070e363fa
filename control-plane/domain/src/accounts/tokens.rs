//! Access and refresh tokens: JWTs, HS256 only.
//!
//! Only form and signature are checked here. Requests read from the database whether the family is live and which permissions
//! the member has.

use std::time::Duration;

use jsonwebtoken::{Algorithm, DecodingKey, EncodingKey, Header, Validation, errors::ErrorKind};
use secrecy::ExposeSecret;
use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::settings::TokenSettings;
use crate::members::model::Role;
use base::{
    ids::{FamilyId, OrgId, TokenId, UserId},
    refusal::Refusal,
};

const ISSUER: &str = "halyard";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TokenType {
    Access,
    Refresh,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claims {
    pub sub: UserId,
    /// Equal to `sub`, for clients that read it.
    pub user_id: UserId,
    /// The one organization the token acts for.
    pub org_id: OrgId,
    /// The role when issued; requests read the live one.
    pub role: Role,
    pub data_region: String,
    pub typ: TokenType,
    pub jti: TokenId,
    /// The token family: one sign-in and everything refreshed from it.
    pub sid: FamilyId,
    /// Unix seconds.
    pub iat: i64,
    /// Unix seconds.
    pub exp: i64,
    /// Always `halyard`.
    pub iss: String,
}

#[derive(Clone, Debug)]
pub struct Subject {
    pub user_id: UserId,
    pub org_id: OrgId,
    pub role: Role,
    pub data_region: String,
    pub family_id: FamilyId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keeper {
    /// The client itself.
    Client,
    /// A browser, in a cookie that pages cannot read.
    Cookie,
}

/// A token pair as the API shows it.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenPair {
    /// JWT for management requests.
    pub access_token: String,
    /// JWT for the next pair.
    pub refresh_token: String,
    /// End of the access token, Unix seconds.
    pub expires_at: i64,
}

/// A new pair and the stored part of its refresh token.
#[derive(Debug)]
pub struct IssuedPair {
    pub pair: TokenPair,
    pub refresh: RefreshGrant,
}

#[derive(Clone, Copy, Debug)]
pub struct RefreshGrant {
    pub id: TokenId,
    pub issued_at: OffsetDateTime,
    pub expires_at: OffsetDateTime,
}

/// All are answered with the same message.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    #[error("invalid token")]
    Invalid(#[from] jsonwebtoken::errors::Error),
    #[error("expired token")]
    Expired,
    #[error("wrong token type")]
    WrongType,
}

#[derive(Debug, thiserror::Error)]
#[error("signing tokens")]
pub struct SigningError(#[from] jsonwebtoken::errors::Error);

impl From<SigningError> for Refusal {
    fn from(error: SigningError) -> Self {
        Self::Fault(error.into())
    }
}

#[derive(Clone)]
pub struct Tokens {
    encoding: EncodingKey,
    /// The present one and, while it is replaced, another one.
    decoding: Vec<DecodingKey>,
    validation: Validation,
    access_ttl: Duration,
    session_access_ttl: Duration,
    refresh_ttl: Duration,
}

impl Tokens {
    pub fn new(settings: &TokenSettings) -> Self {
        let secret = settings.secret.expose_secret().as_bytes();
        let accepted = std::iter::once(&settings.secret).chain(&settings.old_secret);
        let decoding = accepted.map(|one| DecodingKey::from_secret(one.expose_secret().as_bytes()));
        let mut validation = Validation::new(Algorithm::HS256);
        validation.set_issuer(&[ISSUER]);
        validation.set_required_spec_claims(&["exp", "iss", "sub"]);
        // The library reads the system clock; expiry is checked against the injected clock below.
        validation.validate_exp = false;
        Self {
            encoding: EncodingKey::from_secret(secret),
            decoding: decoding.collect(),
            validation,
            access_ttl: settings.access_ttl,
            session_access_ttl: settings.session_access_ttl,
            refresh_ttl: settings.refresh_ttl,
        }
    }

    /// The end of a session that began at this time: after 30 days, unless one refresh token lives longer.
    pub fn session_end(&self, signed_in_at: OffsetDateTime) -> OffsetDateTime {
        signed_in_at + self.refresh_ttl.max(Duration::from_secs(30 * 24 * 60 * 60))
    }

    /// Issues a pair at `now`, for a session that ends at `end`.
    pub fn issue(
        &self,
        subject: &Subject,
        keeper: Keeper,
        end: OffsetDateTime,
        now: OffsetDateTime,
    ) -> Result<IssuedPair, SigningError> {
        let refresh = RefreshGrant {
            id: TokenId::new(now),
            issued_at: now,
            expires_at: end.min(now + self.refresh_ttl),
        };
        self.issue_with(subject, keeper, refresh, now)
    }

    /// Issues a pair with an existing refresh token.
    pub fn issue_with(
        &self,
        subject: &Subject,
        keeper: Keeper,
        refresh: RefreshGrant,
        now: OffsetDateTime,
    ) -> Result<IssuedPair, SigningError> {
        let access_ttl = match keeper {
            Keeper::Client => self.access_ttl,
            Keeper::Cookie => self.session_access_ttl,
        };
        let access_ends = now + access_ttl;
        let access_token = self.sign(
            subject,
            TokenType::Access,
            TokenId::new(now),
            now,
            access_ends,
        )?;
        let RefreshGrant {
            id,
            issued_at,
            expires_at,
        } = refresh;
        let refresh_token = self.sign(subject, TokenType::Refresh, id, issued_at, expires_at)?;
        Ok(IssuedPair {
            pair: TokenPair {
                access_token,
                refresh_token,
                expires_at: access_ends.unix_timestamp(),
            },
            refresh,
        })
    }

    fn sign(
        &self,
        subject: &Subject,
        typ: TokenType,
        jti: TokenId,
        now: OffsetDateTime,
        ends: OffsetDateTime,
    ) -> Result<String, SigningError> {
        let claims = Claims {
            sub: subject.user_id,
            user_id: subject.user_id,
            org_id: subject.org_id,
            role: subject.role,
            data_region: subject.data_region.clone(),
            typ,
            jti,
            sid: subject.family_id,
            iat: now.unix_timestamp(),
            exp: ends.unix_timestamp(),
            iss: ISSUER.to_owned(),
        };
        Ok(jsonwebtoken::encode(
            &Header::new(Algorithm::HS256),
            &claims,
            &self.encoding,
        )?)
    }

    pub const fn refresh_ttl(&self) -> Duration {
        self.refresh_ttl
    }

    fn decode(&self, token: &str) -> Result<Claims, jsonwebtoken::errors::Error> {
        let mut decoded = Err(ErrorKind::InvalidSignature.into());
        for key in &self.decoding {
            decoded = jsonwebtoken::decode::<Claims>(token, key, &self.validation);
            if decoded.is_ok() {
                break;
            }
        }
        Ok(decoded?.claims)
    }

    /// Checks form, signature, end and type of a token.
    pub fn verify(
        &self,
        token: &str,
        typ: TokenType,
        now: OffsetDateTime,
    ) -> Result<Claims, TokenError> {
        let claims = self.decode(token)?;
        if claims.exp <= now.unix_timestamp() {
            return Err(TokenError::Expired);
        }
        if claims.typ != typ {
            return Err(TokenError::WrongType);
        }
        Ok(claims)
    }
}
