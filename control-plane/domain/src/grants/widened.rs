//! Tags that widen grants: a grant holds for flags with one of its tags, so that whoever adds one to a flag gives the holder more.

use super::store::{self, Sought};
use crate::{
    flags::model::Flag,
    members::{self, caller::Caller},
    unit::ProjectChange,
};
use base::{ids::EnvId, refusal::Refusal};

/// The tags of grants that a caller may not widen, by environment: of all, but for those who may give grants, and whose own they
/// are not.
pub(crate) struct Guarded(Vec<(EnvId, Vec<String>)>);

impl Guarded {
    /// Locks a caller who may give grants until the end of the transaction.
    pub(crate) async fn find(
        change: &mut ProjectChange<'_>,
        caller: &Caller,
    ) -> Result<Self, Refusal> {
        let (org_id, project_id, now) = (change.org_id(), change.project().id, change.now());
        let user_id = caller.user_id;
        let may_give = caller.role.is_manager()
            && !members::store::hold_reviewers(change, org_id, &[user_id])
                .await?
                .is_empty();
        let sought = Sought {
            of: may_give.then_some(caller),
            ..Sought::default()
        };
        let grants = store::list(change, org_id, project_id, sought, now).await?;
        let tags = grants
            .into_iter()
            .map(|it| (it.grant.env_id, it.grant.tags));
        Ok(Self(tags.collect()))
    }

    /// The environments with a grant that a change of a flag's tags brings it under.
    pub(crate) fn widened(&self, before: &Flag, flag: &Flag) -> Vec<EnvId> {
        let has = |flag: &Flag, tags: &[String]| tags.iter().any(|tag| flag.tags.contains(tag));
        let gained = self.0.iter();
        let gained = gained.filter(|(_, tags)| has(flag, tags) && !has(before, tags));
        gained.map(|(env_id, _)| *env_id).collect()
    }
}

/// Whether a change of a flag adds tags.
pub(crate) fn adds_tags(before: &Flag, flag: &Flag) -> bool {
    flag.tags.iter().any(|tag| !before.tags.contains(tag))
}
