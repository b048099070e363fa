//! Accounts and sign-in: how people get an account, prove their address, and stay signed in.
//!
//! A family is one sign-in and everything refreshed from it. Requests check that it is live (see
//! [`crate::members::store::find_live`]), so revoking it ends access and refresh tokens at once, on every replica.

mod afterwards;
mod by_provider;
mod change_password;
pub mod code;
mod confirm_password;
pub mod delete;
mod device;
mod disable_mfa;
pub mod disposable;
pub mod email;
pub mod expiry;
mod failures;
mod found;
pub mod hasher;
mod join;
mod lockout;
mod login;
pub mod model;
mod one_time_token;
mod opaque_token;
pub mod open;
pub mod operate;
pub mod password;
pub mod password_reset;
mod register;
mod rename;
mod sessions;
pub mod settings;
mod signup;
pub mod store;
pub mod tokens;
pub mod verification;

use std::sync::Arc;

use secrecy::SecretString;
use tokio_util::task::TaskTracker;

use self::{
    afterwards::{Afterwards, Kind},
    code::CodeKey,
    hasher::Hasher,
    lockout::Lockout,
    settings::{AccountSettings, SignInSettings, SignupPolicy},
    tokens::Tokens,
};
pub use self::{
    change_password::PasswordChange,
    device::Device,
    disable_mfa::DisableMfa,
    login::Login,
    register::{RawRegistration, Registration},
};
use crate::mfa::Mfa;
use base::{config::UrlSettings, db::Db, mail::Mailer, refusal::Refusal};

const CLOSED: Refusal = Refusal::Forbidden(
    "sign-up is closed on this installation: ask whoever operates it for an account, or sign in at POST /v1/auth/login",
);
const BY_INVITATION: Refusal = Refusal::Forbidden(
    "sign-up is by invitation on this installation: have an owner or admin of an organization invite the address, \
     then begin at POST /v1/auth/initiate-signup, or sign in at POST /v1/auth/login",
);

pub struct Accounts {
    db: Db,
    tokens: Arc<Tokens>,
    hasher: Hasher,
    lockout: Lockout,
    mfa: Arc<Mfa>,
    codes: CodeKey,
    mailer: Mailer,
    urls: UrlSettings,
    settings: AccountSettings,
    reset_codes: Afterwards,
    after_sign_ins: Afterwards,
}

#[derive(Clone, Copy)]
pub struct Setup<'a> {
    pub accounts: &'a AccountSettings,
    pub sign_in: &'a SignInSettings,
    pub urls: &'a UrlSettings,
    /// Codes are hashed under a key derived from it.
    pub app_secret: &'a SecretString,
}

impl Accounts {
    /// Creates the hash that unknown accounts are compared with, which takes tens of milliseconds. Work deferred until after
    /// answers is tracked in `tasks`.
    ///
    /// # Panics
    /// When the operating system cannot provide random numbers.
    pub fn new(
        db: Db,
        tokens: Arc<Tokens>,
        mfa: Arc<Mfa>,
        mailer: Mailer,
        setup: &Setup<'_>,
        tasks: TaskTracker,
    ) -> Self {
        Self {
            lockout: Lockout::new(db.clone(), setup.sign_in.lockout),
            hasher: Hasher::new(setup.sign_in.argon2.clone()),
            codes: CodeKey::new(setup.app_secret),
            urls: setup.urls.clone(),
            settings: setup.accounts.clone(),
            reset_codes: Afterwards::new(Kind::ResetCodes, tasks.clone()),
            after_sign_ins: Afterwards::new(Kind::SignIns, tasks),
            db,
            tokens,
            mfa,
            mailer,
        }
    }

    pub const fn settings(&self) -> &AccountSettings {
        &self.settings
    }

    /// Refuses if sign-ups are closed. Checked before the rest of the request, so that it reveals nothing about the address.
    pub fn allow_signups(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open | SignupPolicy::Invited => Ok(()),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }

    /// Refuses unless sign-ups are open. For an address that is not invited, or not proven.
    pub fn allow_uninvited(&self) -> Result<(), Refusal> {
        match self.settings.signup {
            SignupPolicy::Open => Ok(()),
            SignupPolicy::Invited => Err(BY_INVITATION),
            SignupPolicy::Closed => Err(CLOSED),
        }
    }
}
