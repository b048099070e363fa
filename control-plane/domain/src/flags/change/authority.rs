//! Who may change a flag state, asked where it is written.

use crate::{
    members::{
        caller::Caller,
        permissions::{self, model::Touches},
    },
    roles::keys::Needs,
    unit::ProjectChange,
};
use base::{
    ids::{ApprovalId, EnvId},
    refusal::Refusal,
};

/// By whose right a flag state changes. The writer cannot be called without one.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a> {
    /// A member's, whose environment permissions are asked under the lock.
    Member(&'a Caller),
    /// That of a request which a second person approved.
    Approved(ApprovalId),
    /// That of whoever set the due time, when they set it.
    Schedule,
    /// That of whoever may import into the project, asked when the import began. The demo account is such an import.
    Import,
}

impl Authority<'_> {
    /// Refuses what is touched without the right to it. Permissions are read in the transaction of the change, and stay as
    /// they are until it ends.
    pub(super) async fn check(
        self,
        change: &mut ProjectChange<'_>,
        env_id: EnvId,
        touches: Touches,
    ) -> Result<(), Refusal> {
        let Self::Member(caller) = self else {
            return Ok(());
        };
        if permissions::allow(change, caller, env_id, touches).await? {
            Ok(())
        } else {
            Err(Refusal::Forbidden(
                "insufficient permissions for this environment",
            ))
        }
    }

    /// Refuses a custom role that lacks the key of a half that an update touches. Kill and promote have keys of their own, which
    /// their endpoints ask for.
    pub(super) fn check_keys(self, touches: Touches) -> Result<(), Refusal> {
        let Self::Member(caller) = self else {
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
