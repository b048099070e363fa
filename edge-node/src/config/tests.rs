//! Settings of an edge.

use std::collections::BTreeMap;

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair};
use tempfile::TempDir;

use super::*;

fn source(pairs: &[(&str, &str)]) -> BTreeMap<String, String> {
    pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect()
}

/// The identity of an edge, or of a relay if it has the name of relays too.
fn enrolled(names: &[&str]) -> TempDir {
    let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
    let mut params = CertificateParams::new(names).unwrap();
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap().pem();
    let folder = TempDir::new().unwrap();
    for (file, content) in [
        ("ca.pem", &certificate),
        ("edge.pem", &certificate),
        ("edge.key", &key.serialize_pem()),
    ] {
        std::fs::write(folder.path().join(file), content).unwrap();
    }
    folder
}

#[test]
fn every_problem_is_reported_under_its_variable() {
    let source = source(&[
        ("EDGE_UPSTREAM", "control:8443,nowhere"),
        ("EDGE_IDENTITY", "/does/not/exist"),
        ("EDGE_CACHE", "redis"),
        ("EDGE_SUBSCRIBE", "some"),
        ("EDGE_SIGNATURES", "maybe"),
        ("SSE_HEARTBEAT", "0"),
        ("EDGE_HTTP_ADDR", "here"),
        ("EDGE_PUBLIC_URL", "edge.test"),
        ("EDGE_RELAY_ADDR", "8444"),
    ]);
    let problems = Config::load(&source).unwrap_err().to_string();
    for expected in [
        "EDGE_UPSTREAM `nowhere`",
        "EDGE_IDENTITY cannot read ca.pem",
        "EDGE_CACHE `redis`",
        "EDGE_SUBSCRIBE `some`",
        "EDGE_SIGNATURES `maybe`",
        "SSE_HEARTBEAT `0`: must be from 1ms to 1h",
        "EDGE_HTTP_ADDR `here`",
        "EDGE_PUBLIC_URL `edge.test`",
        "EDGE_RELAY_ADDR `8444`",
    ] {
        assert!(problems.contains(expected), "{expected} in {problems}");
    }
}

#[test]
fn an_edge_that_holds_everything_has_no_memory_limit() {
    let source = source(&[("EDGE_MEMORY_LIMIT", "1000000")]);
    let problems = Config::load(&source).unwrap_err().to_string();
    assert!(
        problems.contains("EDGE_MEMORY_LIMIT needs EDGE_SUBSCRIBE=on-demand"),
        "{problems}"
    );
}

#[test]
fn a_relay_subscribes_to_everything_and_is_enrolled_as_one() {
    let relay = enrolled(&["relay-1", "halyard-relay"]);
    let edge = enrolled(&["edge-1"]);
    let load = |identity: &TempDir, subscribe| {
        let source = source(&[
            ("EDGE_UPSTREAM", "control:8443"),
            ("EDGE_IDENTITY", identity.path().to_str().unwrap()),
            ("EDGE_SUBSCRIBE", subscribe),
            ("EDGE_RELAY_ADDR", "0.0.0.0:8444"),
        ]);
        let loaded = Config::load(&source).map(|(config, _)| config.from.relay_addr());
        loaded.map_err(|problems| problems.to_string())
    };
    let address = (Ipv4Addr::UNSPECIFIED, 8444).into();
    assert_eq!(load(&relay, "all"), Ok(Some(address)));

    let on_demand = load(&relay, "on-demand").unwrap_err();
    let expected = "EDGE_RELAY_ADDR needs EDGE_SUBSCRIBE=all";
    assert!(on_demand.contains(expected), "{on_demand}");
    let plain = load(&edge, "all").unwrap_err();
    let expected = "EDGE_RELAY_ADDR needs an EDGE_IDENTITY that was enrolled with --relay";
    assert!(plain.contains(expected), "{plain}");
}

#[test]
fn an_edge_without_upstream_and_identity_does_not_start() {
    let problems = Config::load(&source(&[])).unwrap_err().to_string();
    assert!(problems.contains("EDGE_UPSTREAM must"), "{problems}");
    assert!(problems.contains("EDGE_IDENTITY must"), "{problems}");
}

#[test]
fn an_edge_that_serves_files_needs_no_link_and_has_no_rate_for_everybody() {
    let load = |given: &[(&str, &str)]| {
        let given = [&[("EDGE_FLAGS", "flags.yaml")], given].concat();
        Config::load(&source(&given)).map(|(config, _)| config)
    };
    let open = load(&[]).unwrap();
    assert!(open.edge.anybody.is_some());
    assert_eq!(
        (open.edge.rate_evaluation, open.edge.streams_per_key),
        (0, 0)
    );
    assert_eq!(open.shutdown_delay, Duration::ZERO);
    let limited = load(&[("RATE_EVALUATION", "5")]).unwrap();
    assert_eq!(limited.edge.rate_evaluation, 5);
    let closed = load(&[("EDGE_FLAGS_KEYS", "live=key")]).unwrap();
    assert_eq!(closed.edge.anybody, None);
    assert_eq!(closed.edge.rate_evaluation, 60_000);
    let problems = load(&[("EDGE_FLAGS_KEYS", "live=key,secret")]).unwrap_err();
    let problems = problems.to_string();
    assert!(
        problems.contains("EDGE_FLAGS_KEYS key 2: expected environment=key"),
        "{problems}"
    );
    assert!(!problems.contains("secret"), "{problems}");
}

#[test]
fn addresses_are_written_where_a_file_is_named() {
    let identity = enrolled(&["edge"]);
    let mut source = source(&[
        ("EDGE_UPSTREAM", "control:8443"),
        ("EDGE_IDENTITY", identity.path().to_str().unwrap()),
    ]);
    let (config, _) = Config::load(&source).unwrap();
    assert_eq!(config.address_file, None);
    assert_eq!(config.shutdown_delay, Duration::from_secs(10));

    source.insert("ADDRESS_FILE".to_owned(), "run/addresses".to_owned());
    let (config, _) = Config::load(&source).unwrap();
    assert_eq!(
        config.address_file.as_deref(),
        Some(Path::new("run/addresses"))
    );
}

#[test]
fn the_copy_is_where_systemd_keeps_the_service_unless_a_folder_is_named() {
    for (pairs, expected) in [
        (&[][..], "./halyard-edge-data"),
        (
            &[("STATE_DIRECTORY", "/var/lib/edge:/var/lib/b")][..],
            "/var/lib/edge/halyard-edge-data",
        ),
        (
            &[("STATE_DIRECTORY", "/a"), ("EDGE_CACHE_DIR", "here")][..],
            "here",
        ),
    ] {
        let source = source(pairs);
        let mut reader = Reader::new(&source);
        assert_eq!(cache_folder(&mut reader), Path::new(expected));
        reader.finish().unwrap();
    }
}

#[test]
fn defaults_are_the_documented_ones() {
    let source = source(&[]);
    let mut reader = Reader::new(&source);
    let settings = EdgeSettings::load(&mut reader);
    assert_eq!(settings.sse_heartbeat, Duration::from_secs(15));
    assert_eq!(settings.rate_evaluation, 60_000);
    assert_eq!(
        (settings.streams_per_key, settings.streams_per_address),
        (20_000, 2_000)
    );
    assert!(reader.finish().is_ok());
}
