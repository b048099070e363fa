//! A developer's permissions in an environment, and the check for every change to a flag state.
//!
//! A row names a member and an environment. Rows restrict only developers; a developer without a row for an environment is
//! unrestricted there. Rows are written under the locks of their projects, and checked under the lock of the changed project:
//! once a permission is revoked, no change that needed it is in flight.

pub mod change;
pub(crate) mod guard;
pub mod input;
pub mod model;
pub mod store;

use self::model::Touches;
use super::model::Role;
use crate::members::caller::Caller;
use base::{
    db::{self, Tx},
    ids::EnvId,
};

/// How a caller may change flag states of an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowance {
    Denied,
    /// The environment is protected: by an approved request alone, except for kills.
    ByApproval,
    Direct,
}

/// How the caller may make this change to flag states of an environment. Call it in the transaction of the change, under the
/// project's lock: role, rows and protection are read again, and the member is locked until it ends.
pub async fn allow(
    tx: &mut Tx,
    caller: &Caller,
    env_id: EnvId,
    touches: Touches,
) -> db::Result<Allowance> {
    if !caller.has_env(env_id) {
        return Ok(Allowance::Denied);
    }
    // A member removed in the meantime has neither rows nor rights.
    let held = store::find_for_share(tx, caller.org_id, caller.member_id, env_id).await?;
    let Some(held) = held else {
        return Ok(Allowance::Denied);
    };
    let may_change = match held.role {
        Role::Owner | Role::Admin => true,
        Role::Developer => touches.allowed_by(held.can_toggle, held.can_edit_rules),
        Role::Viewer => false,
    };
    Ok(match (may_change, held.protected) {
        (false, _) => Allowance::Denied,
        (true, true) => Allowance::ByApproval,
        (true, false) => Allowance::Direct,
    })
}
