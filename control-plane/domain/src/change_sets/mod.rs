//! Change sets: edits of a project's definitions that are drafted together, shown as one difference, approved, scheduled, applied as
//! one version, and undone as one.
//!
//! A set is a body of `applyContent` that waits. It keeps what each thing was when it was drafted, so that what somebody else
//! changes meanwhile is found by thing and field. The plan of its application is made without a lock; under the project's lock it is
//! written only for the version that it was made for. A row of a set is locked before its project.

pub mod apply;
pub mod draft;
pub mod input;
pub mod model;
pub mod preview;
pub mod review;
pub mod schedule;
pub mod store;
pub mod undo;
