//! How many streams are open, by key and by client address, and whether one more may be opened.

use std::{
    collections::HashMap,
    hash::Hash,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use protocol::snapshot::KeyHash;

use crate::EdgeSettings;

/// Counts open streams by key and by client address.
#[derive(Clone, Debug)]
pub(crate) struct StreamLimits {
    per_key: u32,
    per_address: u32,
    open: Arc<Mutex<Open>>,
}

#[derive(Debug, Default)]
struct Open {
    keys: HashMap<KeyHash, u32>,
    addresses: HashMap<IpAddr, u32>,
}

/// The right to one open stream, returned when dropped.
#[derive(Debug)]
pub(crate) struct Permit {
    open: Arc<Mutex<Open>>,
    key: KeyHash,
    address: IpAddr,
}

impl StreamLimits {
    pub(crate) fn new(settings: &EdgeSettings) -> Self {
        Self {
            per_key: settings.streams_per_key,
            per_address: settings.streams_per_address,
            open: Arc::default(),
        }
    }

    /// Grants one more stream unless the key or the address has reached its limit. A limit of 0 means no limit.
    pub(crate) fn open(&self, key: KeyHash, address: IpAddr) -> Option<Permit> {
        let mut open = lock(&self.open);
        let is_free = |count: Option<&u32>, limit: u32| {
            limit == 0 || count.is_none_or(|count| *count < limit)
        };
        if !is_free(open.keys.get(&key), self.per_key)
            || !is_free(open.addresses.get(&address), self.per_address)
        {
            return None;
        }
        *open.keys.entry(key).or_default() += 1;
        *open.addresses.entry(address).or_default() += 1;
        Some(Permit {
            open: Arc::clone(&self.open),
            key,
            address,
        })
    }

    /// How many streams are open.
    pub(crate) fn count(&self) -> u32 {
        lock(&self.open).addresses.values().sum()
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut open = lock(&self.open);
        decrement(&mut open.keys, &self.key);
        decrement(&mut open.addresses, &self.address);
    }
}

fn decrement<K: Hash + Eq>(counts: &mut HashMap<K, u32>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}

fn lock(open: &Mutex<Open>) -> MutexGuard<'_, Open> {
    open.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(per_key: u32, per_address: u32) -> StreamLimits {
        StreamLimits {
            per_key,
            per_address,
            open: Arc::default(),
        }
    }

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn a_key_and_an_address_have_a_share_that_closing_a_stream_returns() {
        let limits = limits(2, 2);
        let first = limits.open([1; 32], address(1)).unwrap();
        let _second = limits.open([1; 32], address(2)).unwrap();
        assert!(limits.open([1; 32], address(3)).is_none());
        let _third = limits.open([2; 32], address(1)).unwrap();
        assert!(limits.open([3; 32], address(1)).is_none());

        drop(first);
        assert!(limits.open([1; 32], address(1)).is_some());
        assert_eq!(limits.count(), 2);
    }

    #[test]
    fn zero_is_no_limit() {
        let limits = limits(0, 0);
        let permits: Vec<_> = (0..100)
            .map(|_| limits.open([1; 32], address(1)).unwrap())
            .collect();
        assert_eq!(limits.count(), 100);
        drop(permits);
        assert!(lock(&limits.open).keys.is_empty());
    }
}
