//! Codes and links sent by mail, and one-time tokens: how long they are valid, and how often they are sent and tried.

use std::{num::NonZeroU32, time::Duration};

use serving::settings::{
    Reader,
    spans::{DAY, MINUTE, SECOND},
};

#[derive(Clone, Copy, Debug)]
pub struct ProofSettings {
    /// `OTP_TTL`: validity of a sign-up code; default `10m`.
    pub signup_ttl: Duration,
    /// `OTP_RESEND_INTERVAL`: shortest time before another sign-up code is sent on request; default `60s`.
    pub resend_interval: Duration,
    /// `OTP_MAX_ATTEMPTS`: wrong codes after which even the right one is refused; default 5.
    pub max_attempts: NonZeroU32,
    /// `PASSWORD_RESET_TTL`: validity of a password reset code; default `15m`.
    pub password_reset_ttl: Duration,
    /// `MAIL_CODES_PER_HOUR`: codes of any kind sent to one address within an hour; default 5.
    pub codes_per_hour: NonZeroU32,
    /// `MAIL_INTERVAL`: shortest time between two verification emails; default `60s`.
    pub mail_interval: Duration,
    /// `EMAIL_VERIFICATION_TTL`: validity of the link in a verification email; default `24h`.
    pub verification_ttl: Duration,
    /// `ONE_TIME_TOKEN_TTL`: validity of a one-time token; default `5m`.
    pub one_time_token_ttl: Duration,
}

impl ProofSettings {
    pub fn load(reader: &mut Reader<'_>) -> Self {
        let five = NonZeroU32::new(5).expect("five is not zero");
        let at_least_one = NonZeroU32::MIN..=NonZeroU32::MAX;
        let life = SECOND..=DAY;
        let pause = Duration::ZERO..=DAY;
        let long_life = SECOND..=365 * DAY;
        Self {
            signup_ttl: reader.duration("OTP_TTL", 10 * MINUTE, life.clone()),
            resend_interval: reader.duration("OTP_RESEND_INTERVAL", MINUTE, pause.clone()),
            max_attempts: reader.number("OTP_MAX_ATTEMPTS", five, at_least_one.clone()),
            password_reset_ttl: reader.duration("PASSWORD_RESET_TTL", 15 * MINUTE, life),
            codes_per_hour: reader.number("MAIL_CODES_PER_HOUR", five, at_least_one),
            mail_interval: reader.duration("MAIL_INTERVAL", MINUTE, pause),
            verification_ttl: reader.duration(
                "EMAIL_VERIFICATION_TTL",
                24 * 60 * MINUTE,
                long_life.clone(),
            ),
            one_time_token_ttl: reader.duration("ONE_TIME_TOKEN_TTL", 5 * MINUTE, long_life),
        }
    }
}
