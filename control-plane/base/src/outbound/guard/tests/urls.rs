//! The form of addresses: one row each.

use axum::http::Uri;

use super::{
    super::{
        ranges::Ranges,
        user_url::{Fault, UserUrl},
    },
    networks,
};

use Fault::{LocalName, NotHttp, RefusedAddress, TooLong, UserInfo};

const ROWS: &[(&str, Result<(), Fault>)] = &[
    // Ordinary addresses.
    ("https://example.com", Ok(())),
    ("https://example.com/", Ok(())),
    ("http://example.com/hook", Ok(())),
    ("https://example.com:8443/hook?token=a%20b&x=1#part", Ok(())),
    ("https://example.com?x", Ok(())),
    ("https://example.com#x", Ok(())),
    ("HTTPS://EXAMPLE.COM/Hook", Ok(())),
    ("https://example.com./hook", Ok(())),
    ("https://hooks.eu-west-1.example.co.uk/a/b/c", Ok(())),
    ("https://my_hooks.example.com/", Ok(())),
    ("https://xn--bcher-kva.example/", Ok(())),
    ("https://bücher.example/straße", Ok(())),
    ("https://例え.テスト/", Ok(())),
    ("https://example.com/@user", Ok(())),
    ("https://example.com/?mail=a@b.c", Ok(())),
    ("https://example.com/%5c%0a", Ok(())),
    ("http://example.com:1/", Ok(())),
    ("http://example.com:65535/", Ok(())),
    ("http://receiver/", Ok(())),
    ("http://1.example.com/", Ok(())),
    // Public addresses, and those for documentation.
    ("http://8.8.8.8/", Ok(())),
    ("https://1.1.1.1:443/", Ok(())),
    ("http://192.0.2.1/", Ok(())),
    ("http://198.51.100.1/", Ok(())),
    ("http://203.0.113.255/", Ok(())),
    ("http://134744072/", Ok(())),
    ("http://0x08.010.8.8/", Ok(())),
    ("http://[2001:4860:4860::8888]/", Ok(())),
    ("http://[2001:db8::1]:8080/", Ok(())),
    ("http://[::ffff:8.8.8.8]/", Ok(())),
    ("http://[64:ff9b::8.8.8.8]/", Ok(())),
    ("http://[2002:808:808::1]/", Ok(())),
    // Loopback in all its spellings.
    ("http://127.0.0.1/", Err(RefusedAddress)),
    ("https://127.0.0.1:8443/", Err(RefusedAddress)),
    ("http://127.1/", Err(RefusedAddress)),
    ("http://127.0.1/", Err(RefusedAddress)),
    ("http://127.255.255.254/", Err(RefusedAddress)),
    ("http://2130706433/", Err(RefusedAddress)),
    ("http://017700000001/", Err(RefusedAddress)),
    ("http://0x7f000001/", Err(RefusedAddress)),
    ("http://0X7F000001/", Err(RefusedAddress)),
    ("http://0x7f.1/", Err(RefusedAddress)),
    ("http://0177.0.0.1/", Err(RefusedAddress)),
    ("http://0177.0x0.0.01/", Err(RefusedAddress)),
    ("http://00000177.0.0.1/", Err(RefusedAddress)),
    ("http://127.0.0.1./", Err(RefusedAddress)),
    ("http://127.1.:80/", Err(RefusedAddress)),
    ("http://%31%32%37.0.0.1/", Err(RefusedAddress)),
    ("http://127%2e0%2E0%2e1/", Err(RefusedAddress)),
    ("http://１２７.0.0.1/", Err(RefusedAddress)),
    ("http://127。0。0。1/", Err(RefusedAddress)),
    ("http://127．0．0．1/", Err(RefusedAddress)),
    ("http://①②⑦.⓪.⓪.①/", Err(RefusedAddress)),
    ("http://0ｘ7f.1/", Err(RefusedAddress)),
    ("http://127.0.0\u{ad}.1/", Err(RefusedAddress)),
    ("http://0/", Err(RefusedAddress)),
    ("http://0.0.0.0/", Err(RefusedAddress)),
    ("http://0.1.2.3/", Err(RefusedAddress)),
    // Private, local and reserved ones.
    ("http://10.0.0.1/", Err(RefusedAddress)),
    ("http://10.1/", Err(RefusedAddress)),
    ("http://012.1.2.3/", Err(RefusedAddress)),
    ("http://167772161/", Err(RefusedAddress)),
    ("http://100.64.0.1/", Err(RefusedAddress)),
    ("http://100.100.100.200/", Err(RefusedAddress)),
    (
        "http://169.254.169.254/latest/meta-data/",
        Err(RefusedAddress),
    ),
    ("http://2852039166/", Err(RefusedAddress)),
    ("http://0xa9fea9fe/", Err(RefusedAddress)),
    ("http://0251.0376.0251.0376/", Err(RefusedAddress)),
    ("http://172.16.0.1/", Err(RefusedAddress)),
    ("http://172.31.255.255/", Err(RefusedAddress)),
    ("http://192.0.0.192/", Err(RefusedAddress)),
    ("http://192.168.1.1/", Err(RefusedAddress)),
    ("http://192.168.257/", Err(RefusedAddress)),
    ("http://198.19.0.1/", Err(RefusedAddress)),
    ("http://224.0.0.1/", Err(RefusedAddress)),
    ("http://255.255.255.255/", Err(RefusedAddress)),
    ("http://4294967295/", Err(RefusedAddress)),
    ("http://168.63.129.16/", Err(RefusedAddress)),
    // IPv6.
    ("http://[::]/", Err(RefusedAddress)),
    ("http://[::1]/", Err(RefusedAddress)),
    ("http://[0:0:0:0:0:0:0:1]:80/", Err(RefusedAddress)),
    (
        "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
        Err(RefusedAddress),
    ),
    ("http://[::0.0.0.1]/", Err(RefusedAddress)),
    ("http://[fc00::1]/", Err(RefusedAddress)),
    ("http://[fd00:ec2::254]/", Err(RefusedAddress)),
    ("http://[FE80::1]/", Err(RefusedAddress)),
    ("http://[febf::1]/", Err(RefusedAddress)),
    ("http://[fec0::1]/", Err(RefusedAddress)),
    ("http://[ff02::1]/", Err(RefusedAddress)),
    ("http://[64:ff9b:1::808:808]/", Err(RefusedAddress)),
    // IPv6 around a refused IPv4 address.
    ("http://[::ffff:127.0.0.1]/", Err(RefusedAddress)),
    ("http://[::ffff:7f00:1]/", Err(RefusedAddress)),
    ("http://[0:0:0:0:0:FFFF:7F00:0001]/", Err(RefusedAddress)),
    ("http://[::ffff:169.254.169.254]/", Err(RefusedAddress)),
    ("http://[::10.0.0.1]/", Err(RefusedAddress)),
    ("http://[64:ff9b::10.0.0.1]/", Err(RefusedAddress)),
    ("http://[64:ff9b::a9fe:a9fe]/", Err(RefusedAddress)),
    ("http://[2002:7f00:1::]/", Err(RefusedAddress)),
    ("http://[2002:a9fe:a9fe::1]/", Err(RefusedAddress)),
    ("http://[2001:0:a00:1::f7f7:f7f7]/", Err(RefusedAddress)),
    ("http://[2001:0:808:808::f5ff:fffe]/", Err(RefusedAddress)),
    ("http://[2001:0:808:808::f7f7:f7f7]/", Ok(())),
    // Names with a local meaning.
    ("http://localhost/", Err(LocalName)),
    ("http://localhost:8080/", Err(LocalName)),
    ("http://LocalHost/", Err(LocalName)),
    ("http://localhost./", Err(LocalName)),
    ("http://app.localhost/", Err(LocalName)),
    ("http://app.localhost./", Err(LocalName)),
    ("http://printer.local/", Err(LocalName)),
    ("http://a.b.LOCAL./", Err(LocalName)),
    ("http://metadata.google.internal/", Err(LocalName)),
    ("http://db.internal:5432/", Err(LocalName)),
    ("http://local/", Err(LocalName)),
    ("http://internal/", Err(LocalName)),
    ("http://ｌｏｃａｌｈｏｓｔ/", Err(LocalName)),
    ("http://ⓛocalhost/", Err(LocalName)),
    ("http://local\u{ad}host/", Err(LocalName)),
    ("http://%6c%6F%63alhost/", Err(LocalName)),
    ("http://foo。local/", Err(LocalName)),
    ("http://foo%2elocal/", Err(LocalName)),
    ("http://localhost.example.com/", Ok(())),
    ("http://mylocalhost/", Ok(())),
    ("http://notlocal/", Ok(())),
    ("http://internal.example.com/", Ok(())),
    // User names and passwords, and lookalikes of hosts.
    ("http://user@example.com/", Err(UserInfo)),
    ("http://user:password@example.com/", Err(UserInfo)),
    ("http://:password@example.com/", Err(UserInfo)),
    ("http://@example.com/", Err(UserInfo)),
    ("http://:@example.com/", Err(UserInfo)),
    ("http://example.com@127.0.0.1/", Err(UserInfo)),
    ("http://example.com:80@127.0.0.1/", Err(UserInfo)),
    ("http://a@b@example.com/", Err(UserInfo)),
    // Other schemes, and none.
    ("", Err(NotHttp)),
    ("example.com", Err(NotHttp)),
    ("//example.com/", Err(NotHttp)),
    ("/hook", Err(NotHttp)),
    ("ftp://example.com/", Err(NotHttp)),
    ("file:///etc/passwd", Err(NotHttp)),
    ("gopher://127.0.0.1:6379/_x", Err(NotHttp)),
    ("ws://example.com/", Err(NotHttp)),
    ("httpx://example.com/", Err(NotHttp)),
    ("javascript:alert(1)", Err(NotHttp)),
    ("data:text/plain,x", Err(NotHttp)),
    ("unix:/run/a.sock", Err(NotHttp)),
    ("blob:https://example.com/x", Err(NotHttp)),
    ("javascript:x//https://example.com", Err(NotHttp)),
    // Forms that browsers correct.
    ("http:127.0.0.1", Err(NotHttp)),
    ("http:/127.0.0.1/", Err(NotHttp)),
    ("http:example.com", Err(NotHttp)),
    ("http:///example.com/", Err(NotHttp)),
    ("http:////127.0.0.1/", Err(NotHttp)),
    ("http:\\\\127.0.0.1\\", Err(NotHttp)),
    ("http://example.com\\@127.0.0.1/", Err(NotHttp)),
    ("http://example.com/a\\b", Err(NotHttp)),
    (" http://example.com/", Err(NotHttp)),
    ("http://example.com/ ", Err(NotHttp)),
    ("http://example.com/a b", Err(NotHttp)),
    ("ht\ntp://127.0.0.1/", Err(NotHttp)),
    ("http://127.0.\t0.1/", Err(NotHttp)),
    ("http://example.com/\r\nX-Header: 1", Err(NotHttp)),
    ("http://example.com/\0", Err(NotHttp)),
    ("http://example.com/\u{7f}", Err(NotHttp)),
    ("http://example.com/\u{2028}", Err(NotHttp)),
    ("http://example.com\u{3000}/", Err(NotHttp)),
    ("\u{1}http://example.com/", Err(NotHttp)),
    // No host, or none that can be one.
    ("http://", Err(NotHttp)),
    ("http:///", Err(NotHttp)),
    ("http://?x", Err(NotHttp)),
    ("http://#x", Err(NotHttp)),
    ("http://:80/", Err(NotHttp)),
    ("http://./", Err(NotHttp)),
    ("http://../", Err(NotHttp)),
    ("http://.example.com/", Err(NotHttp)),
    ("http://a..example.com/", Err(NotHttp)),
    ("http://example.com../", Err(NotHttp)),
    ("http://127.0.0.1../", Err(NotHttp)),
    ("http://*.example.com/", Err(NotHttp)),
    ("http://exa\"mple.com/", Err(NotHttp)),
    ("http://exa{mple}.com/", Err(NotHttp)),
    ("http://exa<mple.com/", Err(NotHttp)),
    ("http://exa%00mple.com/", Err(NotHttp)),
    ("http://exa%20mple.com/", Err(NotHttp)),
    ("http://exa%2fmple.com/", Err(NotHttp)),
    ("http://127.0.0.1%2f@example.com/", Err(UserInfo)),
    ("http://example.com:65536/", Err(NotHttp)),
    ("http://example.com:-1/", Err(NotHttp)),
    ("http://example.com:port/", Err(NotHttp)),
    ("http://example.com:80:80/", Err(NotHttp)),
    ("http://256.0.0.1/", Err(NotHttp)),
    ("http://1.2.3.4.5/", Err(NotHttp)),
    ("http://4294967296/", Err(NotHttp)),
    ("http://127.0.0.09/", Err(NotHttp)),
    ("http://example.1/", Err(NotHttp)),
    ("http://::1/", Err(NotHttp)),
    ("http://[::1/", Err(NotHttp)),
    ("http://[::1]x/", Err(NotHttp)),
    ("http://[]/", Err(NotHttp)),
    ("http://[127.0.0.1]/", Err(NotHttp)),
    ("http://[fe80::1%25eth0]/", Err(NotHttp)),
    ("http://[fe80::1%eth0]/", Err(NotHttp)),
    ("http://[v1.127.0.0.1]/", Err(NotHttp)),
    ("http://[::ffff:127.0.0.1.]/", Err(NotHttp)),
];

fn outcome(text: &str, allowed: &[&str]) -> Result<(), Fault> {
    UserUrl::parse(text, &Ranges::new(networks(allowed))).map(drop)
}

#[test]
fn each_address_is_accepted_or_refused_for_its_reason() {
    let wrong: Vec<_> = ROWS
        .iter()
        .map(|(text, expected)| (text, expected, outcome(text, &[])))
        .filter(|(_, expected, outcome)| *expected != outcome)
        .map(|(text, expected, outcome)| format!("{text:?}: {outcome:?}, not {expected:?}"))
        .collect();
    assert!(ROWS.len() > 200);
    assert_eq!(wrong, [""; 0]);
}

#[test]
fn a_long_address_is_refused_before_it_is_read() {
    let of_length = |length: usize| {
        let start = "https://example.com/";
        format!("{start}{}", "é".repeat(length - start.len()))
    };
    assert_eq!(outcome(&of_length(2048), &[]), Ok(()));
    assert_eq!(outcome(&of_length(2049), &[]), Err(TooLong));
}

#[test]
fn host_names_have_the_lengths_of_the_dns() {
    let label = "a".repeat(63);
    let name = [label.as_str(); 4].join(".");
    let fits = &name[..253];
    for (name, expected) in [
        (label.as_str(), Ok(())),
        (&format!("{label}a"), Err(NotHttp)),
        (fits, Ok(())),
        (&format!("{fits}."), Ok(())),
        (&name[..254], Err(NotHttp)),
    ] {
        assert_eq!(outcome(&format!("http://{name}/"), &[]), expected, "{name}");
    }
}

#[test]
fn an_address_is_kept_as_it_was_given_and_reads_the_same_again() {
    for (text, _) in ROWS.iter().filter(|(_, expected)| expected.is_ok()) {
        let ranges = Ranges::new(Vec::new());
        let url = UserUrl::parse(text, &ranges).unwrap();
        assert_eq!(url.as_str(), *text);
        let again = UserUrl::parse(url.as_str(), &ranges).unwrap();
        assert!(url == again && url.host() == again.host(), "{text}");
    }
}

/// The HTTP client parses the URL again and must find the same host.
#[test]
fn the_http_client_reads_the_same_host_in_every_accepted_address() {
    let odd = (' '..='~').map(|c| format!("https://example.com/{c}?{c}#{c}"));
    let rows = ROWS.iter().map(|(text, _)| (*text).to_owned());
    let long = format!("https://example.com/?{}", "𝄞".repeat(2000));
    let ranges = Ranges::new(Vec::new());
    let mut accepted = 0;
    for text in odd.chain(rows).chain([long]) {
        let Ok(url) = UserUrl::parse(&text, &ranges) else {
            continue;
        };
        let uri: Uri = url.url().as_str().parse().expect(&text);
        assert_eq!(uri.host(), url.url().host_str(), "{text}");
        assert_eq!(uri.port_u16(), url.url().port(), "{text}");
        accepted += 1;
    }
    assert!(accepted > 120, "{accepted}");
}

#[test]
fn names_that_are_refused_stay_refused_when_all_addresses_are_allowed() {
    let all = ["0.0.0.0/0", "::/0"];
    let rows = ROWS
        .iter()
        .filter(|(_, expected)| expected == &Err(LocalName));
    for (text, _) in rows {
        assert_eq!(outcome(text, &all), Err(LocalName), "{text}");
    }
    assert_eq!(outcome("http://10.0.0.1/", &all), Ok(()));
}

#[test]
fn refusals_name_the_field_and_no_address() {
    for (fault, words) in [
        (TooLong, "base_url must have at most 2048 characters"),
        (NotHttp, "base_url must be an http or https URL"),
        (
            UserInfo,
            "base_url must not contain a user name or password",
        ),
        (
            LocalName,
            "base_url must not have a host name that has a meaning only locally",
        ),
        (
            RefusedAddress,
            "base_url must not lead to a private, local or reserved address",
        ),
    ] {
        assert_eq!(fault.of("base_url").to_string(), words);
    }
}

#[test]
fn paths_and_queries_are_not_told_to_logs() {
    let ranges = Ranges::new(Vec::new());
    let url = UserUrl::parse("https://example.com:8443/path-1/?query-1#part-1", &ranges).unwrap();
    assert_eq!(format!("{url:?}"), r#"UserUrl("https://example.com:8443")"#);
}
