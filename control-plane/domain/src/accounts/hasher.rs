//! Hashing passwords with argon2id, away from the threads that answer requests.
//!
//! A hash takes tens of milliseconds and 19 MiB on purpose, so it runs on the blocking pool, within a limit
//! ([`limits::passwords`]) by client network. Every verification costs what the settings say, even without
//! an account, or with a hash made before they were raised: the response time reveals nothing about accounts.

use std::{net::IpAddr, sync::Arc};

use argon2::{
    Algorithm, Argon2, Params, PasswordHasher, PasswordVerifier, Version,
    password_hash::{self, phc::PasswordHash},
};
use secrecy::{ExposeSecret, SecretString};
use serving::address::ClientAddress;

use base::{
    limits::{self, Full, Limit, Limiter},
    refusal::Refusal,
};

#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    limiter: Limiter<IpAddr>,
    decoy: Arc<str>,
}

/// Whether a password is the one behind a hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is not, or there is no hash.
    Wrong,
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
    #[error(transparent)]
    Busy(#[from] Full),
}

impl From<HashError> for Refusal {
    fn from(error: HashError) -> Self {
        match error {
            HashError::Busy(full) => full.into(),
            fault => Self::Fault(fault.into()),
        }
    }
}

impl Hasher {
    /// Creates the hash that is verified for unknown accounts.
    ///
    /// # Panics
    /// When the operating system cannot provide random numbers.
    pub fn new(params: Params) -> Self {
        Self::within(limits::passwords(), params)
    }

    fn within(limit: Limit, params: Params) -> Self {
        let argon2 = argon2id(params);
        let decoy = argon2
            .hash_password(b"no account has this password")
            .expect("the operating system has random numbers");
        Self {
            argon2,
            limiter: Limiter::new(limit),
            decoy: decoy.to_string().into(),
        }
    }

    /// Hashes a password that a client at `ip` sent with its own salt, as a PHC string.
    pub async fn hash(&self, password: SecretString, ip: IpAddr) -> Result<String, HashError> {
        let argon2 = self.argon2.clone();
        self.run(ip, move || {
            let hash = argon2.hash_password(password.expose_secret().as_bytes())?;
            Ok(hash.to_string())
        })
        .await
    }

    /// Compares a password that a client at `ip` sent with the hash `stored`. Without one, takes as long and returns [`Verdict::Wrong`].
    /// An empty one is nobody's, which is known at once, whatever is stored.
    pub async fn verify(
        &self,
        password: SecretString,
        stored: Option<String>,
        ip: IpAddr,
    ) -> Result<Verdict, HashError> {
        if password.expose_secret().is_empty() {
            return Ok(Verdict::Wrong);
        }
        let (argon2, decoy) = (self.argon2.clone(), Arc::clone(&self.decoy));
        self.run(ip, move || {
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
        ip: IpAddr,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        self.limiter.run(ClientAddress(ip).network(), work).await?
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
    use futures_util::FutureExt;

    use super::*;
    use base::limits::PASSWORDS;

    const IP: IpAddr = IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

    fn two_at_once() -> Hasher {
        let two = Limit {
            total: 2,
            ..PASSWORDS
        };
        Hasher::within(two, params(64, 1))
    }

    fn params(memory: u32, iterations: u32) -> Params {
        Params::new(memory, iterations, 1, None).unwrap()
    }

    async fn verify(hasher: &Hasher, password: &str, stored: Option<&str>) -> Verdict {
        let stored = stored.map(str::to_owned);
        hasher.verify(password.into(), stored, IP).await.unwrap()
    }

    #[tokio::test]
    async fn only_the_right_password_verifies() {
        let hasher = Hasher::new(Params::DEFAULT);
        let stored = hasher.hash("Passw0rd!".into(), IP).await.unwrap();
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
        let stored = Hasher::new(params(64, 1))
            .hash("a".into(), IP)
            .await
            .unwrap();
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
    async fn an_empty_password_is_nobodys_and_waits_for_no_permit() {
        let hasher = Hasher::new(params(64, 1));
        let stored = hasher.hash("a".into(), IP).await.unwrap();
        let _held = hasher.limiter.enter(IP).await.unwrap();
        for stored in [None, Some(stored)] {
            let verified = hasher.verify("".into(), stored, IP).now_or_never();
            assert_eq!(verified.unwrap().unwrap(), Verdict::Wrong);
        }
    }

    #[tokio::test]
    async fn a_stored_hash_that_cannot_be_read_is_a_fault() {
        let verified = Hasher::new(params(64, 1))
            .verify("a".into(), Some("plain".to_owned()), IP)
            .await;
        assert!(verified.is_err());
    }

    #[tokio::test]
    async fn one_network_at_full_rate_is_refused_beyond_its_queue_and_leaves_a_place() {
        let hasher = two_at_once();
        let other: IpAddr = [198, 51, 100, 1].into();
        let _held = hasher.limiter.enter(IP).await.unwrap();
        let mut waiting: Vec<_> = (0..PASSWORDS.queue)
            .map(|_| Box::pin(hasher.verify("a".into(), None, IP)))
            .collect();
        for one in &mut waiting {
            assert!(one.now_or_never().is_none());
        }
        let refused = Refusal::from(hasher.verify("a".into(), None, IP).await.unwrap_err());
        assert!(matches!(refused, Refusal::TooMany { .. }), "{refused:?}");
        let answered = hasher.verify("a".into(), None, other).await.unwrap();
        assert_eq!(answered, Verdict::Wrong);
    }

    #[tokio::test]
    async fn ten_networks_at_full_rate_do_not_shut_out_the_rest() {
        let limiter = two_at_once().limiter;
        let address = |last: u8| IpAddr::from([192, 0, 2, last]);
        let held = [address(0), address(1)].map(|ip| limiter.try_enter(ip).unwrap());
        let mut queues: Vec<Vec<_>> = (0..10)
            .map(|last| {
                (0..PASSWORDS.queue)
                    .map(|_| Box::pin(limiter.enter(address(last))))
                    .collect()
            })
            .collect();
        for one in queues.iter_mut().flatten() {
            assert!(one.now_or_never().is_none());
        }
        let mut other = Box::pin(limiter.enter(address(10)));
        assert!((&mut other).now_or_never().is_none());
        drop(held);
        // Each of the others has at most one turn before.
        let mut turns = 0;
        while (&mut other).now_or_never().is_none() {
            for queue in &mut queues {
                if let Some(permit) = (&mut queue[0]).now_or_never() {
                    drop((permit.unwrap(), queue.remove(0)));
                    turns += 1;
                }
            }
        }
        assert!(turns <= 10, "{turns}");
    }
}
