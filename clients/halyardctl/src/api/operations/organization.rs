//! What belongs to the whole organization: the caller, the audit log, edges, events, imports.

use super::Operation;

/// The fields of a source to import from.
const SOURCE: &[&str] = &[
    "provider",
    "api_key",
    "base_url",
    "project_key",
    "target_project_id",
    "environments",
    "buckets",
];

pub const ME: Operation = Operation::new("GET", "/v1/me");
pub const LIST_AUDIT_ENTRIES: Operation = Operation::new("GET", "/v1/audit").query(&[
    "project_id",
    "env_id",
    "action",
    "resource_type",
    "resource_id",
    "actor_id",
    "from",
    "to",
    "q",
    "limit",
    "offset",
]);
pub const LIST_EDGES: Operation = Operation::new("GET", "/v1/edges");
pub const LIST_WAVES: Operation =
    Operation::new("GET", "/v1/edges/waves").query(&["env_id", "limit"]);
pub const STREAM_EVENTS: Operation = Operation::new("GET", "/v1/events");

pub const ANALYZE_IMPORT: Operation = Operation::new("POST", "/v1/migration/analyze")
    .body(SOURCE)
    .slow();
pub const EXECUTE_IMPORT: Operation = Operation::new("POST", "/v1/migration/execute")
    .query(&["dry_run"])
    .body(SOURCE)
    .slow();
pub const GET_IMPORT: Operation = Operation::new("GET", "/v1/migration/status/{id}");
pub const GET_IMPORT_REPORT: Operation =
    Operation::new("GET", "/v1/migration/{id}/report").query(&["verdict", "limit", "offset"]);

pub(super) const USED_OF_ORGANIZATION: &[&Operation] = &[
    &ME,
    &LIST_AUDIT_ENTRIES,
    &LIST_EDGES,
    &LIST_WAVES,
    &STREAM_EVENTS,
    &ANALYZE_IMPORT,
    &EXECUTE_IMPORT,
    &GET_IMPORT,
    &GET_IMPORT_REPORT,
];
