//! `halyard edge list`: a row for each edge.

use std::fmt::Write;

use base::operator::{date, date_or_dash};
use publish::edges::fleet::FleetEdge;

/// The edges, one a line.
pub(super) fn table(edges: &[FleetEdge]) -> String {
    let mut text = String::new();
    let mut row = |cells: [&str; 13]| {
        let [
            name,
            region,
            kind,
            since,
            via,
            rtt,
            streams,
            environments,
            build,
            seen,
            revoked,
            ends,
            renewed,
        ] = cells;
        let line = format!(
            "{name:<24} {region:<8} {kind:<5} {since:<20} {via:<16} {rtt:>8} {streams:>8} {environments:>12} {build:<10} {seen:<20} {revoked:<20} {ends:<20} {renewed}"
        );
        writeln!(text, "{}", line.trim_end()).expect("writing to a string cannot fail");
    };
    row([
        "NAME",
        "REGION",
        "KIND",
        "CONNECTED SINCE",
        "VIA",
        "RTT MS",
        "STREAMS",
        "ENVIRONMENTS",
        "BUILD",
        "LAST SEEN",
        "REVOKED",
        "CERTIFICATE ENDS",
        "RENEWED",
    ]);
    for edge in edges {
        let environments = match edge.behind {
            0 => edge.held.to_string(),
            behind => format!("{} (-{behind})", edge.held),
        };
        let renewed_at = edge
            .certificate
            .and_then(|certificate| certificate.renewed_at);
        row([
            &edge.name,
            edge.region.as_deref().unwrap_or("all"),
            if edge.is_relay() { "relay" } else { "edge" },
            &date_or_dash(edge.connected_since),
            edge.via.as_deref().unwrap_or("-"),
            &edge
                .rtt_ms
                .map_or_else(|| "-".to_owned(), |rtt| format!("{rtt:.1}")),
            &edge.streams.to_string(),
            &environments,
            edge.build.as_deref().unwrap_or("-"),
            &edge.last_seen_at.map_or_else(|| "never".to_owned(), date),
            &date_or_dash(edge.revoked_at),
            &date_or_dash(edge.certificate.map(|certificate| certificate.expires_at)),
            &date_or_dash(renewed_at),
        ]);
    }
    text
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;
    use publish::edges::fleet::{Kind, Standing};

    #[test]
    fn the_table_shows_a_row_for_each_edge() {
        let connected = FleetEdge {
            name: "fra-1".to_owned(),
            region: Some("eu".to_owned()),
            kind: Kind::Relay,
            connected: true,
            connected_since: Some(datetime!(2026-05-04 12:00 UTC)),
            last_seen_at: Some(datetime!(2026-05-05 12:00 UTC)),
            build: Some("0.1.0".to_owned()),
            rtt_ms: Some(12.34),
            via: None,
            certificate_expires_at: None,
            evaluations_per_minute: None,
            lag: None,
            streams: 1_000,
            certificate: Some(Standing {
                expires_at: datetime!(2028-05-04 12:00 UTC),
                renewed_at: Some(datetime!(2026-05-04 12:00 UTC)),
                is_relay: true,
            }),
            environments: Vec::new(),
            held: 2,
            behind: 1,
            revoked_at: None,
        };
        let below = FleetEdge {
            name: "fra-11".to_owned(),
            via: Some("fra-1".to_owned()),
            certificate: Some(Standing {
                is_relay: false,
                ..connected.certificate.unwrap()
            }),
            held: 0,
            behind: 0,
            ..connected.clone()
        };
        let away = FleetEdge {
            name: "fra-2".to_owned(),
            region: None,
            kind: Kind::Edge,
            connected: false,
            connected_since: None,
            last_seen_at: None,
            build: None,
            rtt_ms: None,
            via: None,
            certificate_expires_at: None,
            evaluations_per_minute: None,
            lag: None,
            streams: 0,
            certificate: Some(Standing {
                expires_at: datetime!(2027-01-01 0:00 UTC),
                renewed_at: None,
                is_relay: false,
            }),
            environments: Vec::new(),
            held: 0,
            behind: 0,
            revoked_at: None,
        };
        let revoked = FleetEdge {
            name: "fra-3".to_owned(),
            revoked_at: Some(datetime!(2026-05-06 12:00 UTC)),
            ..away.clone()
        };
        let expected = "\
NAME                     REGION   KIND  CONNECTED SINCE      VIA                RTT MS  STREAMS ENVIRONMENTS BUILD      LAST SEEN            REVOKED              CERTIFICATE ENDS     RENEWED
fra-1                    eu       relay 2026-05-04T12:00:00Z -                    12.3     1000       2 (-1) 0.1.0      2026-05-05T12:00:00Z -                    2028-05-04T12:00:00Z 2026-05-04T12:00:00Z
fra-11                   eu       edge  2026-05-04T12:00:00Z fra-1                12.3     1000            0 0.1.0      2026-05-05T12:00:00Z -                    2028-05-04T12:00:00Z 2026-05-04T12:00:00Z
fra-2                    all      edge  -                    -                       -        0            0 -          never                -                    2027-01-01T00:00:00Z -
fra-3                    all      edge  -                    -                       -        0            0 -          never                2026-05-06T12:00:00Z 2027-01-01T00:00:00Z -
";
        assert_eq!(table(&[connected, below, away, revoked]), expected);
    }
}
