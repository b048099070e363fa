//! Tokens of signed-in members.

use std::time::Duration;

use secrecy::SecretString;
use serving::settings::{
    Reader,
    spans::{DAY, DECADE, HOUR, MINUTE},
};

use base::config::{AppEnv, built_in, is_insecure, secret};

#[derive(Clone, Debug)]
pub struct TokenSettings {
    /// `JWT_SECRET`: signs tokens. There is an insecure built-in default.
    pub secret: SecretString,
    /// `JWT_SECRET_OLD`: tokens signed with it are accepted too, while `JWT_SECRET` is replaced; none.
    pub old_secret: Option<SecretString>,
    /// `TOKEN_TTL_MINUTES`: validity of an access token; default 60.
    pub access_ttl: Duration,
    /// `SESSION_ACCESS_TTL`: validity of an access token of a page, whose refresh token is in a cookie; default `10m`.
    pub session_access_ttl: Duration,
    /// `REFRESH_TTL_HOURS`: validity of a refresh token; default 168.
    pub refresh_ttl: Duration,
}

impl TokenSettings {
    pub fn load(reader: &mut Reader<'_>, env: AppEnv) -> Self {
        let most = |unit: Duration| DECADE.as_secs() / unit.as_secs();
        let minutes = reader.number("TOKEN_TTL_MINUTES", 60, 1..=most(MINUTE));
        let hours = reader.number("REFRESH_TTL_HOURS", 168, 1..=most(HOUR));
        let session_access_ttl = reader.duration("SESSION_ACCESS_TTL", 10 * MINUTE, MINUTE..=DAY);
        let old_secret = reader.secret("JWT_SECRET_OLD");
        if env == AppEnv::Production && old_secret.as_ref().is_some_and(is_insecure) {
            reader.problem(
                "JWT_SECRET_OLD",
                "must not be a secret that others know or guess",
            );
        }
        Self {
            old_secret,
            secret: secret(reader, env, "JWT_SECRET", built_in!("jwt-secret")),
            access_ttl: Duration::from_secs(60 * minutes),
            session_access_ttl,
            refresh_ttl: Duration::from_secs(3_600 * hours),
        }
    }
}
