//! All definitions of a project at once.

use super::{Operation, TRIED_CHANGE};

const CONTENT: &str = "/v1/projects/{projectID}/content";

pub const GET_CONTENT: Operation = Operation::new("GET", CONTENT).query(&["limit", "after"]);
pub const APPLY_CONTENT: Operation = Operation::new("POST", CONTENT)
    .query(TRIED_CHANGE)
    .body(&["environments", "segments", "flags", "remove"])
    .if_match()
    .slow();

pub(super) const USED_OF_CONTENT: &[&Operation] = &[&GET_CONTENT, &APPLY_CONTENT];
