//! Changes of things that several environments share, flags and segments: refused to members who may not change flag states where
//! the change has an effect, and to everybody where that is protected.

use super::{model::Touches, store};
use crate::{
    members::{caller::Caller, model::Role},
    unit::ProjectChange,
};
use base::{
    ids::EnvId,
    refusal::{AffectedEnvironment, Guarded, Refusal},
};

/// An environment in which a change has an effect.
#[derive(Clone, Debug)]
pub(crate) struct Affected {
    pub(crate) env_id: EnvId,
    pub(crate) slug: String,
    /// Whether its protection keeps the change out.
    pub(crate) is_kept: bool,
    /// The member's permissions there, true without a row.
    pub(crate) can_toggle: bool,
    pub(crate) can_edit_rules: bool,
    pub(crate) protected: bool,
}

/// The role that a member has now; the member is locked until the end of the transaction. `None`: removed in the meantime.
pub(crate) async fn hold_role(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
) -> Result<Option<Role>, Refusal> {
    Ok(store::find_role_for_share(change, caller.org_id, caller.member_id).await?)
}

/// Refuses a change with an effect in these environments: for want of a permission first, then for protection, which a
/// change set passes. `way` says what to do instead.
pub(crate) fn check(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    role: Option<Role>,
    affected: &[Affected],
    touches: Touches,
    way: &'static str,
) -> Result<(), Refusal> {
    let may_change = |env: &&Affected| {
        caller.has_env(env.env_id)
            && match role {
                Some(Role::Owner | Role::Admin) => true,
                Some(Role::Developer) => touches.allowed_by(env.can_toggle, env.can_edit_rules),
                Some(Role::Viewer) | None => false,
            }
    };
    let denied: Vec<_> = affected.iter().filter(|env| !may_change(env)).collect();
    if !denied.is_empty() {
        return Err(refusal(
            "insufficient permissions for these environments",
            "the change has an effect in environments where you may not change flags",
            &denied,
        ));
    }
    let kept: Vec<_> = affected.iter().filter(|env| env.is_kept).collect();
    if !kept.is_empty() && !change.passes(kept.iter().map(|env| env.env_id)) {
        return Err(refusal("environment_protected", way, &kept));
    }
    Ok(())
}

fn refusal(error: &'static str, message: &str, environments: &[&Affected]) -> Refusal {
    let shown = environments.iter().map(|env| AffectedEnvironment {
        id: env.env_id,
        slug: env.slug.clone(),
        protected: env.protected,
    });
    let guarded = Guarded::new(error, message.to_owned(), shown.collect());
    Refusal::Guarded(Box::new(guarded))
}
