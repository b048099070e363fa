"""The faults that record.py causes, and the alerts that each fires: these, and no others."""

# Each name is a function of faults.py and a file in recorded/.
FIRES = {
    "quiet": set(),
    "replica_loses_database": {"HalyardDatabaseLost"},
    "database_stopped": {"HalyardDatabaseLost"},
    "database_locked": {"HalyardDatabaseBusy"},
    "leader_killed": {"HalyardTargetDown"},
    "leader_frozen": {"HalyardTargetDown"},
    "relay_frozen": {"HalyardTargetDown"},
    "control_planes_killed": {"HalyardAllDown"},
    "edge_killed": {"HalyardTargetDown"},
    "unscraped_edge_killed": {"HalyardEdgesMissing"},
    "edge_cut_off": {"HalyardEdgeDisconnected"},
    "lines_slow": {"HalyardEdgeBehind", "HalyardPropagationSlow", "HalyardUsageWaiting"},
    "edge_revoked": {"HalyardEdgeCertificateRefused"},
    "edge_disk_full": {"HalyardEdgeCacheFailing"},
    "edge_full": {"HalyardEdgeFull"},
    "clock_ahead": {"HalyardClockWrong"},
    # The load goes on writing there.
    "environment_too_large": {"HalyardEnvironmentLeftOut", "HalyardPropagationSlow"},
    "mail_server_away": {"HalyardMailsFailing"},
    "webhook_failing": {"HalyardWebhooksFailing"},
    "usage_locked": {"HalyardUsageWaiting"},
    "job_locked": {"HalyardJobOverdue"},
    "table_missing": {"HalyardServerErrors"},
    "contents_changed": {"HalyardDatabaseRewound"},
    "failed_over": {"HalyardDatabaseRewound"},
}

# Alerts whose cause cannot be produced in minutes: hand-written series, added to those of a healthy control plane.
EDGE = '{job="halyard-edge",instance="edge-1"}'
# What is beside each of them, and fires nothing: a certificate for a month that is not due for renewal.
BESIDE = [
    'halyard_edge_certificate_days{job="halyard-edge",instance="edge-2"} 30x3000',
    'halyard_edge_certificate_days_left{job="halyard-edge",instance="edge-2"} 8x3000',
]
WRITTEN = {
    "HalyardNoLeader": ['halyard_leads{job="halyard",instance="control-1"} 0x3000'],
    "HalyardTwoLeaders": ['halyard_leads{job="halyard",instance="control-2"} 1x3000'],
    "HalyardVersionsMixed": [
        'halyard_build_info{job="halyard",instance="control-1",version="0.2.0",commit="a"} 1x3000',
        'halyard_build_info{job="halyard",instance="control-2",version="0.3.0",commit="b"} 1x3000',
    ],
    "HalyardFilesRunOut": [f"process_open_fds{EDGE} 900x3000", f"process_max_fds{EDGE} 1024x3000"],
    "HalyardSchedulesFailing": ['halyard_schedule_failures_total{job="halyard",instance="control-1"} 0+1x3000'],
    "HalyardManagementUnavailable": [
        'halyard_http_requests_total{job="halyard",instance="control-1",route="/v1/me",method="GET",status="503"} 0+3x3000',
        'halyard_http_requests_total{job="halyard",instance="control-1",route="/v1/me",method="GET",status="200"} 0+7x3000',
    ],
    "HalyardEdgeStale": [f"halyard_edge_connected{EDGE} 1x3000", f"halyard_edge_snapshot_age_seconds{EDGE} 3x2900 40x20 3x60"],
    "HalyardEdgeNotReady": [f"halyard_edge_ready{EDGE} 0x3000"],
    "HalyardEdgeBehind": ['halyard_connected_edge_environments_behind{job="halyard",instance="control-1",edge="edge-1"} 2x3000'],
    "HalyardEdgeRefusesContents": [
        f"halyard_edge_refused_environments_total{EDGE} 0x500 1x500",
        f"halyard_edge_refused_frames_total{EDGE} 0x3000",
    ],
    "HalyardEdgeRefusesSignatures": [f"halyard_edge_refused_signatures_total{EDGE} 0+1x3000"],
    "HalyardEdgeCertificateEnds": [
        f"halyard_edge_certificate_days{EDGE} 730x3000",
        f"halyard_edge_certificate_days_left{EDGE} 29x3000",
    ],
    "HalyardEdgeCacheDamaged": [f"halyard_edge_cache_damaged_total{EDGE} 0x500 1x500"],
    "HalyardUsageDropped": [
        f"halyard_edge_evaluations_dropped_total{EDGE} 0+1x3000",
        f"halyard_edge_impressions_dropped_total{EDGE} 0x3000",
    ],
    "HalyardDigestMismatch": ['halyard_digest_mismatches_total{job="halyard",instance="control-1"} 0x500 1x500'],
    "HalyardMailsWaiting": [
        'halyard_mails_waiting{job="halyard",instance="control-1"} 2x3000',
        'halyard_mails_sent_total{job="halyard",instance="control-1",kind="welcome"} 7x3000',
        'halyard_mails_given_up_total{job="halyard",instance="control-1",kind="welcome"} 0x3000',
    ],
    "HalyardGatewayFailing": [
        'halyard_outbound_calls_total{job="halyard",instance="control-1",service="gateway_form",outcome="failed"} 0+1x3000',
        'halyard_outbound_calls_total{job="halyard",instance="control-1",service="gateway_form",outcome="done"} 0+1x3000',
    ],
    "HalyardLoginsUnrecorded": ['halyard_failed_logins_untold_total{job="halyard",instance="control-1"} 0x500 9x500'],
    "HalyardEvaluationSlow": [
        'halyard_http_request_duration_seconds_count{job="halyard-edge",instance="edge-1",route="/v1/evaluate",method="POST"} 0+100x3000',
        'halyard_http_request_duration_seconds_bucket{job="halyard-edge",instance="edge-1",route="/v1/evaluate",method="POST",le="0.005"} 0+80x3000',
    ],
    "HalyardEvaluationErrors": [
        'halyard_http_requests_total{job="halyard-edge",instance="edge-1",route="/v1/evaluate",method="POST",status="503"} 0+1x3000',
        'halyard_http_requests_total{job="halyard-edge",instance="edge-1",route="/v1/evaluate",method="POST",status="200"} 0+99x3000',
    ],
}
