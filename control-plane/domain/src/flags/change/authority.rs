//! Permission to change a flag state, checked where it is written.

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

/// The authority for changing a flag state, required by the writer.
#[derive(Clone, Copy, Debug)]
pub enum Authority<'a> {
    /// A member, whose environment permissions are checked under the lock.
    Member(&'a Caller),
    /// A request that a second person approved.
    Approved(ApprovalId),
    /// The author of the due time, checked when it was set.
    Schedule,
    /// The author of an import, checked when it began. The demo account is such an import.
    Import,
}

impl Authority<'_> {
    /// Refuses changes without the permission. Permissions are read in the transaction of the change, and locked until it ends.
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

    /// Refuses a custom role that lacks the key of a touched half. Kill and promote have keys of their own, which their
    /// endpoints check.
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
