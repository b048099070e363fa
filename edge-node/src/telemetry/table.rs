//! What the metrics of an edge mean.

use serving::telemetry::Metric;

/// The metrics of an edge, and of the one that is built into a control plane.
pub const METRICS: &[Metric] = &[
    Metric::counter(
        "halyard_edge_cache_damaged_total",
        "Caches that were replaced by an empty one because their contents contradicted each other.",
    ),
    Metric::counter(
        "halyard_edge_cache_dropped_total",
        "Times that changes of an environment were dropped because too much waited for the disk.",
    ),
    Metric::counter(
        "halyard_edge_cache_failures_total",
        "Attempts to open or write the cache that failed.",
    ),
    Metric::gauge(
        "halyard_edge_cache_missing_environments",
        "Environments that are served and not in the cache as they are served.",
    ),
    Metric::counter(
        "halyard_edge_cache_refills_total",
        "Environments that were asked for because they were missing in the cache.",
    ),
    Metric::gauge(
        "halyard_edge_certificate_days",
        "Days for which that certificate is valid in all.",
    ),
    Metric::gauge(
        "halyard_edge_certificate_days_left",
        "Days until the certificate ends with which this edge connects next.",
    ),
    Metric::gauge(
        "halyard_edge_certificate_refused",
        "1 while the control plane does not let this edge in, by reason, else 0.",
    ),
    Metric::counter(
        "halyard_edge_certificate_renewals_total",
        "Attempts to renew the certificate of this edge, by result.",
    )
    .by("result", &["renewed", "failed"]),
    Metric::gauge(
        "halyard_edge_connected",
        "1 while the edge has a link to a control plane, else 0.",
    ),
    Metric::counter(
        "halyard_edge_defaults_dropped_total",
        "Reports of a caller's default that were dropped because too many others came between two reports.",
    ),
    Metric::gauge(
        "halyard_edge_environments",
        "Environments that the edge holds.",
    ),
    Metric::counter(
        "halyard_edge_environments_dropped_total",
        "Environments that an edge on demand dropped to save memory.",
    ),
    Metric::counter(
        "halyard_edge_evaluations_dropped_total",
        "Evaluations whose counts were dropped because too much usage waited to be stored.",
    ),
    Metric::counter(
        "halyard_edge_files_read_total",
        "Times that an edge without a control plane read its files because they had changed, by result.",
    )
    .by("result", &["served", "wrong"]),
    Metric::counter(
        "halyard_edge_files_usage_failures_total",
        "Batches of usage that could not be written to the file that was named for them.",
    ),
    Metric::gauge(
        "halyard_edge_files_wrong",
        "1 while the files of an edge without a control plane are wrong, and what was read before is served, else 0.",
    ),
    Metric::counter(
        "halyard_edge_flag_evaluations_total",
        "Evaluations of an edge without a control plane, by flag, reason and variant; flags that do not exist are one.",
    )
    .by("flag", &[]),
    Metric::gauge(
        "halyard_edge_held_bytes",
        "Bytes of memory that the environments take which the edge holds (an estimate).",
    ),
    Metric::counter(
        "halyard_edge_impressions_dropped_total",
        "Impressions that were dropped because too many came between two reports, or waited to be stored.",
    ),
    Metric::counter(
        "halyard_edge_impressions_total",
        "Impressions that an edge without a control plane was told of.",
    ),
    Metric::counter(
        "halyard_edge_key_lookups_late_total",
        "Questions about API keys that were not answered in time.",
    ),
    Metric::counter(
        "halyard_edge_key_lookups_refused_total",
        "Questions about API keys for which there was no room, by the bound that was reached.",
    )
    .by("bound", &["network", "shared"]),
    Metric::counter(
        "halyard_edge_link_failures_total",
        "Links to a control plane that failed or could not be made.",
    ),
    Metric::gauge(
        "halyard_edge_load_ratio",
        "How full this edge is, 0 to 1: open connections over their limit, or processor time over that of its cores, if that is more.",
    ),
    Metric::counter(
        "halyard_edge_patterns_left_out_total",
        "Regular expressions that never match because they are too large, counted for each version of an environment.",
    ),
    Metric::counter(
        "halyard_edge_pushes_total",
        "Pushes that arrived, by what became of them.",
    )
    .by("outcome", &["applied", "removed", "resync", "ignored"]),
    Metric::counter(
        "halyard_edge_rate_limited_total",
        "Evaluation requests that were refused because their API key is beyond its rate.",
    ),
    Metric::gauge("halyard_edge_ready", "1 when the edge can serve, else 0."),
    Metric::counter(
        "halyard_edge_refused_environments_total",
        "Whole environments that cannot be used; the previous version is kept.",
    ),
    Metric::counter(
        "halyard_edge_refused_frames_total",
        "Pushes that were no messages.",
    ),
    Metric::counter(
        "halyard_edge_refused_signatures_total",
        "Contents that were refused because of their signature, by reason; the previous ones are kept.",
    )
    .by("reason", &["missing", "unknown", "wrong", "older"]),
    Metric::counter(
        "halyard_edge_rehearsed_failures_total",
        "Requests that failed on purpose because an outage is rehearsed with their API key.",
    ),
    Metric::gauge(
        "halyard_edge_rehearsals",
        "Rehearsals of an outage that go on.",
    ),
    Metric::counter(
        "halyard_edge_questions_total",
        "Questions about samples, by outcome.",
    )
    .by(
        "outcome",
        &["answered", "not_sampled", "draft_refused", "busy"],
    ),
    Metric::gauge(
        "halyard_edge_sampled_bytes",
        "Memory that samples of requests take.",
    ),
    Metric::counter(
        "halyard_edge_samples_total",
        "Requests that were taken as samples; some are dropped later.",
    ),
    Metric::gauge(
        "halyard_edge_snapshot_age_seconds",
        "Seconds that what the edge serves may be old, counted from the control plane's last look into the database.",
    ),
    Metric::gauge("halyard_edge_streams", "Open event streams."),
    Metric::gauge(
        "halyard_edge_usage_batches",
        "Batches of usage that the control plane has not stored yet.",
    ),
    Metric::counter(
        "halyard_edge_usage_batches_damaged_total",
        "Batches of usage that could not be read from the disk.",
    ),
];
