//! What a developer may not do in an environment, and the one question that every change of a flag state asks.
//!
//! Rows name a member and an environment. They hold developers alone; who has no row for an environment is not held there.
//! Rows are written under the locks of the projects they are about, and asked about under the lock of the project that is
//! changed: once a permission is revoked, no change that needed it is still on its way.

pub mod change;
pub mod input;
pub mod model;
pub mod routes;
mod store;

use self::model::Touches;
use super::model::Role;
use crate::{
    db::{self, Tx},
    ids::EnvId,
    members::caller::Caller,
};

/// Whether the caller may make this change to flag states of an environment, in the transaction that makes it, under the
/// project's lock. Role and rows are read again there, and the member stays as they are until it ends.
pub async fn allow(
    tx: &mut Tx,
    caller: &Caller,
    env_id: EnvId,
    touches: Touches,
) -> db::Result<bool> {
    // Who was removed meanwhile has neither rows nor rights.
    let held = store::find_for_share(tx, caller.org_id, caller.member_id, env_id).await?;
    Ok(held.is_some_and(|held| match held.role {
        Role::Owner | Role::Admin => true,
        Role::Developer => touches.allowed_by(held.can_toggle, held.can_edit_rules),
        Role::Viewer => false,
    }))
}
