//! Hashing passwords with argon2id, away from the threads that answer requests.
//!
//! A hash takes tens of milliseconds and 19 MiB on purpose, so it runs on the blocking pool, two at a time: more would only
//! take memory, and processors from everybody else.

use std::sync::Arc;

use argon2::{
    Argon2, PasswordHasher, PasswordVerifier,
    password_hash::{self, phc::PasswordHash},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;

const AT_ONCE: usize = 2;

/// Hashes and verifies passwords.
#[derive(Clone)]
pub struct Hasher {
    permits: Arc<Semaphore>,
    decoy: Arc<str>,
}

/// A fault of hashing; a wrong password is none.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// The stored hash cannot be read, or there are no random numbers.
    #[error("hashing a password")]
    Hash(#[from] password_hash::Error),
    /// The stored hash is no PHC string.
    #[error("reading a password hash")]
    Stored(#[from] password_hash::phc::Error),
    /// The blocking pool gave the work up.
    #[error("the hashing task ended early")]
    Task(#[from] tokio::task::JoinError),
}

impl Hasher {
    /// Makes the hash that unknown accounts are compared with.
    ///
    /// # Panics
    /// When the operating system has no random numbers.
    #[must_use]
    pub fn new() -> Self {
        let decoy =
            hash(b"no account has this password").expect("the operating system has random numbers");
        Self {
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            decoy: decoy.into(),
        }
    }

    /// Hashes a password with a salt of its own, as a PHC string.
    ///
    /// # Errors
    /// [`HashError`].
    pub async fn hash(&self, password: SecretString) -> Result<String, HashError> {
        self.run(move || hash(password.expose_secret().as_bytes()))
            .await
    }

    /// Whether the password is the one behind `stored`. Without a stored hash the answer is `false` and takes as long.
    ///
    /// # Errors
    /// [`HashError`].
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<bool, HashError> {
        let decoy = self.decoy.clone();
        self.run(move || {
            let hash = PasswordHash::new(stored.as_deref().unwrap_or(&decoy))?;
            match Argon2::default().verify_password(password.expose_secret().as_bytes(), &hash) {
                Ok(()) => Ok(stored.is_some()),
                Err(password_hash::Error::PasswordInvalid) => Ok(false),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = self
            .permits
            .clone()
            .acquire_owned()
            .await
            .expect("the semaphore is never closed");
        tokio::task::spawn_blocking(move || {
            // Work that nobody waits for any more still counts until it ends.
            let _permit = permit;
            work()
        })
        .await?
    }
}

impl Default for Hasher {
    fn default() -> Self {
        Self::new()
    }
}

fn hash(password: &[u8]) -> Result<String, HashError> {
    Ok(Argon2::default().hash_password(password)?.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let hasher = Hasher::new();
        let stored = hasher.hash("Passw0rd!".into()).await.unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );

        assert!(
            hasher
                .verify("Passw0rd!".into(), Some(stored.clone()))
                .await
                .unwrap()
        );
        assert!(
            !hasher
                .verify("passw0rd!".into(), Some(stored))
                .await
                .unwrap()
        );
        assert!(
            !hasher
                .verify("no account has this password".into(), None)
                .await
                .unwrap()
        );
    }

    #[tokio::test]
    async fn a_stored_hash_that_cannot_be_read_is_a_fault() {
        let verified = Hasher::new()
            .verify("a".into(), Some("plain".to_owned()))
            .await;
        assert!(verified.is_err());
    }
}
