//! Flags and their states.

use super::{CHANGE, Operation, TRIED_CHANGE};

const FLAGS: &str = "/v1/projects/{projectID}/flags";
const FLAG: &str = "/v1/projects/{projectID}/flags/{flagKey}";
const STATE: &str = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}";

pub const LIST_ARCHIVED_FLAGS: Operation =
    Operation::new("GET", FLAGS).query(&["archived", "limit", "offset"]);
pub const LIST_FLAGS: Operation =
    Operation::new("GET", "/v1/projects/{projectID}/overview").query(&[
        "q", "tag", "type", "env_id", "state", "stale", "sort", "order", "limit", "offset",
    ]);
pub const GET_FLAG: Operation = Operation::new("GET", FLAG);
pub const CREATE_FLAG: Operation = Operation::new("POST", FLAGS).query(CHANGE).body(&[
    "key",
    "name",
    "description",
    "flag_type",
    "default_value",
    "tags",
    "prerequisites",
    "mutual_exclusion_group",
    "permanent",
]);
pub const UPDATE_FLAG: Operation = Operation::new("PUT", FLAG)
    .query(TRIED_CHANGE)
    .body(&[
        "name",
        "description",
        "default_value",
        "tags",
        "prerequisites",
        "mutual_exclusion_group",
        "permanent",
    ])
    .if_match();
pub const DELETE_FLAG: Operation = Operation::new("DELETE", FLAG).query(CHANGE).if_match();
pub const ARCHIVE_FLAG: Operation =
    Operation::new("POST", "/v1/projects/{projectID}/flags/{flagKey}/archive")
        .query(CHANGE)
        .if_match();
pub const RESTORE_FLAG: Operation =
    Operation::new("POST", "/v1/projects/{projectID}/flags/{flagKey}/restore")
        .query(CHANGE)
        .if_match();

pub const GET_STATE: Operation = Operation::new("GET", STATE);
pub const UPDATE_STATE: Operation = Operation::new("PUT", STATE)
    .query(TRIED_CHANGE)
    .body(&[
        "enabled",
        "default_value",
        "rules",
        "percentage_rollout",
        "variants",
        "scheduled_enable_at",
        "scheduled_disable_at",
    ])
    .if_match();
pub const KILL_FLAG: Operation =
    Operation::new("POST", "/v1/projects/{projectID}/flags/{flagKey}/kill")
        .query(CHANGE)
        .body(&["env_id"])
        .if_match();
pub const ROLL_BACK_FLAG: Operation =
    Operation::new("POST", "/v1/projects/{projectID}/flags/{flagKey}/rollback")
        .query(TRIED_CHANGE)
        .body(&["env_id", "version"])
        .if_match();
pub const PROMOTE_FLAG: Operation =
    Operation::new("POST", "/v1/projects/{projectID}/flags/{flagKey}/promote")
        .query(TRIED_CHANGE)
        .body(&["source_env_id", "target_env_id", "variants"])
        .if_match();

pub const LIST_HISTORY: Operation =
    Operation::new("GET", "/v1/projects/{projectID}/flags/{flagKey}/history")
        .query(&["env_id", "limit", "offset"]);
pub const GET_VERSION: Operation = Operation::new(
    "GET",
    "/v1/projects/{projectID}/flags/{flagKey}/history/{version}",
)
.query(&["env_id"]);
pub const LIST_STALE_FLAGS: Operation =
    Operation::new("GET", "/v1/projects/{projectID}/stale-flags")
        .query(&["reason", "env_id", "days", "limit", "offset"]);
pub const EXPLAIN: Operation = Operation::new("POST", "/v1/explain").body(&[
    "project_id",
    "env_id",
    "flag_key",
    "context",
    "version",
]);

pub(super) const USED_OF_FLAGS: &[&Operation] = &[
    &LIST_ARCHIVED_FLAGS,
    &LIST_FLAGS,
    &GET_FLAG,
    &CREATE_FLAG,
    &UPDATE_FLAG,
    &DELETE_FLAG,
    &ARCHIVE_FLAG,
    &RESTORE_FLAG,
    &GET_STATE,
    &UPDATE_STATE,
    &KILL_FLAG,
    &ROLL_BACK_FLAG,
    &PROMOTE_FLAG,
    &LIST_HISTORY,
    &GET_VERSION,
    &LIST_STALE_FLAGS,
    &EXPLAIN,
];
