//! The environments in which a change of a segment has an effect, and the refusals there.

use crate::{
    flags::uses,
    members::{
        caller::Caller,
        model::Role,
        permissions::{guard, model::Touches},
    },
    unit::ProjectChange,
};
use base::refusal::Refusal;

/// Refuses a change of the users that a segment has, unless the caller may change the rules that name it.
pub(super) async fn check(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    key: &str,
) -> Result<(), Refusal> {
    check_all(change, caller, &[key.to_owned()]).await
}

/// The same for several segments.
pub(super) async fn check_all(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    keys: &[String],
) -> Result<(), Refusal> {
    let project_id = change.project().id;
    let role = guard::hold_role(change, caller).await?;
    let everywhere = caller.is_limited_to_envs() || matches!(role, Some(Role::Viewer) | None);
    let affected =
        uses::store::guarded_of_segments(change, caller, project_id, keys, everywhere).await?;
    let touches = Touches {
        toggle: false,
        rules: true,
    };
    guard::check(
        change,
        caller,
        role,
        &affected,
        touches,
        "rules in protected environments name the segment; let them name another one by approved requests, and try again",
    )
}
