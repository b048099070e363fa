//! Segments.

use super::{CHANGE, Operation, PAGE, TRIED_CHANGE};

const SEGMENTS: &str = "/v1/projects/{projectID}/segments";
const SEGMENT: &str = "/v1/projects/{projectID}/segments/{segmentKey}";

pub const LIST_SEGMENTS: Operation = Operation::new("GET", SEGMENTS).query(PAGE);
pub const GET_SEGMENT: Operation = Operation::new("GET", SEGMENT);
pub const CREATE_SEGMENT: Operation = Operation::new("POST", SEGMENTS).query(CHANGE).body(&[
    "key",
    "name",
    "description",
    "match_type",
    "rules",
]);
pub const UPDATE_SEGMENT: Operation = Operation::new("PUT", SEGMENT)
    .query(TRIED_CHANGE)
    .body(&["name", "description", "match_type", "rules"])
    .if_match();
pub const DELETE_SEGMENT: Operation = Operation::new("DELETE", SEGMENT).query(CHANGE).if_match();

pub(super) const USED_OF_SEGMENTS: &[&Operation] = &[
    &LIST_SEGMENTS,
    &GET_SEGMENT,
    &CREATE_SEGMENT,
    &UPDATE_SEGMENT,
    &DELETE_SEGMENT,
];
