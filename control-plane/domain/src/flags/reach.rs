//! The environments in which a change of a flag's own fields has an effect, and the refusals there.
//!
//! Only environments with a stored state count: elsewhere the flag was never set up. Deleting, archiving and restoring need the
//! permissions wherever one is stored. Protection keeps changes out where they change answers: the default value unless the state
//! serves one of its own to everybody, all else where the flag is on, or will be by its due time.

use super::{model::Flag, uses::store};
use crate::{
    members::{
        caller::Caller,
        permissions::{
            guard::{self, Affected},
            model::Touches,
        },
    },
    unit::ProjectChange,
};
use base::{
    ids::{EnvId, FlagId},
    refusal::Refusal,
};

/// A stored state, as far as changes of the flag concern it.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) affected: Affected,
    /// On, or with a due time to be.
    pub(super) is_on: bool,
    /// Whether it serves a value of its own to everybody, as far as the flag lets it: it is on, for good and for all.
    pub(super) hides_default: bool,
}

/// Refuses an update whose effect the caller may not have; `widened` are the environments with grants that it brings the flag under.
pub(super) async fn check_update(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    before: &Flag,
    flag: &Flag,
    widened: &[EnvId],
) -> Result<(), Refusal> {
    let changes_default = flag.default_value != before.default_value;
    let changes_when_on = flag.prerequisites != before.prerequisites
        || flag.mutual_exclusion_group != before.mutual_exclusion_group;
    // Whoever fails one of these gets the flag's default value.
    let is_conditional = [before, flag]
        .iter()
        .any(|flag| !flag.prerequisites.is_empty() || !flag.mutual_exclusion_group.is_empty());
    let role = guard::hold_role(change, caller).await?;
    if !changes_default && !changes_when_on && widened.is_empty() {
        return role.map(|_| ()).ok_or(Refusal::INSUFFICIENT);
    }
    let has_effect = |state: &Reached| {
        (changes_default && (is_conditional || !state.hides_default))
            || (changes_when_on && state.is_on)
            || widened.contains(&state.affected.env_id)
    };
    let reached = store::reached(change, caller, flag.id).await?.into_iter();
    let affected: Vec<_> = reached
        .filter(has_effect)
        .map(|state| state.affected)
        .collect();
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
        if widened.is_empty() {
            "the change has an effect in protected environments; make it in a change set that others approve"
        } else {
            "by its new tags the flag would come under grants in protected environments; let somebody add them who may give \
             grants and holds none of these, or add them in a change set that others approve"
        },
    )
}

/// Refuses to delete or archive a flag where the caller may not change its states, and where it is on and protected. An archived
/// flag is on nowhere.
pub(super) async fn check_end(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    flag: &Flag,
) -> Result<(), Refusal> {
    let is_served = flag.archived_at.is_none();
    let way = "the flag is on in protected environments; switch it off there by approved requests, and try again";
    check_states(change, caller, flag.id, is_served, way).await
}

/// Refuses to restore a flag where the caller may not change its states, and where it would be on and is protected.
pub(super) async fn check_restoration(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    id: FlagId,
) -> Result<(), Refusal> {
    let way = "the flag would be on in protected environments; set protected to false there first";
    check_states(change, caller, id, true, way).await
}

async fn check_states(
    change: &mut ProjectChange<'_>,
    caller: &Caller,
    id: FlagId,
    is_served: bool,
    way: &'static str,
) -> Result<(), Refusal> {
    let role = guard::hold_role(change, caller).await?;
    let reached = store::reached(change, caller, id).await?.into_iter();
    let affected: Vec<_> = reached
        .map(|state| Affected {
            is_kept: state.affected.protected && state.is_on && is_served,
            ..state.affected
        })
        .collect();
    guard::check(change, caller, role, &affected, Touches::BOTH, way)
}
