//! Setting what a member may do in environments.

use super::{model::EnvironmentPermission, store};
use crate::{
    db, environments,
    events::{Action, Event, Subject},
    ids::{EnvId, MemberId},
    members, projects,
    unit::{Recorded, Unit},
};

/// Why permissions stay as they are. The unit of work must be given up.
#[derive(Debug, thiserror::Error)]
pub enum ChangeError {
    /// The organization has no such member, or no longer.
    #[error("member not found")]
    MemberGone,
    /// The organization has not all of the environments.
    #[error("environment not found")]
    EnvironmentGone,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Stores rows of a member, all or none; returns all that the member has then.
pub async fn update(
    unit: &mut Unit,
    member_id: MemberId,
    rows: &[EnvironmentPermission],
) -> Result<Recorded<Vec<EnvironmentPermission>>, ChangeError> {
    let (org_id, now) = (unit.org_id(), unit.now());
    let env_ids: Vec<EnvId> = rows.iter().map(|row| row.env_id).collect();
    // Projects before the member, in the order of changes of flag states.
    projects::store::lock_of_environments(unit, org_id, &env_ids).await?;
    if !members::store::lock(unit, org_id, member_id).await? {
        return Err(ChangeError::MemberGone);
    }
    let known = environments::store::count_among(unit, org_id, &env_ids).await?;
    if usize::try_from(known) != Ok(env_ids.len()) {
        return Err(ChangeError::EnvironmentGone);
    }
    let before = store::list(unit, org_id, member_id).await?;
    store::upsert(unit, org_id, rows, now).await?;
    let after = store::list(unit, org_id, member_id).await?;
    let subject = Subject::Member(member_id);
    let event = Event::updated(Action::MemberPermissionsUpdated, subject, &before, &after);
    Ok(unit.record(event, after).await?)
}
