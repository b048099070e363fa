//! Handshakes in progress: bounded in number, so that no single address takes all of them.

use std::{
    collections::HashMap,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// Handshakes in progress.
const ALL: usize = 128;
/// Those of one address; many edges may share one.
const OF_ONE: usize = 64;
/// With more than this many in progress, addresses first have to be validated by a round trip.
const UNPROVEN: usize = 32;

/// Counts handshakes. Clones share the counts.
#[derive(Clone, Debug, Default)]
pub(super) struct Handshakes(Arc<Mutex<UnderWay>>);

#[derive(Debug, Default)]
struct UnderWay {
    all: usize,
    by_address: HashMap<IpAddr, usize>,
}

/// One handshake; ends when dropped.
#[derive(Debug)]
pub(super) struct Handshake {
    address: IpAddr,
    under_way: Handshakes,
}

impl Handshakes {
    /// Starts one more, unless there are too many.
    pub(super) fn begin(&self, address: IpAddr) -> Option<Handshake> {
        let address = network(address);
        let mut under_way = self.under_way();
        let of_address = under_way.by_address.get(&address).copied().unwrap_or(0);
        if under_way.all >= ALL || of_address >= OF_ONE {
            return None;
        }
        under_way.all += 1;
        under_way.by_address.insert(address, of_address + 1);
        Some(Handshake {
            address,
            under_way: self.clone(),
        })
    }

    /// Whether so many are in progress that newcomers have to prove their address.
    pub(super) fn are_many(&self) -> bool {
        self.under_way().all > UNPROVEN
    }

    /// Protects plain bookkeeping.
    fn under_way(&self) -> MutexGuard<'_, UnderWay> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Handshake {
    fn drop(&mut self) {
        let mut under_way = self.under_way.under_way();
        under_way.all -= 1;
        if let Some(count) = under_way.by_address.get_mut(&self.address) {
            *count -= 1;
            if *count == 0 {
                under_way.by_address.remove(&self.address);
            }
        }
    }
}

/// Whoever has an IPv6 address has its whole /64 network.
fn network(address: IpAddr) -> IpAddr {
    match address {
        IpAddr::V4(_) => address,
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_address_leaves_room_for_others() {
        let handshakes = Handshakes::default();
        let greedy: Vec<_> =
            std::iter::from_fn(|| handshakes.begin([10, 0, 0, 1].into())).collect();
        assert_eq!(greedy.len(), OF_ONE);
        assert!(handshakes.are_many());
        let others: Vec<_> = (2..=255)
            .map_while(|last| handshakes.begin([10, 0, 0, last].into()))
            .collect();
        assert_eq!(others.len(), ALL - OF_ONE);

        drop((greedy, others));
        assert!(!handshakes.are_many());
        assert!(handshakes.under_way().by_address.is_empty());
        assert!(handshakes.begin([10, 0, 0, 1].into()).is_some());
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let handshakes = Handshakes::default();
        let near: Vec<_> = (0..=OF_ONE)
            .filter_map(|last| {
                let last = u16::try_from(last).expect("small");
                let address = IpAddr::from([0x2001, 0xdb8, 0, 0, 1, 2, 3, last]);
                handshakes.begin(address)
            })
            .collect();
        assert_eq!(near.len(), OF_ONE);
    }
}
