//! Hashing passwords with argon2id, away from the threads that answer requests.
//!
//! A hash takes tens of milliseconds and 19 MiB on purpose, so it runs on the blocking pool, two at a time: more would
//! only take memory and processors from everything else. Every verification costs what the settings say, even without
//! an account, or with a hash made before they were raised: the response time reveals nothing about accounts.

use std::sync::Arc;

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version,
    password_hash::{self, phc::PasswordHash},
};
use secrecy::{ExposeSecret, SecretString};
use tokio::sync::Semaphore;

use crate::refusal::Refusal;

const AT_ONCE: usize = 2;

#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    permits: Arc<Semaphore>,
    decoy: Arc<str>,
}

/// Whether a password is the one behind a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is not, or there is no hash.
    Wrong,
    /// It is.
    Right,
    /// It is, and the hash was made with weaker settings than the current ones.
    RightButOutdated,
}

/// A fault of hashing; a wrong password is not a fault.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    #[error("hashing a password")]
    Hash(#[from] password_hash::Error),
    #[error("reading a password hash")]
    Stored(#[from] password_hash::phc::Error),
    #[error("the hashing task ended early")]
    Task(#[from] tokio::task::JoinError),
}

impl From<HashError> for Refusal {
    fn from(error: HashError) -> Self {
        Self::Fault(error.into())
    }
}

impl Hasher {
    /// Creates the hash that is verified for unknown accounts.
    ///
    /// # Panics
    /// When the operating system cannot provide random numbers.
    pub fn new(params: Params) -> Self {
        let argon2 = argon2id(params);
        let decoy = argon2
            .hash_password(b"no account has this password")
            .expect("the operating system has random numbers");
        Self {
            argon2,
            permits: Arc::new(Semaphore::new(AT_ONCE)),
            decoy: decoy.to_string().into(),
        }
    }

    /// Hashes a password with its own salt, as a PHC string.
    pub async fn hash(&self, password: SecretString) -> Result<String, HashError> {
        let argon2 = self.argon2.clone();
        self.run(move || {
            let hash = argon2.hash_password(password.expose_secret().as_bytes())?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Compares a password with the hash `stored`. Without one, takes as long and returns [`Verdict::Wrong`].
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
    ) -> Result<Verdict, HashError> {
        let (argon2, decoy) = (self.argon2.clone(), Arc::clone(&self.decoy));
        self.run(move || {
            let password = password.expose_secret().as_bytes();
            let hash = PasswordHash::new(stored.as_deref().unwrap_or(&decoy))?;
            let made_with = Params::try_from(&hash)?;
            if let Some(rest) = remaining_work(&made_with, argon2.params()) {
                argon2id(rest).hash_password(password)?;
            }
            match argon2.verify_password(password, &hash) {
                Ok(()) if stored.is_none() => Ok(Verdict::Wrong),
                Ok(()) if is_less(&made_with, argon2.params()) => Ok(Verdict::RightButOutdated),
                Ok(()) => Ok(Verdict::Right),
                Err(password_hash::Error::PasswordInvalid) => Ok(Verdict::Wrong),
                Err(error) => Err(error.into()),
            }
        })
        .await
    }

    async fn run<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = Arc::clone(&self.permits)
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

fn argon2id(params: Params) -> Argon2<'static> {
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
}

fn is_less(made_with: &Params, now: &Params) -> bool {
    made_with.m_cost() < now.m_cost()
        || made_with.t_cost() < now.t_cost()
        || made_with.p_cost() < now.p_cost()
}

/// The work to add for a hash that costs less than a current one. The cost of argon2id is memory times passes; lanes
/// run one after another here.
fn remaining_work(made_with: &Params, now: &Params) -> Option<Params> {
    let spent = u64::from(made_with.m_cost()) * u64::from(made_with.t_cost());
    let whole = u64::from(now.m_cost()) * u64::from(now.t_cost());
    let missing = whole.checked_sub(spent)?;
    let memory = u32::try_from(missing / u64::from(now.t_cost())).ok()?;
    // Work too small to be a hash is too small to be measured.
    Params::new(memory, now.t_cost(), 1, None).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(memory: u32, iterations: u32) -> Params {
        Params::new(memory, iterations, 1, None).unwrap()
    }

    async fn verify(hasher: &Hasher, password: &str, stored: Option<&str>) -> Verdict {
        let stored = stored.map(str::to_owned);
        hasher.verify(password.into(), stored).await.unwrap()
    }

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let hasher = Hasher::new(Params::DEFAULT);
        let stored = hasher.hash("Passw0rd!".into()).await.unwrap();
        assert!(
            stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"),
            "{stored}"
        );
        let stored = Some(stored.as_str());
        assert_eq!(verify(&hasher, "Passw0rd!", stored).await, Verdict::Right);
        assert_eq!(verify(&hasher, "passw0rd!", stored).await, Verdict::Wrong);
        let decoy = "no account has this password";
        assert_eq!(verify(&hasher, decoy, None).await, Verdict::Wrong);
    }

    #[tokio::test]
    async fn a_weaker_hash_still_verifies_and_is_outdated() {
        let stored = Hasher::new(params(64, 1)).hash("a".into()).await.unwrap();
        let stored = Some(stored.as_str());
        for raised in [params(128, 1), params(64, 2)] {
            let hasher = Hasher::new(raised);
            assert_eq!(
                verify(&hasher, "a", stored).await,
                Verdict::RightButOutdated
            );
            assert_eq!(verify(&hasher, "b", stored).await, Verdict::Wrong);
        }
        let lowered = Hasher::new(params(32, 1));
        assert_eq!(verify(&lowered, "a", stored).await, Verdict::Right);
    }

    #[test]
    fn every_verification_costs_what_the_settings_say() {
        let work = |params: &Params| u64::from(params.m_cost()) * u64::from(params.t_cost());
        let now = params(19_456, 3);
        for before in [params(64, 1), params(19_456, 2), params(12_288, 3)] {
            let rest = remaining_work(&before, &now).unwrap();
            let total = work(&before) + work(&rest);
            assert!(work(&now) - total < 3, "{before}: {total}");
        }
        assert!(remaining_work(&now, &now).is_none());
        assert!(remaining_work(&params(65_536, 3), &now).is_none());
    }

    #[tokio::test]
    async fn a_stored_hash_that_cannot_be_read_is_a_fault() {
        let verified = Hasher::new(params(64, 1))
            .verify("a".into(), Some("plain".to_owned()))
            .await;
        assert!(verified.is_err());
    }
}
