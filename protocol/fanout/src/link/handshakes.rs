//! Handshakes in progress: bounded in number, so that no single address takes all of them.

use std::{net::IpAddr, time::Duration};

use serving::limiter::{Limit, Limiter, Permit};

/// In progress; of one address, which many edges may share, half of them.
const HANDSHAKES: Limit = Limit {
    name: "handshakes",
    total: 128,
    per_key: 64,
    queue: 0,
    queue_total: 0,
    patience: Duration::ZERO,
    share: None,
    busy: "too many handshakes",
    retry_after: Duration::from_secs(1),
};

/// Counts handshakes. Clones share the counts.
#[derive(Clone, Debug)]
pub(super) struct Handshakes(Limiter<IpAddr>);

/// One handshake; ends when dropped.
pub(super) type Handshake = Permit<IpAddr>;

impl Default for Handshakes {
    fn default() -> Self {
        Self(Limiter::new(HANDSHAKES))
    }
}

impl Handshakes {
    /// Starts one more, unless there are too many.
    pub(super) fn begin(&self, address: IpAddr) -> Option<Handshake> {
        self.0.try_enter(network(address)).ok()
    }

    /// Whether so many are in progress that newcomers have to prove their address.
    pub(super) fn are_many(&self) -> bool {
        self.0.users() > 32
    }
}

/// The /64 network of an IPv6 address.
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
        assert_eq!(greedy.len(), HANDSHAKES.per_key);
        assert!(handshakes.are_many());
        let others = (2..=255).map_while(|last| handshakes.begin([10, 0, 0, last].into()));
        assert_eq!(
            others.collect::<Vec<_>>().len(),
            HANDSHAKES.total - greedy.len()
        );
    }

    #[test]
    fn addresses_of_one_network_count_as_one() {
        let handshakes = Handshakes::default();
        let near = (0..=255).map_while(|last| {
            let address = IpAddr::from([0x2001, 0xdb8, 0, 0, 1, 2, 3, last]);
            handshakes.begin(address)
        });
        assert_eq!(near.collect::<Vec<_>>().len(), HANDSHAKES.per_key);
    }
}
