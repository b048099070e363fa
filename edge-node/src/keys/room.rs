//! How many look-ups may be under way, and how many of them for one client network: whoever makes up keys leaves room
//! for the keys of others.
//!
//! A network gets a quarter of what is free. So one that floods never has everything, several that flood leave each
//! other less and less, and one that comes new finds a place until hundreds of them flood at once. The rate keeps one
//! network from having the control plane asked without end, however quickly that answers.

use std::{collections::HashMap, net::IpAddr, time::Duration};

/// Look-ups under way.
const PLACES: u32 = 256;
/// A network may have one of so many free places.
const SHARE: u32 = 4;
/// Networks that are told apart; all others count as one.
const NETWORKS: usize = 10_000;
const SECOND: Duration = Duration::from_secs(1);

/// What is free, and who has the rest.
pub(super) struct Room {
    /// Look-ups a second of one network; 0 for any number.
    per_second: u32,
    taken: u32,
    networks: HashMap<Network, Usage>,
    swept_at: Duration,
}

/// Whom a look-up counts for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Network {
    Of(IpAddr),
    /// Beyond those that are told apart.
    Others,
}

/// What a network takes.
#[derive(Default)]
struct Usage {
    under_way: u32,
    /// When its whole allowance of a second is back.
    full_at: Duration,
}

/// Why there is no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Full {
    /// The network has its share.
    Network,
    /// Everything is taken.
    Shared,
}

impl Full {
    /// Its name in metrics.
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Shared => "shared",
        }
    }
}

impl Room {
    pub(super) fn new(per_second: u32) -> Self {
        Self {
            per_second,
            taken: 0,
            networks: HashMap::new(),
            swept_at: Duration::ZERO,
        }
    }

    /// Takes a place for a look-up, to be given back by [`Room::leave`].
    pub(super) fn enter(&mut self, address: IpAddr, now: Duration) -> Result<Network, Full> {
        let free = PLACES - self.taken;
        if free == 0 {
            return Err(Full::Shared);
        }
        let network = self.network(address, now);
        let usage = self.networks.entry(network).or_default();
        if usage.under_way >= free.div_ceil(SHARE) || !usage.spend(self.per_second, now) {
            return Err(Full::Network);
        }
        usage.under_way += 1;
        self.taken += 1;
        Ok(network)
    }

    /// Gives a place back.
    pub(super) fn leave(&mut self, network: Network) {
        self.taken = self.taken.saturating_sub(1);
        if let Some(usage) = self.networks.get_mut(&network) {
            usage.under_way = usage.under_way.saturating_sub(1);
        }
    }

    fn network(&mut self, address: IpAddr, now: Duration) -> Network {
        let network = Network::Of(address);
        if self.networks.len() < NETWORKS || self.networks.contains_key(&network) {
            return network;
        }
        // Not for every look-up of a flood.
        if now >= self.swept_at + SECOND {
            self.swept_at = now;
            self.networks
                .retain(|_, usage| usage.under_way > 0 || usage.full_at > now);
        }
        if self.networks.len() < NETWORKS {
            network
        } else {
            Network::Others
        }
    }
}

impl Usage {
    /// Takes one from the allowance, of which there is a second's worth at most.
    fn spend(&mut self, per_second: u32, now: Duration) -> bool {
        if per_second == 0 {
            return true;
        }
        let full_at = self.full_at.max(now) + SECOND / per_second;
        let is_within = full_at <= now + SECOND;
        if is_within {
            self.full_at = full_at;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: Duration = Duration::from_secs(100);

    fn address(number: u32) -> IpAddr {
        std::net::Ipv4Addr::from_bits(number).into()
    }

    /// How many places one network gets.
    fn flood(room: &mut Room, number: u32) -> u32 {
        let mut places = 0;
        while room.enter(address(number), START).is_ok() {
            places += 1;
        }
        places
    }

    #[test]
    fn a_network_that_floods_leaves_room_for_the_others() {
        let mut room = Room::new(0);
        assert_eq!(flood(&mut room, 0), 52);
        assert_eq!(room.enter(address(0), START), Err(Full::Network));
        for number in 1..20 {
            assert!(flood(&mut room, number) > 0, "network {number}");
        }
        assert!(room.taken < PLACES);
        room.leave(Network::Of(address(0)));
        assert_eq!(
            room.taken,
            (0..20)
                .map(|n| room.networks[&Network::Of(address(n))].under_way)
                .sum::<u32>()
        );
    }

    #[test]
    fn hundreds_of_networks_share_what_there_is() {
        let mut room = Room::new(0);
        for number in 0..PLACES {
            assert!(
                room.enter(address(number), START).is_ok(),
                "network {number}"
            );
        }
        assert_eq!(room.enter(address(PLACES), START), Err(Full::Shared));
        room.leave(Network::Of(address(3)));
        assert!(room.enter(address(PLACES), START).is_ok());
    }

    #[test]
    fn a_network_has_its_rate() {
        let mut room = Room::new(10);
        let mut ask = |at| {
            let entered = room.enter(address(1), at);
            entered.map(|network| room.leave(network)).is_ok()
        };
        for _ in 0..10 {
            assert!(ask(START));
        }
        assert!(!ask(START));
        assert!(ask(START + SECOND / 10));
        assert!(!ask(START + SECOND / 10));
        assert!(room.enter(address(2), START).is_ok());
    }

    #[test]
    fn networks_beyond_those_told_apart_count_as_one() {
        let mut room = Room::new(1);
        let networks = u32::try_from(NETWORKS).unwrap();
        let mut ask = |number, at| {
            let entered = room.enter(address(number), at);
            entered.inspect(|network| room.leave(*network))
        };
        for number in 0..networks {
            assert_eq!(ask(number, START), Ok(Network::Of(address(number))));
        }
        assert_eq!(ask(networks, START), Ok(Network::Others));
        assert_eq!(ask(networks + 1, START), Err(Full::Network));

        // Those whose allowance is back are forgotten.
        let later = START + 2 * SECOND;
        assert_eq!(ask(networks, later), Ok(Network::Of(address(networks))));
        assert_eq!(room.networks.len(), 1);
    }
}
