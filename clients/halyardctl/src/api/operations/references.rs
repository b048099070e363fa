//! Where flags are named in code.

use super::{Operation, PAGE};

const REFERENCES: &str = "/v1/projects/{projectID}/references";

pub const PUT_REFERENCES: Operation = Operation::new("PUT", REFERENCES)
    .body(&["repository", "branch", "commit", "link", "references"])
    .slow();
pub const LIST_REPOSITORIES: Operation = Operation::new("GET", REFERENCES);
pub const DELETE_REPOSITORY: Operation = Operation::new(
    "DELETE",
    "/v1/projects/{projectID}/references/{repositoryID}",
);
pub const LIST_FLAG_REFERENCES: Operation =
    Operation::new("GET", "/v1/projects/{projectID}/flags/{flagKey}/references").query(PAGE);

pub(super) const USED_OF_REFERENCES: &[&Operation] = &[
    &PUT_REFERENCES,
    &LIST_REPOSITORIES,
    &DELETE_REPOSITORY,
    &LIST_FLAG_REFERENCES,
];
