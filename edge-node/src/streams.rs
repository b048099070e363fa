//! Open streams, by API key and by client address.

use std::net::IpAddr;

use protocol::snapshot::KeyHash;

use crate::{
    EdgeSettings,
    limits::{Full, Limiter, Permit, streams},
};

/// Counts open streams by key and by client address.
#[derive(Clone, Debug)]
pub(crate) struct StreamLimits {
    keys: Limiter<KeyHash>,
    addresses: Limiter<IpAddr>,
}

/// The right to one open stream, returned when dropped.
#[derive(Debug)]
pub(crate) struct OpenStream {
    _key: Permit<KeyHash>,
    _address: Permit<IpAddr>,
}

impl StreamLimits {
    pub(crate) fn new(settings: &EdgeSettings) -> Self {
        Self::of(settings.streams_per_key, settings.streams_per_address)
    }

    fn of(per_key: u32, per_address: u32) -> Self {
        Self {
            keys: Limiter::new(streams(per_key)),
            addresses: Limiter::new(streams(per_address)),
        }
    }

    /// Grants one more stream unless the key or the address has reached its limit.
    pub(crate) fn open(&self, key: KeyHash, address: IpAddr) -> Result<OpenStream, Full> {
        Ok(OpenStream {
            _key: self.keys.try_enter(key)?,
            _address: self.addresses.try_enter(address)?,
        })
    }

    /// How many streams are open.
    pub(crate) fn count(&self) -> u32 {
        u32::try_from(self.addresses.users()).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[test]
    fn a_key_and_an_address_have_a_share_that_closing_a_stream_returns() {
        let limits = StreamLimits::of(2, 2);
        let first = limits.open([1; 32], address(1)).unwrap();
        let _second = limits.open([1; 32], address(2)).unwrap();
        assert!(limits.open([1; 32], address(3)).is_err());
        let _third = limits.open([2; 32], address(1)).unwrap();
        assert!(limits.open([3; 32], address(1)).is_err());

        drop(first);
        assert!(limits.open([1; 32], address(1)).is_ok());
        assert_eq!(limits.count(), 2);
    }

    #[test]
    fn zero_is_no_limit() {
        let limits = StreamLimits::of(0, 0);
        let permits: Vec<_> = (0..100)
            .map(|_| limits.open([1; 32], address(1)).unwrap())
            .collect();
        assert_eq!(limits.count(), 100);
        drop(permits);
        assert_eq!(limits.keys.keys(), 0);
    }
}
