//! Change sets.

use super::{CHANGE, Operation};

const SETS: &str = "/v1/projects/{projectID}/change-sets";
const SET: &str = "/v1/projects/{projectID}/change-sets/{changeSetID}";

pub const LIST_CHANGE_SETS: Operation =
    Operation::new("GET", SETS).query(&["status", "limit", "offset"]);
pub const GET_CHANGE_SET: Operation = Operation::new("GET", SET);
pub const CREATE_CHANGE_SET: Operation =
    Operation::new("POST", SETS).body(&["name", "description", "changes"]);
pub const DELETE_CHANGE_SET: Operation = Operation::new("DELETE", SET).if_match();
pub const GET_CHANGE_SET_DIFF: Operation = Operation::new(
    "GET",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/diff",
);
pub const REQUEST_CHANGE_SET: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/request",
)
.if_match();
pub const REVIEW_CHANGE_SET: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/review",
)
.body(&["action", "note", "seen_version"])
.if_match();
pub const APPLY_CHANGE_SET: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/apply",
)
.query(CHANGE)
.body(&["at", "seen_version"])
.if_match();
pub const UNDO_CHANGE_SET: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/undo",
)
.if_match();
pub const REOPEN_CHANGE_SET: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/change-sets/{changeSetID}/reopen",
)
.if_match();

pub(super) const USED_OF_CHANGE_SETS: &[&Operation] = &[
    &LIST_CHANGE_SETS,
    &GET_CHANGE_SET,
    &CREATE_CHANGE_SET,
    &DELETE_CHANGE_SET,
    &GET_CHANGE_SET_DIFF,
    &REQUEST_CHANGE_SET,
    &REVIEW_CHANGE_SET,
    &APPLY_CHANGE_SET,
    &UNDO_CHANGE_SET,
    &REOPEN_CHANGE_SET,
];
