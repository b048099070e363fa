//! What the metrics of the link mean, at control planes and relays.

use serving::telemetry::Metric;

/// The metrics of whoever sends environments to edges.
pub(crate) const METRICS: &[Metric] = &[
    Metric::summary(
        "halyard_acknowledgement_seconds",
        "Seconds from a push to its acknowledgement; at a control plane, that of a relay includes the edges below it.",
    ),
    Metric::counter(
        "halyard_edge_renewals_total",
        "Wishes of edges for a new certificate, by result.",
    )
    .by("result", &["renewed", "refused", "failed", "dropped"]),
    Metric::counter(
        "halyard_key_lookups_total",
        "API keys that edges asked about, by result.",
    )
    .by("result", &["found", "unknown", "failed", "dropped"]),
    Metric::counter(
        "halyard_link_refused_total",
        "Connections of edges that were refused, by reason.",
    )
    .by(
        "reason",
        &[
            "certificate",
            "handshake",
            "version",
            "busy",
            "unsighted",
            "unknown_certificate",
            "revoked_certificate",
            "expired_certificate",
            "region",
            "protocol",
            "unavailable",
        ],
    ),
    Metric::counter(
        "halyard_link_retries_total",
        "Addresses that had to prove themselves first, while many connected.",
    ),
    Metric::counter(
        "halyard_pushed_bytes_total",
        "Bytes of the messages with contents that were sent to edges.",
    ),
    Metric::counter(
        "halyard_pushes_total",
        "Messages with contents that were sent to edges, by kind.",
    )
    .by("kind", &["snapshot", "update"]),
    Metric::counter(
        "halyard_resyncs_total",
        "Environments that an edge asked for again.",
    ),
    Metric::counter(
        "halyard_sight_lost_total",
        "Times that this process had not looked into the database for too long, and sent its edges elsewhere.",
    ),
    Metric::counter(
        "halyard_snapshot_waits_missed_total",
        "Waits for edges that ended without all of them: of writes, and at a relay of acknowledgements.",
    ),
    Metric::counter(
        "halyard_unanswered_pushes_total",
        "Pushes that an edge did not answer in time.",
    ),
    Metric::counter(
        "halyard_usage_batches_total",
        "Batches of usage that arrived from edges, those sent again included.",
    ),
];
