//! Who decides how an environment is guarded: owners and admins, with a custom role by `approvals.review`.

use super::{model::Environment, store};
use crate::{
    members::{self, caller::Caller},
    roles::keys::{ApprovalsReview, Permission as _},
    unit::ProjectChange,
};
use base::refusal::{AffectedEnvironment, Guarded, Refusal};

/// Refuses members who do not decide it, and locks the others until the end of the transaction.
pub(crate) async fn check_and_hold(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
) -> Result<(), Refusal> {
    let org_id = change.org_id();
    members::store::hold_standing(change, org_id, caller.user_id).await?;
    check(change, caller).await
}

/// Refuses members who do not decide it. Takes no lock, so that the organization may still be locked.
pub(super) async fn check(change: &mut ProjectChange<'_>, caller: &Caller) -> Result<(), Refusal> {
    let org_id = change.org_id();
    let standing = members::store::find_standing(change, org_id, caller.user_id).await?;
    let may_guard = standing.is_some_and(|(_, role, keys)| {
        role.at_most(caller.role).is_manager()
            && keys.is_none_or(|keys| ApprovalsReview::NEEDS.is_met_by(&keys))
    });
    if may_guard {
        Ok(())
    } else {
        Err(Refusal::INSUFFICIENT)
    }
}

/// Refuses to delete a protected environment: its protection is lifted first.
pub(super) fn refuse_deletion(env: &Environment) -> Result<(), Refusal> {
    if env.protected {
        let affected = AffectedEnvironment {
            id: env.id,
            slug: env.slug.clone(),
            protected: true,
        };
        return Err(protected(
            "the environment is protected; set protected to false first",
            vec![affected],
        ));
    }
    Ok(())
}

/// Refuses to delete a project that has protected environments.
pub(crate) async fn refuse_deletion_of_all(change: &mut ProjectChange<'_>) -> Result<(), Refusal> {
    let (org_id, project_id) = (change.org_id(), change.project().id);
    let found = store::list_protected(change, org_id, project_id).await?;
    if found.is_empty() {
        return Ok(());
    }
    let affected = found.into_iter().map(|(id, slug)| AffectedEnvironment {
        id,
        slug,
        protected: true,
    });
    Err(protected(
        "the project has protected environments; set protected to false there first",
        affected.collect(),
    ))
}

fn protected(message: &str, affected: Vec<AffectedEnvironment>) -> Refusal {
    let guarded = Guarded::new("environment_protected", message.to_owned(), affected);
    Refusal::Guarded(Box::new(guarded))
}
