"""Writes the dashboards from the table below: `dashboards.py FOLDER`.

A board has rows, a row has panels: title, unit, then pairs of an expression and the name of its series, or the SQL of a table. In
expressions [] stands for the window of rates, and a selector `{i}` or `{i,...}` for the chosen instances.
"""

import json
import pathlib
import sys

HTTP = "halyard_http_requests_total"
MANAGEMENT = '{i,job="halyard",route!~"/health|/ready|/metrics|/v1/evaluate.*|/v1/client/.+|/ofrep/.+|.*stream.*"}'
EVALUATION = '{i,route=~"/v1/evaluate.*|/v1/client/.+|/ofrep/v1/evaluate/.+"}'


def quantiles(summary, legend="{{instance}}"):
    return [(f'max by (instance) ({summary}{{i,quantile="{quantile}"}})', f"{legend} p{quantile[2:]}") for quantile in ("0.5", "0.99")]


def latency(selector, legend, quantile="0.99"):
    by = legend.strip("{}")
    inner = f"sum by (le, {by}) (rate(halyard_http_request_duration_seconds_bucket{selector}[]))"
    return (f"histogram_quantile({quantile}, {inner})", f"{legend} p{quantile[2:]}")


# No metric names a tenant: there may be very many. So the largest are looked up, by the index of each organization.
USED = """SELECT slug AS organization, plan, used.value
FROM organizations, LATERAL (SELECT {} AS value FROM {} WHERE org_id = organizations.id{}) AS used
WHERE value > 0 ORDER BY value DESC LIMIT 20"""
BOARDS = {
    "service": (
        "Halyard: service",
        {
            "Is it all right?": [
                ("Control planes that see the database", "stat", ("halyard:control_planes_sighted:count", "control planes")),
                ("Leaders", "stat", ("halyard:leads:sum", "leaders")),
                ("Edges connected", "stat", ("halyard:edges_connected:sum", "edges")),
                ("Processes down", "stat", ('sum(1 - up{job=~"halyard|halyard-edge"})', "down")),
                (
                    "Evaluation error budget used (1 = as fast as allowed)",
                    "short",
                    ("job:halyard_evaluation_errors:ratio_rate1h / 0.0005", "errors, {{job}}"),
                    ("job:halyard_single_evaluations_slow:ratio_rate1h / 0.01", "slow, {{job}}"),
                ),
                ("Propagation error budget used (1 = as fast as allowed)", "short", ("job:halyard_propagations_slow:ratio_rate1h / 0.01", "slow")),
            ],
            "Evaluations": [
                ("Answers by status", "reqps", (f"sum by (status) (rate({HTTP}{EVALUATION}[]))", "{{status}}")),
                ("Answers by instance", "reqps", (f"sum by (instance) (rate({HTTP}{EVALUATION}[]))", "{{instance}}")),
                ("Latency of one flag", "s", latency('{i,route="/v1/evaluate"}', "{{instance}}", "0.5"), latency('{i,route="/v1/evaluate"}', "{{instance}}")),
                ("Latency by route, 99th percentile", "s", latency(EVALUATION, "{{route}}")),
            ],
            "Management": [
                ("Answers by status", "reqps", (f"sum by (status) (rate({HTTP}{MANAGEMENT}[]))", "{{status}}")),
                ("5xx by route", "reqps", (f'sum by (route, status) (rate({HTTP}{{i,job="halyard",status=~"5.."}}[]))', "{{route}} {{status}}")),
                ("Slowest routes, 99th percentile", "s", (f"topk(10, {latency(MANAGEMENT, '{{route}}')[0]})", "{{route}}")),
                ("Work left after answers", "short", ("sum by (kind) (halyard_left_after_answers{i})", "{{kind}}")),
            ],
            "Processes": [
                ("Processor time", "percentunit", ('rate(process_cpu_seconds_total{i,job=~"halyard|halyard-edge"}[])', "{{instance}}")),
                ("Memory", "bytes", ('process_resident_memory_bytes{i,job=~"halyard|halyard-edge"}', "{{instance}}")),
                ("Open files of those allowed", "percentunit", ('process_open_fds{i,job=~"halyard|halyard-edge"} / process_max_fds', "{{instance}}")),
                ("Builds", "short", ("count by (job, version, commit) (halyard_build_info{i})", "{{job}} {{version}} {{commit}}")),
            ],
        },
    ),
    "edges": (
        "Halyard: edges and waves",
        {
            "Do changes arrive?": [
                ("Age of what edges serve", "s", ("halyard_edge_snapshot_age_seconds{i}", "{{instance}}")),
                ("Without a link", "short", ("1 - halyard_edge_connected{i}", "{{instance}}")),
                ("Environments behind", "short", ("max by (edge) (halyard_connected_edge_environments_behind{i})", "{{edge}}")),
                (
                    "From a commit to the acknowledgement of edges",
                    "s",
                    *((f"histogram_quantile({q}, sum by (le) (rate(halyard_propagation_seconds_bucket{{i}}[])))", f"p{q[2:]}") for q in ("0.5", "0.99")),
                ),
                ("From a push to its acknowledgement", "s", *quantiles("halyard_acknowledgement_seconds")),
                ("Pushes", "ops", ("sum by (instance, kind) (rate(halyard_pushes_total{i}[]))", "{{instance}} {{kind}}")),
                (
                    "Pushes that edges did not simply apply",
                    "ops",
                    ('sum by (instance, outcome) (rate(halyard_edge_pushes_total{i,outcome!="applied"}[]))', "{{instance}} {{outcome}}"),
                    ("sum by (instance) (rate(halyard_unanswered_pushes_total{i}[]))", "{{instance}} unanswered"),
                ),
                ("Bytes pushed", "Bps", ("sum by (instance) (rate(halyard_pushed_bytes_total{i}[]))", "{{instance}}")),
                ("Waits of writes that timed out", "ops", ("sum by (instance) (rate(halyard_snapshot_waits_missed_total{i}[]))", "{{instance}}")),
            ],
            "Links": [
                ("Edges by control plane", "short", ("halyard_edges_connected{i}", "{{instance}}")),
                ("Round-trip time", "s", ("max by (edge) (halyard_connected_edge_rtt_seconds{i})", "{{edge}}")),
                ("Failed links and attempts", "ops", ("sum by (instance) (rate(halyard_edge_link_failures_total{i}[]))", "{{instance}}")),
                ("Refused connections", "ops", ("sum by (reason) (rate(halyard_link_refused_total{i}[]))", "{{reason}}")),
            ],
            "Edges": [
                ("How full", "percentunit", ("halyard_edge_load_ratio{i}", "{{instance}}")),
                ("Environments", "short", ("halyard_edge_environments{i}", "{{instance}}")),
                ("Memory of environments", "bytes", ("halyard_edge_held_bytes{i}", "{{instance}}")),
                ("Event streams", "short", ("halyard_edge_streams{i}", "{{instance}}")),
                ("Missing in the cache", "short", ("halyard_edge_cache_missing_environments{i}", "{{instance}}")),
                ("Certificate ends in", "d", ("halyard_edge_certificate_days_left{i}", "{{instance}}")),
                ("Look-ups of API keys", "ops", ("sum by (result) (rate(halyard_key_lookups_total{i}[]))", "{{result}}")),
                ("Usage batches that wait", "short", ("halyard_edge_usage_batches{i}", "{{instance}}")),
                (
                    "Usage dropped",
                    "ops",
                    ("sum by (instance) (rate(halyard_edge_evaluations_dropped_total{i}[]))", "{{instance}} counts"),
                    ("sum by (instance) (rate(halyard_edge_impressions_dropped_total{i}[]))", "{{instance}} impressions"),
                ),
            ],
        },
    ),
    "tenants": (
        "Halyard: tenants",
        {
            "Limits that tenants reach": [
                ("Evaluations over the rate of their key", "reqps", ("sum by (instance) (rate(halyard_edge_rate_limited_total{i}[]))", "{{instance}}")),
                ("Connections refused", "reqps", ("sum by (instance, bound) (rate(halyard_connections_refused_total{i}[]))", "{{instance}} {{bound}}")),
                ("Requests over the share of their organization", "reqps", ('sum(rate(halyard_database_busy_total{i,reason="share"}[]))', "share")),
                (
                    "Organizations that end, in a day",
                    "short",
                    ("sum by (how) (increase(halyard_organizations_deleted_total{i}[1d]))", "deleted, {{how}}"),
                    ("sum(increase(halyard_organizations_restored_total{i}[1d]))", "restored"),
                    ("sum(increase(halyard_trials_ended_total{i}[1d]))", "trials ended"),
                ),
            ],
            "Organizations, from the database (the last day where it is not said)": [
                ("Most evaluations", "table", USED.format("sum(count)", "evaluation_series", " AND step = 3600 AND starts_at >= now() - interval '1 day'")),
                ("Most flags", "table", USED.format("sum(flag_count)", "projects", "")),
                ("Largest compiled environments, bytes", "table", USED.format("max(state_bytes)", "environments", "")),
                ("Most written to the audit log, bytes", "table", USED.format("sum(bytes)", "audit_budgets", " AND day >= current_date")),
                ("Webhook deliveries that wait", "table", USED.format("sum(pending)", "webhook_lanes", " AND due_at IS NOT NULL")),
                ("Plans", "table", "SELECT plan, count(*) AS organizations FROM organizations WHERE deleted_at IS NULL GROUP BY plan ORDER BY plan"),
            ],
        },
    ),
    "jobs": (
        "Halyard: jobs",
        {
            "Jobs": [
                ("Leader", "short", ("halyard_leads{i}", "{{instance}}")),
                ("Since the last success", "s", ("time() - max by (task) (halyard_job_last_success_timestamp_seconds{i})", "{{task}}")),
                ("Failed runs", "ops", ("sum by (task) (rate(halyard_job_failures_total{i}[])) > 0", "{{task}}")),
                ("Duration, 99th percentile", "s", ('max by (task) (halyard_job_duration_seconds{i,quantile="0.99"})', "{{task}}")),
            ],
            "Schedules": [
                ("Lateness", "s", *quantiles("halyard_schedule_lateness_seconds")),
                ("Failed attempts", "ops", ("sum(rate(halyard_schedule_failures_total{i}[]))", "failed")),
            ],
        },
    ),
    "database": (
        "Halyard: database and publishing",
        {
            "Database": [
                ("Not seen", "short", ("instance:halyard_database_lost:bool{i}", "{{instance}}")),
                ("503 for a busy database", "reqps", ("sum by (reason) (rate(halyard_database_busy_total{i}[]))", "{{reason}}")),
                ("Connections in use", "short", ('sum by (instance, pool) (halyard_database_connections{i,state="in_use"})', "{{instance}} {{pool}}")),
                ("Requests that wait for a connection", "short", ("halyard_database_requests_waiting{i}", "{{instance}}")),
                ("Polls for changes", "s", *quantiles("halyard_look_seconds")),
                ("Clock ahead of the database's", "s", ("halyard_clock_ahead_seconds{i}", "{{instance}}")),
                (
                    "Rewinds and changed contents, in an hour",
                    "short",
                    ("sum by (proof) (increase(halyard_database_rewinds_total{i}[1h]))", "rewind, {{proof}}"),
                    ("sum(increase(halyard_digest_mismatches_total{i}[1h]))", "changed contents"),
                ),
            ],
            "Publishing": [
                ("Compiling, 99th percentile", "s", ('max by (instance, kind) (halyard_compile_seconds{i,quantile="0.99"})', "{{instance}} {{kind}}")),
                ("Environments that cannot be sent", "short", ("halyard_environments_left_out{i}", "{{instance}}")),
                ("Failures to compile", "ops", ("sum by (instance) (rate(halyard_compile_failures_total{i}[]))", "{{instance}}")),
                ("Longest hold of the lock of edge sessions", "s", ("halyard_hub_lock_longest_seconds{i}", "{{instance}}")),
            ],
        },
    ),
    "billing": (
        "Halyard: billing, webhooks and mail",
        {
            "Payment gateways": [
                ("Calls", "ops", ("sum by (service, outcome) (rate(halyard_outbound_calls_total{i}[]))", "{{service}} {{outcome}}")),
                ("Events received", "ops", ("sum by (outcome) (rate(halyard_gateway_events_total{i}[]))", "{{outcome}}")),
                ("Subscriptions changed by time alone, in a day", "short", ("sum by (to) (increase(halyard_subscriptions_ended_total{i}[1d]))", "{{to}}")),
            ],
            "Webhooks": [
                ("Delivery attempts", "ops", ("sum by (outcome) (rate(halyard_webhook_attempts_total{i}[]))", "{{outcome}}")),
                ("Events dropped by full queues", "ops", ("sum(rate(halyard_webhook_events_dropped_total{i}[]))", "dropped")),
            ],
            "Mail": [
                ("Sent", "ops", ("sum by (kind) (rate(halyard_mails_sent_total{i}[]))", "{{kind}}")),
                ("Given up", "ops", ("sum by (kind) (rate(halyard_mails_given_up_total{i}[]))", "{{kind}}")),
                ("Waiting", "short", ("max(halyard_mails_waiting{i})", "waiting")),
                ("Age of the oldest that waits", "s", ("max(halyard_mail_oldest_seconds{i})", "oldest")),
            ],
        },
    ),
}
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
DATABASE = {"type": "grafana-postgresql-datasource", "uid": "${database}"}
AUDIT = {"type": "yesoreyeram-infinity-datasource", "uid": "${audit}"}
# Shown in all panels.
MARKS = {
    "Alerts": ("red", 'ALERTS{alertname=~"Halyard.+",alertstate="firing"}', "{{alertname}} {{instance}}{{edge}}{{task}}"),
    "Starts": ("blue", 'process_start_time_seconds{job=~"halyard|halyard-edge"} > time() - 60', "{{instance}} started"),
}


def expand(expr):
    return expr.replace("{i}", '{instance=~"$instance"}').replace("{i,", '{instance=~"$instance",').replace("[]", "[$__rate_interval]")


def table(number, place, title, sql):
    target = {"refId": "A", "datasource": DATABASE, "format": "table", "rawQuery": True, "rawSql": sql}
    return {"id": number, "type": "table", "title": title, "gridPos": place, "datasource": DATABASE, "targets": [target]}


def panel(number, place, title, unit, *series):
    if unit == "table":
        return table(number, place, title, *series)
    is_stat = unit == "stat"
    defaults = {"unit": "short" if is_stat else unit, "custom": {} if is_stat else {"fillOpacity": 5, "showPoints": "never"}}
    if not title.startswith("Clock"):
        defaults["min"] = 0
    targets = [
        {"refId": chr(ord("A") + at), "datasource": SOURCE, "expr": expand(expr), "legendFormat": legend, "instant": is_stat, "range": not is_stat}
        for at, (expr, legend) in enumerate(series)
    ]
    options = (
        {"reduceOptions": {"calcs": ["lastNotNull"]}}
        if is_stat
        else {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi", "sort": "desc"}}
    )
    kind = "stat" if is_stat else "timeseries"
    return {
        "id": number,
        "type": kind,
        "title": title,
        "gridPos": place,
        "datasource": SOURCE,
        "fieldConfig": {"defaults": defaults, "overrides": []},
        "options": options,
        "targets": targets,
    }


def mark(name, of):
    color, expr, title = of
    return {"name": name, "enable": True, "iconColor": color, "datasource": SOURCE, "expr": expr, "titleFormat": title}


def changes():
    """What people changed, off until it is asked for: it needs a source of its own (docs/operations.md)."""
    columns = [{"selector": name, "text": name, "type": "timestamp" if name == "time" else "string"} for name in ("time", "title", "text", "tags")]
    target = {
        "refId": "Anno",
        "type": "json",
        "source": "url",
        "parser": "backend",
        "format": "dataframe",
        "url": "/v1/audit/annotations?from=${__timeFrom:date:iso}&to=${__timeTo:date:iso}",
        "url_options": {"method": "GET"},
        "root_selector": "data",
        "columns": columns,
    }
    return {"name": "Changes", "enable": False, "iconColor": "purple", "datasource": AUDIT, "target": target}


def board(name, title, rows):
    panels, y, number = [], 0, 1
    for row, members in rows.items():
        panels.append({"id": number, "type": "row", "title": row, "collapsed": False, "gridPos": {"h": 1, "w": 24, "x": 0, "y": y}, "panels": []})
        number, y, x = number + 1, y + 1, 0
        for member in members:
            width, height = (6, 4) if member[1] == "stat" else (12, 8)
            panels.append(panel(number, {"h": height, "w": width, "x": x, "y": y}, *member))
            number, x = number + 1, x + width
            if x == 24:
                x, y = 0, y + height
        y += 8 if x else 0
    variables = [
        {"name": "datasource", "type": "datasource", "query": "prometheus", "label": "Data source", "hide": 0},
        {
            "name": "instance",
            "type": "query",
            "datasource": SOURCE,
            "query": 'label_values(up{job=~"halyard|halyard-edge"}, instance)',
            "label": "Instance",
            "includeAll": True,
            "allValue": ".*",
            "multi": True,
            "refresh": 2,
            "sort": 1,
            "current": {"text": "All", "value": "$__all"},
        },
        {"name": "audit", "type": "datasource", "query": AUDIT["type"], "label": "Audit log", "hide": 2},
    ]
    has_tables = any(made["type"] == "table" for made in panels)
    if has_tables:
        variables.append({"name": "database", "type": "datasource", "query": DATABASE["type"], "label": "Database", "hide": 0})
    return {
        "uid": f"halyard-{name}",
        "title": title,
        "tags": ["halyard"],
        "schemaVersion": 36,
        "editable": True,
        "refresh": "" if has_tables else "30s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "browser",
        "links": [{"type": "dashboards", "tags": ["halyard"], "title": "Halyard", "asDropdown": True, "includeVars": True, "keepTime": True}],
        "templating": {"list": variables},
        "annotations": {"list": [*(mark(*entry) for entry in MARKS.items()), changes()]},
        "panels": panels,
    }


if __name__ == "__main__":
    for name, (title, rows) in BOARDS.items():
        text = json.dumps(board(name, title, rows), indent=1, ensure_ascii=False)
        (pathlib.Path(sys.argv[1]) / f"{name}.json").write_text(text + "\n")
