//! Which IP addresses user-given URLs may lead to.
//!
//! Only the public Internet is allowed. Refused are private and local networks, addresses with a meaning inside one host or link,
//! IPv6 addresses that hold such an IPv4 address, and all others outside of [`GLOBAL`]. The operator may allow ranges, except for
//! those of [`NEVER`].

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use ipnet::IpNet;

/// Refused unless the operator allows them. Ranges for documentation are not among them: nothing answers there.
const REFUSED: [IpNet; 14] = [
    v4([0, 0, 0, 0], 8), // "this network" (RFC 791); Linux takes 0.0.0.0 for the local host
    v4([10, 0, 0, 0], 8), // private (RFC 1918)
    v4([100, 64, 0, 0], 10), // shared by carriers (RFC 6598)
    v4([127, 0, 0, 0], 8), // loopback (RFC 1122)
    v4([169, 254, 0, 0], 16), // link-local (RFC 3927)
    v4([172, 16, 0, 0], 12), // private (RFC 1918)
    v4([192, 0, 0, 0], 24), // protocol assignments (RFC 6890)
    v4([192, 168, 0, 0], 16), // private (RFC 1918)
    v4([198, 18, 0, 0], 15), // benchmarks (RFC 2544)
    v4([224, 0, 0, 0], 4), // multicast (RFC 5771)
    v4([240, 0, 0, 0], 4), // reserved (RFC 1112), and broadcast
    v6([0, 0, 0, 0, 0, 0, 0, 0], 128), // unspecified (RFC 4291)
    v6([0, 0, 0, 0, 0, 0, 0, 1], 128), // loopback (RFC 4291)
    v6([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48), // NAT64 of a local network (RFC 8215)
];

/// IPv6 global unicast (RFC 4291). Addresses outside of it that embed an IPv4 address are judged by that.
const GLOBAL: IpNet = v6([0x2000, 0, 0, 0, 0, 0, 0, 0], 3);

/// Refused even inside an allowed range: link-local addresses, and the metadata services of clouds. Most of the latter lie in
/// private ranges, which operators do allow; Azure's is a public address.
const NEVER: [IpNet; 11] = [
    v4([169, 254, 0, 0], 16),
    v6([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10),
    v4([100, 100, 100, 200], 32),                        // Alibaba Cloud
    v6([0xfd00, 0x100, 0, 0, 0, 0, 0x100, 0x200], 128),  // Alibaba Cloud
    v6([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0], 32),           // Amazon: of machines, and of pods
    v4([168, 63, 129, 16], 32),                          // Azure
    v6([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128),       // Google Cloud
    v4([192, 0, 0, 192], 32),                            // Oracle Cloud
    v6([0xfd00, 0xc1, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128), // Oracle Cloud
    v6([0xfd00, 0xa9fe, 0xa9fe, 0, 0, 0, 0, 1], 128),    // Akamai
    v6([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128),        // Scaleway
];

const fn v4([a, b, c, d]: [u8; 4], prefix: u8) -> IpNet {
    IpNet::new_assert(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix)
}

const fn v6([a, b, c, d, e, f, g, h]: [u16; 8], prefix: u8) -> IpNet {
    IpNet::new_assert(IpAddr::V6(Ipv6Addr::new(a, b, c, d, e, f, g, h)), prefix)
}

pub(super) struct Ranges {
    allowed: Vec<IpNet>,
    /// Whether names with a local meaning are accepted. Their addresses are judged like any other.
    pub(super) takes_local_names: bool,
}

impl Ranges {
    pub(super) const fn new(allowed: Vec<IpNet>) -> Self {
        Self {
            allowed,
            takes_local_names: false,
        }
    }

    /// Whether the address must not be called.
    ///
    /// IPv4 addresses embedded in an IPv6 address are judged by the same rules: an allowed IPv4 range allows all forms of its
    /// addresses, and an allowed IPv6 range allows the IPv4 addresses embedded in its own.
    pub(super) fn is_refused(&self, address: IpAddr) -> bool {
        let is_in = |ranges: &[IpNet], address| ranges.iter().any(|range| range.contains(&address));
        let mut held = held_by(address);
        if is_in(&NEVER, address) || held.clone().any(|address| is_in(&NEVER, address)) {
            return true;
        }
        if is_in(&self.allowed, address) {
            return false;
        }
        let is_elsewhere =
            address.is_ipv6() && !GLOBAL.contains(&address) && held.clone().next().is_none();
        is_elsewhere || is_in(&REFUSED, address) || held.any(|address| self.is_refused(address))
    }
}

/// The IPv4 addresses embedded in an IPv6 address.
fn held_by(address: IpAddr) -> impl Iterator<Item = IpAddr> + Clone {
    let held = match address {
        IpAddr::V4(_) => [None, None],
        IpAddr::V6(address) => held_by_v6(address.segments()),
    };
    held.into_iter().flatten().map(IpAddr::V4)
}

fn held_by_v6(segments: [u16; 8]) -> [Option<Ipv4Addr>; 2] {
    let [_, second, third, fourth, fifth, sixth, seventh, eighth] = segments;
    let last = joined(seventh, eighth);
    match segments {
        // IPv4-compatible and IPv4-mapped (RFC 4291, 2.5.5), IPv4-translated (RFC 2765, 2.1), and NAT64 (RFC 6052).
        [0, 0, 0, 0, 0, 0 | 0xffff, _, _]
        | [0, 0, 0, 0, 0xffff, 0, _, _]
        | [0x64, 0xff9b, 0, 0, 0, 0, _, _] => [Some(last), None],
        // NAT64 of a local network (RFC 8215): at the end, or after the 48 bits and around an octet of zeros (RFC 6052, 2.2).
        [0x64, 0xff9b, 1, ..] => {
            let around = joined(fourth, fifth << 8 | sixth >> 8);
            [Some(last), Some(around)]
        }
        // 6to4 (RFC 3056).
        [0x2002, ..] => [Some(joined(second, third)), None],
        // Teredo (RFC 4380): the server, and the client with all bits inverted.
        [0x2001, 0, ..] => {
            let client = Ipv4Addr::from_bits(!last.to_bits());
            [Some(joined(third, fourth)), Some(client)]
        }
        _ => [None, None],
    }
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}
