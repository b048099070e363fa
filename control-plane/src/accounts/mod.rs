//! Accounts and sign-in: users, their passwords, and the token families that keep them signed in.
//!
//! A family is one sign-in and everything refreshed from it. Requests check that it lives (see
//! [`crate::members::store::find_live`]), so revoking it ends access and refresh tokens alike, at once, on every replica.

pub mod email;
pub mod hasher;
mod login;
pub mod model;
pub mod password;
mod register;
pub mod routes;
mod sessions;
pub mod store;
pub mod tokens;

use std::sync::Arc;

use self::{hasher::Hasher, tokens::Tokens};
pub use self::{
    login::{Login, LoginError},
    register::{RawRegistration, RegisterError, Registered, Registration},
    sessions::{RefreshError, SessionError},
};
use crate::{config::AccountSettings, db::Db};

/// The operations on accounts, and what they need.
pub struct Accounts {
    db: Db,
    tokens: Arc<Tokens>,
    hasher: Hasher,
    settings: AccountSettings,
}

impl Accounts {
    /// Makes one hash to compare unknown accounts with, which takes tens of milliseconds.
    ///
    /// # Panics
    /// When the operating system has no random numbers.
    #[must_use]
    pub fn new(db: Db, tokens: Arc<Tokens>, settings: AccountSettings) -> Self {
        Self {
            db,
            tokens,
            hasher: Hasher::new(),
            settings,
        }
    }

    /// What the installation set.
    #[must_use]
    pub const fn settings(&self) -> &AccountSettings {
        &self.settings
    }
}
