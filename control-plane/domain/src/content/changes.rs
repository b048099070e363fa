//! The precondition of a change: the project's version.

use super::store;
use crate::unit::{Expected, ProjectChange};
use base::refusal::{Outdated, Refusal};

/// Changes that a refusal names.
const MOST: i64 = 20;

/// Refuses a change that is based on another version than the project has, and says what has changed since.
pub(super) async fn check_expected(
    change: &mut ProjectChange<'_>,
    expected: &Expected,
    version: i64,
) -> Result<(), Refusal> {
    let Expected::OneOf(seen) = expected else {
        return Ok(());
    };
    if seen.contains(&version) {
        return Ok(());
    }
    let (org_id, project_id) = (change.org_id(), change.project().id);
    // A version that is no version of the project says nothing.
    let last = seen.iter().filter(|seen| **seen < version).max();
    let changes = match last {
        Some(&last) => store::list_later(change, org_id, project_id, last, MOST).await?,
        None => Vec::new(),
    };
    Err(Refusal::Outdated(Box::new(Outdated::new(version, changes))))
}
