//! Descriptions of the control plane's metrics.

use serving::telemetry::Metric;

use crate::mail::KINDS;

/// The metrics of a control plane besides those of its link and of its built-in edge.
pub const METRICS: &[Metric] = &[
    Metric::counter(
        "halyard_compile_failures_total",
        "Versions of environments that could not be compiled or sent.",
    ),
    Metric::summary(
        "halyard_compile_seconds",
        "Seconds that compiling an environment took, by kind.",
    ),
    Metric::gauge(
        "halyard_compiled_environments",
        "Environments of which compiled contents are kept.",
    ),
    Metric::counter(
        "halyard_database_busy_total",
        "Requests that got 503 because the database was busy, by reason.",
    )
    .by(
        "reason",
        &[
            "share",
            "connection",
            "lock",
            "statement",
            "idle",
            "deadlock",
            "serialization",
            "unavailable",
        ],
    ),
    Metric::gauge(
        "halyard_database_connections",
        "Open connections to the database, by pool and state.",
    ),
    Metric::gauge(
        "halyard_database_connections_max",
        "Connections to the database that a pool may open.",
    ),
    Metric::gauge(
        "halyard_database_requests_waiting",
        "Requests that wait for a connection to the database.",
    ),
    Metric::counter(
        "halyard_database_rewinds_total",
        "Rewinds of the database that this replica found, by proof.",
    )
    .by(
        "proof",
        &[
            "mark", "log", "version", "digest", "edge", "data", "identity",
        ],
    ),
    Metric::counter(
        "halyard_digest_mismatches_total",
        "Versions that were read with other contents than they had.",
    ),
    Metric::gauge(
        "halyard_edges_connected",
        "Edges connected to this replica, directly or through relays, without the built-in one.",
    ),
    Metric::gauge(
        "halyard_environments_left_out",
        "Environments that cannot be compiled or sent; nothing newer of them reaches any edge.",
    ),
    Metric::counter(
        "halyard_failed_logins_untold_total",
        "Failed logins that count, but that no audit trail tells of.",
    ),
    Metric::counter(
        "halyard_gateway_events_total",
        "Events of payment gateways, by outcome.",
    )
    .by("outcome", &["done", "repeated", "ignored"]),
    Metric::gauge(
        "halyard_hub_lock_longest_seconds",
        "The longest time that the lock of all sessions with edges was held since the last update.",
    ),
    Metric::summary(
        "halyard_hub_lock_seconds",
        "Seconds of each five that the lock of all sessions with edges was held.",
    ),
    Metric::counter(
        "halyard_impressions_dropped_total",
        "Impressions that were dropped because the buffer of an organization was full.",
    ),
    Metric::summary(
        "halyard_job_duration_seconds",
        "Seconds that runs of a job took which succeeded.",
    ),
    Metric::counter("halyard_job_failures_total", "Runs of a job that failed.").by("task", &[]),
    Metric::gauge(
        "halyard_job_last_success_timestamp_seconds",
        "When a run of a job last succeeded on this replica, in seconds of Unix time.",
    ),
    Metric::gauge(
        "halyard_kept_whole_bytes",
        "Bytes of whole environments that are kept encoded for other edges.",
    ),
    Metric::gauge(
        "halyard_clock_ahead_seconds",
        "By how many seconds this machine's clock is ahead of the database's.",
    ),
    Metric::gauge("halyard_leads", "1 while this replica leads, else 0."),
    Metric::gauge(
        "halyard_left_after_answers",
        "Pieces of work that are left to do after answers, by kind.",
    ),
    Metric::summary(
        "halyard_look_seconds",
        "Seconds that a poll for changes took.",
    ),
    Metric::gauge(
        "halyard_mail_oldest_seconds",
        "Seconds since the oldest mail that is due, or was tried, was queued.",
    ),
    Metric::counter(
        "halyard_mails_given_up_total",
        "Mails that nobody will get, by kind.",
    )
    .by("kind", KINDS),
    Metric::counter(
        "halyard_mails_sent_total",
        "Mails that the mail server accepted, by kind.",
    )
    .by("kind", KINDS),
    Metric::gauge(
        "halyard_mails_waiting",
        "Mails that are due, or were tried without success.",
    ),
    Metric::counter(
        "halyard_organizations_deleted_total",
        "Organizations that were deleted, by how.",
    )
    .by("how", &["soft", "by_owner", "permanent"]),
    Metric::counter(
        "halyard_organizations_restored_total",
        "Organizations that a login restored.",
    ),
    Metric::counter(
        "halyard_outbound_calls_total",
        "Calls to other services after all attempts, by service and outcome.",
    )
    .by("service", &[]),
    Metric::histogram(
        "halyard_propagation_seconds",
        "Seconds from the commit of a change of an environment to the acknowledgement of an edge that was connected; above 10 without one.",
    ),
    Metric::counter(
        "halyard_schedule_failures_total",
        "Attempts to enable or disable a flag as scheduled that failed.",
    ),
    Metric::summary(
        "halyard_schedule_lateness_seconds",
        "Seconds between the time for which a flag was scheduled and the change.",
    ),
    Metric::counter(
        "halyard_subscriptions_ended_total",
        "Subscriptions that time alone has changed, by what they became.",
    )
    .by("to", &["past_due", "canceled"]),
    Metric::counter("halyard_trials_ended_total", "Trials that became Free."),
    Metric::counter(
        "halyard_unreadable_stored_values_total",
        "Stored values of flags that could not be read.",
    ),
    Metric::counter(
        "halyard_told_defaults_dropped_total",
        "Defaults of callers that were not stored: too many others, or of environments that are gone or outside the edge's regions.",
    ),
    Metric::counter(
        "halyard_usage_batches_stored_total",
        "Batches of usage that were stored, or were known already.",
    ),
    Metric::counter(
        "halyard_usage_dropped_total",
        "Counts and impressions of environments that are gone or outside the edge's regions.",
    ),
    Metric::counter(
        "halyard_webhook_attempts_total",
        "Attempts to deliver to webhooks, by outcome.",
    )
    .by("outcome", &["delivered", "retried", "failed"]),
    Metric::counter(
        "halyard_webhook_events_dropped_total",
        "Events that found no room in the queue of a webhook.",
    ),
];

/// For each edge that is connected to this replica.
pub const METRICS_OF_EDGES: &[Metric] = &[
    Metric::gauge(
        "halyard_connected_edge",
        "1, for each edge that is connected to this replica.",
    ),
    Metric::gauge(
        "halyard_connected_edge_environments",
        "Environments that an edge holds.",
    ),
    Metric::gauge(
        "halyard_connected_edge_environments_behind",
        "Environments that an edge holds and that have a newer version.",
    ),
    Metric::gauge(
        "halyard_connected_edge_rtt_seconds",
        "Round-trip time to an edge in seconds; 0 until it is known, and of the built-in edge.",
    ),
    Metric::gauge(
        "halyard_connected_edge_streams",
        "Open event streams of an edge.",
    ),
];
