//! The edges of every range, in every form, against a list that is written independently of the code.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::{super::ranges::Ranges, addresses, networks};

/// First and last address of each refused IPv4 range. `192.0.0.0/24` is one of them, and `192.0.2.0/24` is not.
const V4: [(&str, &str); 11] = [
    ("0.0.0.0", "0.255.255.255"),
    ("10.0.0.0", "10.255.255.255"),
    ("100.64.0.0", "100.127.255.255"),
    ("127.0.0.0", "127.255.255.255"),
    ("169.254.0.0", "169.254.255.255"),
    ("172.16.0.0", "172.31.255.255"),
    ("192.0.0.0", "192.0.0.255"),
    ("192.168.0.0", "192.168.255.255"),
    ("198.18.0.0", "198.19.255.255"),
    ("224.0.0.0", "239.255.255.255"),
    ("240.0.0.0", "255.255.255.255"),
];

/// Azure's metadata service, which has a public address.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

const METADATA: [&str; 14] = [
    "169.254.169.254",
    "169.254.170.2",
    "169.254.42.42",
    "fe80::a9fe:a9fe",
    "100.100.100.200",
    "fd00:100::100:200",
    "fd00:ec2::254",
    "fd00:ec2::23",
    "168.63.129.16",
    "fd20:ce::254",
    "192.0.0.192",
    "fd00:c1::a9fe:a9fe",
    "fd00:a9fe:a9fe::1",
    "fd00:42::42",
];

fn bits(text: &str) -> u32 {
    text.parse::<Ipv4Addr>().unwrap().to_bits()
}

fn is_listed(address: Ipv4Addr) -> bool {
    let listed =
        |(first, last): &(&str, &str)| (bits(first)..=bits(last)).contains(&address.to_bits());
    address == AZURE || V4.iter().any(listed)
}

fn interesting() -> Vec<Ipv4Addr> {
    let edges = V4.iter().flat_map(|(first, last)| {
        let (first, last) = (bits(first), bits(last));
        [
            first.wrapping_sub(1),
            first,
            first + 1,
            last - 1,
            last,
            last.wrapping_add(1),
        ]
    });
    let azure = AZURE.to_bits();
    edges
        .chain([
            azure - 1,
            azure,
            azure + 1,
            bits("8.8.8.8"),
            bits("203.0.113.1"),
        ])
        .map(Ipv4Addr::from_bits)
        .collect()
}

/// All forms in which an IPv6 address embeds an IPv4 address.
fn forms(address: Ipv4Addr) -> [Ipv6Addr; 9] {
    let [a, b, c, d] = address.octets();
    let public = "8.8.8.8";
    let text = |form: String| form.parse().unwrap();
    let inverted = Ipv4Addr::from_bits(!address.to_bits()).octets();
    [
        text(format!("::ffff:{address}")),
        text(format!("::{address}")),
        text(format!("::ffff:0:{address}")),
        text(format!("64:ff9b::{address}")),
        text(format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}::")),
        text(format!("2002:{a:02x}{b:02x}:{c:02x}{d:02x}:1:2:3:4:5")),
        // Teredo: by its server, by its client, and by both.
        text(format!(
            "2001:0:{a:02x}{b:02x}:{c:02x}{d:02x}:0:1:{}",
            teredo(public)
        )),
        text(format!(
            "2001:0:808:808:8000:1:{}",
            teredo(&address.to_string())
        )),
        Ipv6Addr::from([
            0x20,
            1,
            0,
            0,
            a,
            b,
            c,
            d,
            0,
            0,
            0,
            0,
            inverted[0],
            inverted[1],
            inverted[2],
            inverted[3],
        ]),
    ]
}

fn teredo(client: &str) -> String {
    let bits = !bits(client);
    format!("{:x}:{:x}", bits >> 16, bits & 0xffff)
}

fn refused_by_default(address: impl Into<IpAddr>) -> bool {
    Ranges::new(Vec::new()).is_refused(address.into())
}

fn is_refused(address: &str, allowed: &[&str]) -> bool {
    Ranges::new(networks(allowed)).is_refused(address.parse().unwrap())
}

#[test]
fn the_edges_of_each_range_are_refused_and_their_neighbours_are_not() {
    for address in interesting() {
        assert_eq!(refused_by_default(address), is_listed(address), "{address}");
    }
}

#[test]
fn no_other_part_of_ipv4_is_refused() {
    for block in 0..=0xffff_u32 {
        for bits in [block << 16, block << 16 | 0xffff] {
            let address = Ipv4Addr::from_bits(bits);
            assert_eq!(refused_by_default(address), is_listed(address), "{address}");
        }
    }
}

#[test]
fn a_form_is_refused_when_the_address_in_it_is() {
    for address in interesting() {
        for form in forms(address) {
            assert_eq!(
                refused_by_default(form),
                is_listed(address),
                "{form} holds {address}"
            );
        }
    }
}

#[test]
fn the_edges_of_ipv6_ranges_are_refused_and_their_neighbours_are_not() {
    let refused = [
        "::",
        "::1",
        // Outside of global unicast, near the embedding forms.
        "::1:0:7f00:1",
        "::1:0:808:808",
        "::fffe:808:808",
        "::fffe:0:808:808",
        "64:ff9b::1:0:808:808",
        "64:ff9b:0:ffff:ffff:ffff:ffff:ffff",
        "64:ff9b:2::",
        "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "4000::",
        "fbff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fe00::",
        "fe7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "64:ff9b:1::",
        "64:ff9b:1:ffff:ffff:ffff:ffff:ffff",
        "fc00::",
        "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fe80::",
        "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "fec0::",
        "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "ff00::",
        "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ];
    let public = [
        "2000::",
        "3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
        "2001:db8::1",
        "2001:1::",
        "2000:ffff:ffff::",
        "2003::",
        "2001:4860:4860::8888",
        // Near an embedding form, but none.
        "2001:1:7f00:1::",
    ];
    for address in addresses(&refused) {
        assert!(refused_by_default(address), "{address}");
    }
    for address in addresses(&public) {
        assert!(!refused_by_default(address), "{address}");
    }
}

#[test]
fn an_allowed_range_lets_its_addresses_through_and_no_others() {
    let allowed = ["10.1.0.0/16", "fd00:1::/32"];
    for (address, expected) in [
        ("10.1.0.0", false),
        ("10.1.255.255", false),
        ("10.0.255.255", true),
        ("10.2.0.0", true),
        ("fd00:1::1", false),
        ("fd00:2::1", true),
        ("192.168.0.1", true),
    ] {
        assert_eq!(is_refused(address, &allowed), expected, "{address}");
    }
}

#[test]
fn an_allowed_ipv4_range_lets_all_forms_of_its_addresses_through() {
    let ranges = Ranges::new(networks(&["10.0.0.0/8"]));
    for form in forms(Ipv4Addr::new(10, 1, 2, 3)) {
        assert!(!ranges.is_refused(form.into()), "{form}");
    }
    // Teredo: the server is allowed, and the client is not.
    assert!(ranges.is_refused("2001:0:a01:203::3f57:fefe".parse().unwrap()));
    for form in forms(Ipv4Addr::new(192, 168, 1, 1)) {
        assert!(ranges.is_refused(form.into()), "{form}");
    }
}

#[test]
fn an_allowed_ipv6_range_lets_through_what_its_addresses_hold() {
    assert!(!is_refused("64:ff9b:1::a00:1", &["64:ff9b:1::/96"]));
    assert!(!is_refused("2002:a00:1::1", &["2002::/16"]));
    assert!(!is_refused("::ffff:10.0.0.1", &["::ffff:0:0/96"]));
    assert!(is_refused("10.0.0.1", &["::ffff:0:0/96"]));
}

#[test]
fn link_local_and_metadata_addresses_are_never_allowed() {
    let all = ["0.0.0.0/0", "::/0"];
    let edges = [
        "169.254.0.0",
        "169.254.255.255",
        "fe80::",
        "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
    ];
    for address in METADATA.into_iter().chain(edges) {
        assert!(is_refused(address, &all), "{address}");
        let address: IpAddr = address.parse().unwrap();
        assert!(
            Ranges::new(vec![address.into()]).is_refused(address),
            "{address}"
        );
        if let IpAddr::V4(address) = address {
            for form in forms(address) {
                assert!(is_refused(&form.to_string(), &all), "{form}");
            }
        }
    }
    // Where an operator's NAT64 prefix embeds one.
    for address in ["64:ff9b:1::a9fe:a9fe", "64:ff9b:1:a9fe:a9:fe00::"] {
        assert!(is_refused(address, &all), "{address}");
    }
    for address in [
        "169.253.255.255",
        "169.255.0.0",
        "100.100.100.201",
        "192.0.0.193",
        "fd20:ce::255",
        "fec0::",
        "127.0.0.1",
        "::1",
    ] {
        assert!(!is_refused(address, &all), "{address}");
    }
}
