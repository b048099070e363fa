//! Accounts and sign-in: users, their passwords, and the token families that keep them signed in.
//!
//! A family is one sign-in and everything refreshed from it. Requests check that it lives (see
//! [`crate::members::store::find_live`]), so revoking it ends access and refresh tokens alike, at once, on every replica.

mod disable_mfa;
pub mod email;
mod failures;
pub mod hasher;
pub mod lockout;
mod login;
pub mod model;
pub mod password;
mod register;
mod rehash;
pub mod routes;
mod sessions;
pub mod store;
pub mod tokens;

use std::sync::Arc;

pub use self::{
    disable_mfa::{DisableMfa, DisableMfaError},
    login::{Login, LoginError},
    register::{RawRegistration, RegisterError, Registered, Registration},
    sessions::{RefreshError, SessionError},
};
use self::{hasher::Hasher, lockout::Lockout, tokens::Tokens};
use crate::{
    config::{AccountSettings, SignInSettings},
    db::Db,
    mfa::Mfa,
};

/// The operations on accounts, and what they need.
pub struct Accounts {
    db: Db,
    tokens: Arc<Tokens>,
    hasher: Hasher,
    lockout: Lockout,
    mfa: Arc<Mfa>,
    settings: AccountSettings,
}

impl Accounts {
    /// Makes one hash to compare unknown accounts with, which takes tens of milliseconds.
    ///
    /// # Panics
    /// When the operating system has no random numbers.
    #[must_use]
    pub fn new(
        db: Db,
        tokens: Arc<Tokens>,
        mfa: Arc<Mfa>,
        settings: AccountSettings,
        sign_in: SignInSettings,
    ) -> Self {
        Self {
            lockout: Lockout::new(db.clone(), sign_in.lockout),
            hasher: Hasher::new(sign_in.argon2),
            db,
            mfa,
            tokens,
            settings,
        }
    }

    /// Which addresses failed to sign in.
    #[must_use]
    pub const fn lockout(&self) -> &Lockout {
        &self.lockout
    }

    /// What the installation set.
    #[must_use]
    pub const fn settings(&self) -> &AccountSettings {
        &self.settings
    }
}
