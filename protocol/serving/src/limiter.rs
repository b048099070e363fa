//! Permits for something of which only so much may happen at once, with a share for each key: an organization, a client network.
//!
//! A caller first gets a permit of its key's share, then one of the total, each in order of arrival. So of one key no more wait
//! for the total than its share, and one that asks for much waits behind itself.

#[cfg(test)]
mod tests;

use std::{collections::HashMap, fmt::Debug, hash::Hash, sync::Arc, time::Duration};

use parking_lot::Mutex;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError},
    task::spawn_blocking,
    time::timeout,
};

use crate::error::ApiError;

/// A row of a program's table of limits.
#[derive(Clone, Copy, Debug)]
pub struct Limit {
    /// Its name in logs.
    pub name: &'static str,
    /// Permits in all, and of one key.
    pub total: usize,
    pub per_key: usize,
    /// How many of one key may wait for a permit, how many in all, and for how long.
    pub queue: usize,
    pub queue_total: usize,
    pub patience: Duration,
    /// The refusal where a key's share is full (429). `None`: it reads as that of the total.
    pub share: Option<&'static str>,
    /// The refusal where the total is full (503).
    pub busy: &'static str,
    /// When to try again.
    pub retry_after: Duration,
}

impl Limit {
    /// A total, or a share, without a bound.
    pub const ANY: usize = Semaphore::MAX_PERMITS;

    /// A queue without a bound, for callers that have deadlines of their own.
    pub const UNBOUNDED: Self = Self {
        name: "",
        total: 1,
        per_key: 1,
        queue: usize::MAX,
        queue_total: usize::MAX,
        patience: Duration::MAX,
        share: None,
        busy: "too many requests at once, please try again",
        retry_after: Duration::from_secs(1),
    };
}

/// Hands out the permits of a [`Limit`]. Cheap to clone.
#[derive(Debug)]
pub struct Limiter<K: Key>(Arc<Inner<K>>);

impl<K: Key> Clone for Limiter<K> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// What has a share.
pub trait Key: Copy + Debug + Eq + Hash + Send + 'static {}

impl<K: Copy + Debug + Eq + Hash + Send + 'static> Key for K {}

#[derive(Debug)]
struct Inner<K> {
    limit: Limit,
    total: Arc<Semaphore>,
    users: Mutex<Users<K>>,
}

/// Holders of permits and those that wait for one.
#[derive(Debug)]
struct Users<K> {
    all: usize,
    by_key: HashMap<K, (usize, Arc<Semaphore>)>,
}

/// A permit, until it is dropped.
#[derive(Debug)]
pub struct Permit<K: Key> {
    total: OwnedSemaphorePermit,
    _share: OwnedSemaphorePermit,
    user: User<K>,
}

/// Counts among the users of its key. The key is forgotten with its last one.
#[derive(Debug)]
struct User<K: Key> {
    limiter: Limiter<K>,
    key: K,
}

/// Which bound a refused caller met.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    /// That of its key.
    Share,
    /// That of all.
    Total,
}

/// Why there is no permit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no permit of {name}: {words}")]
pub struct Full {
    name: &'static str,
    /// Which bound it was.
    pub bound: Bound,
    /// The words for the client.
    pub words: &'static str,
    /// When to try again.
    pub retry_after: Duration,
}

impl From<Full> for ApiError {
    fn from(full: Full) -> Self {
        match full.bound {
            Bound::Share => Self::too_many(full.words, full.retry_after),
            Bound::Total => Self::unavailable(full.words).retry_after(full.retry_after),
        }
    }
}

const OPEN: &str = "the semaphores are never closed";

impl<K: Key> Limiter<K> {
    /// Nobody has a permit yet.
    #[must_use]
    pub fn new(limit: Limit) -> Self {
        Self(Arc::new(Inner {
            limit,
            total: Arc::new(Semaphore::new(limit.total)),
            users: Mutex::new(Users {
                all: 0,
                by_key: HashMap::new(),
            }),
        }))
    }

    /// Waits for a permit.
    ///
    /// # Errors
    /// When the queue is full, or no permit becomes free in time.
    pub async fn enter(&self, key: K) -> Result<Permit<K>, Full> {
        let limit = &self.0.limit;
        let (user, share) = self.user(key, limit.queue, limit.queue_total)?;
        let mut met = Bound::Share;
        let acquiring = async {
            let share = share.acquire_owned().await.expect(OPEN);
            met = Bound::Total;
            (share, self.acquire_total().await)
        };
        match timeout(limit.patience, acquiring).await {
            Ok((share, total)) => Ok(Permit {
                total,
                _share: share,
                user,
            }),
            Err(_) => Err(self.full(met)),
        }
    }

    /// Takes a permit that is free now.
    ///
    /// # Errors
    /// When none is.
    pub fn try_enter(&self, key: K) -> Result<Permit<K>, Full> {
        let (user, share) = self.user(key, 0, usize::MAX)?;
        let full = |bound| move |_: TryAcquireError| self.full(bound);
        let share = share.try_acquire_owned().map_err(full(Bound::Share))?;
        let total = Arc::clone(&self.0.total).try_acquire_owned();
        Ok(Permit {
            total: total.map_err(full(Bound::Total))?,
            _share: share,
            user,
        })
    }

    /// Does the work on the blocking pool. It holds its permit until it ends, also where its caller is gone. A panic of the work is
    /// the caller's.
    ///
    /// # Errors
    /// When the queue is full, or no permit becomes free in time.
    pub async fn run<T: Send + 'static>(
        &self,
        key: K,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Full> {
        let permit = self.enter(key).await?;
        let working = spawn_blocking(move || {
            let _permit = permit;
            work()
        });
        match working.await {
            Ok(made) => Ok(made),
            Err(error) => std::panic::resume_unwind(error.into_panic()),
        }
    }

    /// How many hold a permit, or wait for one.
    #[must_use]
    pub fn users(&self) -> usize {
        self.0.users.lock().all
    }

    /// How many keys have a share in memory.
    #[must_use]
    pub fn keys(&self) -> usize {
        self.0.users.lock().by_key.len()
    }

    async fn acquire_total(&self) -> OwnedSemaphorePermit {
        Arc::clone(&self.0.total).acquire_owned().await.expect(OPEN)
    }

    /// One more user of a key, if so many may wait; and the key's share.
    fn user(
        &self,
        key: K,
        queue: usize,
        queue_total: usize,
    ) -> Result<(User<K>, Arc<Semaphore>), Full> {
        let Limit { total, per_key, .. } = self.0.limit;
        let mut users = self.0.users.lock();
        let of_key = users.by_key.get(&key).map_or(0, |(of_key, _)| *of_key);
        if of_key >= per_key.saturating_add(queue) {
            return Err(self.full(Bound::Share));
        }
        if users.all >= total.saturating_add(queue_total) {
            return Err(self.full(Bound::Total));
        }
        users.all += 1;
        let new = || (0, Arc::new(Semaphore::new(per_key)));
        let (of_key, share) = users.by_key.entry(key).or_insert_with(new);
        *of_key += 1;
        let user = User {
            limiter: self.clone(),
            key,
        };
        Ok((user, Arc::clone(share)))
    }

    fn full(&self, bound: Bound) -> Full {
        let Limit {
            name,
            share,
            busy,
            retry_after,
            ..
        } = self.0.limit;
        let (bound, words) = match (bound, share) {
            (Bound::Share, Some(share)) => (bound, share),
            _ => (Bound::Total, busy),
        };
        Full {
            name,
            bound,
            words,
            retry_after,
        }
    }
}

impl<K: Key> Permit<K> {
    /// Lets other keys that wait go first, and waits for the next permit. The share of the key stays taken.
    ///
    /// # Errors
    /// When no permit becomes free in time.
    pub async fn pass(mut self) -> Result<Self, Full> {
        let limiter = self.user.limiter.clone();
        drop(self.total);
        let acquiring = timeout(limiter.0.limit.patience, limiter.acquire_total()).await;
        self.total = acquiring.map_err(|_| limiter.full(Bound::Total))?;
        Ok(self)
    }
}

impl<K: Key> Drop for User<K> {
    fn drop(&mut self) {
        let mut users = self.limiter.0.users.lock();
        users.all -= 1;
        if let Some((of_key, _)) = users.by_key.get_mut(&self.key) {
            *of_key -= 1;
            if *of_key == 0 {
                users.by_key.remove(&self.key);
            }
        }
    }
}
