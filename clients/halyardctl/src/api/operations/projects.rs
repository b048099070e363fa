//! Projects, their environments, and the keys of these.

use super::{CHANGE, Operation, PAGE};

const PROJECT: &str = "/v1/projects/{projectID}";
const ENVIRONMENTS: &str = "/v1/projects/{projectID}/environments";
const ENVIRONMENT: &str = "/v1/projects/{projectID}/environments/{envID}";
const KEYS: &str = "/v1/projects/{projectID}/environments/{envID}/api-keys";

pub const LIST_PROJECTS: Operation = Operation::new("GET", "/v1/projects").query(PAGE);
pub const GET_PROJECT: Operation = Operation::new("GET", PROJECT);
pub const CREATE_PROJECT: Operation =
    Operation::new("POST", "/v1/projects").body(&["name", "slug"]);
pub const UPDATE_PROJECT: Operation = Operation::new("PUT", PROJECT).body(&["name", "slug"]);
pub const DELETE_PROJECT: Operation = Operation::new("DELETE", PROJECT).query(CHANGE);

pub const LIST_ENVIRONMENTS: Operation = Operation::new("GET", ENVIRONMENTS).query(PAGE);
pub const GET_ENVIRONMENT: Operation = Operation::new("GET", ENVIRONMENT);
pub const CREATE_ENVIRONMENT: Operation = Operation::new("POST", ENVIRONMENTS)
    .query(CHANGE)
    .body(&["name", "slug", "color", "protected", "required_approvals"]);
pub const UPDATE_ENVIRONMENT: Operation = Operation::new("PUT", ENVIRONMENT)
    .query(CHANGE)
    .body(&["name", "slug", "color", "protected", "required_approvals"])
    .if_match();
pub const DELETE_ENVIRONMENT: Operation = Operation::new("DELETE", ENVIRONMENT)
    .query(CHANGE)
    .if_match();

pub const LIST_KEYS: Operation = Operation::new("GET", KEYS).query(PAGE);
pub const CREATE_KEY: Operation =
    Operation::new("POST", KEYS)
        .query(CHANGE)
        .body(&["name", "type", "expires_in_days"]);
pub const REVOKE_KEY: Operation = Operation::new("DELETE", "/v1/api-keys/{keyID}").query(CHANGE);
pub const ROTATE_KEY: Operation = Operation::new("POST", "/v1/api-keys/{keyID}/rotate")
    .query(CHANGE)
    .body(&["grace_period_hours"]);

pub(super) const USED_OF_PROJECTS: &[&Operation] = &[
    &LIST_PROJECTS,
    &GET_PROJECT,
    &CREATE_PROJECT,
    &UPDATE_PROJECT,
    &DELETE_PROJECT,
    &LIST_ENVIRONMENTS,
    &GET_ENVIRONMENT,
    &CREATE_ENVIRONMENT,
    &UPDATE_ENVIRONMENT,
    &DELETE_ENVIRONMENT,
    &LIST_KEYS,
    &CREATE_KEY,
    &REVOKE_KEY,
    &ROTATE_KEY,
];
