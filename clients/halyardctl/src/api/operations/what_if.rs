//! What a draft would have changed of real traffic.

use super::Operation;

pub const GET_SAMPLING: Operation = Operation::new(
    "GET",
    "/v1/projects/{projectID}/environments/{envID}/sampling",
);
pub const ASK_WHAT_IF: Operation = Operation::new(
    "POST",
    "/v1/projects/{projectID}/environments/{envID}/what-if",
)
.body(&["changes", "wait_seconds"]);
pub const GET_WHAT_IF: Operation = Operation::new(
    "GET",
    "/v1/projects/{projectID}/environments/{envID}/what-if/{questionID}",
);

pub(super) const USED_OF_WHAT_IF: &[&Operation] = &[&GET_SAMPLING, &ASK_WHAT_IF, &GET_WHAT_IF];
