//! Permission to change a flag state, checked where it is written.

use super::{Place, protection};
use crate::{
    environments,
    events::Action,
    flags::states::model::FlagState,
    grants::{self, Spent},
    members::{
        caller::Caller,
        permissions::{self, Allowance, model::Touches},
    },
    roles::keys::Needs,
    unit::ProjectChange,
};
use base::{ids::ApprovalId, refusal::Refusal};

/// The authority for changing a flag state, required by the writer.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a> {
    /// A member, whose environment permissions are checked under the lock.
    Member(&'a Caller),
    /// A member who created the environment or the archived flag in the same unit: nobody is served by it yet, so that protection
    /// keeps nothing out.
    Creator(&'a Caller),
    /// A request that a second person approved.
    Approved(ApprovalId),
    /// The author of the due time, checked when it was set.
    Schedule,
    /// The author of an import, checked when it began. The demo account is such an import.
    Import,
}

impl Authority<'_> {
    /// Refuses changes without the permission, and in a protected environment those that no approved request or due time
    /// made, except for kills; a change set passes protection, and so does what a grant of the member allows, which is returned.
    /// Permissions are read in the transaction of the change, and locked until it ends; protection is stable under the project's lock.
    pub(super) async fn check(
        self,
        change: &mut ProjectChange<'_>,
        place: Place,
        action: Action,
        touches: Touches,
        states: (Option<&FlagState>, &FlagState),
    ) -> Result<Option<Spent>, Refusal> {
        let env_id = place.env_id;
        let is_protected = match self {
            Self::Approved(_) | Self::Schedule => return Ok(None),
            Self::Member(caller) | Self::Creator(caller) => {
                match permissions::allow(change, caller, env_id, touches).await? {
                    Allowance::Denied => {
                        return Err(Refusal::Forbidden(
                            "insufficient permissions for this environment",
                        ));
                    }
                    Allowance::ByApproval => {
                        action != Action::FlagKilled && !matches!(self, Self::Creator(_))
                    }
                    Allowance::Direct => false,
                }
            }
            Self::Import => {
                let (org_id, project_id) = (change.org_id(), change.project().id);
                let env = environments::store::find(change, org_id, project_id, env_id).await?;
                env.is_some_and(|env| env.protected)
            }
        };
        if !is_protected || change.passes([env_id]) {
            return Ok(None);
        }
        let granted = match self {
            Self::Member(caller) => grants::spend(change, caller, place, states).await?,
            _ => Err(Vec::new()),
        };
        match granted {
            Ok(spent) => Ok(Some(spent)),
            Err(refused) => {
                Err(protection::approval_required(change, place, states, refused).await?)
            }
        }
    }

    /// Refuses a custom role that lacks the key of a touched half. Kill and promote have keys of their own, which their
    /// endpoints check.
    pub(super) fn check_keys(self, touches: Touches) -> Result<(), Refusal> {
        let (Self::Member(caller) | Self::Creator(caller)) = self else {
            return Ok(());
        };
        let needed = [
            (touches.toggle, "flags.toggle"),
            (touches.rules, "flags.edit_rules"),
        ];
        for (is_touched, key) in needed {
            if is_touched && caller.require(Needs::One(key)).is_err() {
                return Err(Refusal::INSUFFICIENT);
            }
        }
        Ok(())
    }
}
