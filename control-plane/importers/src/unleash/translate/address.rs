//! Lists of addresses and networks of IPv4, as conditions on the text of an address.

use std::net::Ipv4Addr;

use protocol::rule::Condition;

use super::patterns;
use crate::plan::rules::condition;

const OCTET: &str = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";

/// A condition that holds for the addresses of a list that is separated by commas. `None` where something in it is no address or
/// network of IPv4: addresses of IPv6 have many forms.
pub(super) fn listed(list: &str) -> Option<Condition> {
    let entries: Vec<Network> = list
        .split(',')
        .map(|entry| Network::parse(entry.trim()))
        .collect::<Option<_>>()?;
    if entries.iter().all(|network| network.bits == 32) {
        let addresses = entries.iter().map(|network| network.address.to_string());
        return Some(condition("remoteAddress", "in", addresses));
    }
    let patterns = entries.iter().map(Network::pattern).collect();
    Some(condition(
        "remoteAddress",
        "regex",
        patterns::packed(patterns)?,
    ))
}

struct Network {
    address: Ipv4Addr,
    /// How many of the address count, from its start.
    bits: u32,
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.split_once('/') {
            Some((address, bits)) => (address, bits.parse().ok().filter(|bits| *bits <= 32)?),
            None => (text, 32),
        };
        let address = address.parse().ok()?;
        Some(Self { address, bits })
    }

    fn pattern(&self) -> String {
        let octets = (0..).zip(self.address.octets()).map(|(place, octet)| {
            match self.bits.saturating_sub(8 * place) {
                0 => OCTET.to_owned(),
                1..8 => {
                    let rest = u8::MAX >> (self.bits % 8);
                    let (first, last) = (octet & !rest, octet | rest);
                    let octets: Vec<_> = (first..=last).map(|octet| octet.to_string()).collect();
                    format!("(?:{})", octets.join("|"))
                }
                _ => octet.to_string(),
            }
        });
        format!("^{}$", octets.collect::<Vec<_>>().join(r"\."))
    }
}

#[cfg(test)]
mod tests {
    use regex::{Regex, RegexSet};

    use super::*;

    #[test]
    fn addresses_are_a_list() {
        let condition = listed("10.0.0.1, 1.2.3.4/32").unwrap();
        assert_eq!(condition.operator, "in");
        assert_eq!(condition.values, ["10.0.0.1", "1.2.3.4"]);
    }

    #[test]
    fn networks_are_a_pattern() {
        let condition = listed("10.0.0.9/8,192.168.16.0/20,1.2.3.4").unwrap();
        let patterns = RegexSet::new(&condition.values).unwrap();
        for (address, expected) in [
            ("10.0.0.0", true),
            ("10.255.199.20", true),
            ("11.0.0.0", false),
            ("10.0.0", false),
            ("10.0.0.256", false),
            ("10.0.0.01", false),
            ("192.168.16.0", true),
            ("192.168.31.255", true),
            ("192.168.32.0", false),
            ("1.2.3.4", true),
            ("1.2.3.45", false),
            ("110.0.0.1", false),
        ] {
            assert_eq!(patterns.is_match(address), expected, "{address}");
        }
        assert!(
            Regex::new(&listed("0.0.0.0/0").unwrap().values[0])
                .unwrap()
                .is_match("255.1.0.99")
        );
    }

    #[test]
    fn anything_else_is_not_understood() {
        for list in [
            "",
            "::1",
            "10.0.0.1,::1",
            "10.0.0.0/255.0.0.0",
            "10.0.0.0/33",
            "localhost",
        ] {
            assert_eq!(listed(list), None, "{list}");
        }
    }
}
