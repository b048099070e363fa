//! Who may read and change which definitions: each as the single endpoint says.

use super::plan::Plan;
use crate::{
    members::{caller::Caller, permissions::model::Touches},
    roles::keys::{
        EnvironmentsCreate, EnvironmentsDelete, EnvironmentsRead, FlagsCreate, FlagsDelete,
        FlagsEditRules, FlagsRead, FlagsToggle, FlagsToggleOrEditRules, FlagsUpdate, Needs,
        Permission, SegmentsRead, SegmentsWrite,
    },
};
use base::refusal::Refusal;

const NOT_A_MANAGER: Refusal =
    Refusal::Forbidden("insufficient permissions: environments are deleted by owners and admins");
const NO_STATE: Refusal =
    Refusal::Forbidden("insufficient permissions: flags.toggle or flags.edit_rules");
const OF_THE_PROJECT: Refusal = Refusal::Forbidden(
    "the access token is limited to environments: new environments are of the whole project",
);

/// Which kinds a caller may read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reads {
    pub(super) environments: bool,
    pub(super) segments: bool,
    pub(super) flags: bool,
}

impl Reads {
    pub(super) fn of(caller: &Caller) -> Self {
        let may = |needs| caller.require(needs).is_ok();
        Self {
            environments: may(EnvironmentsRead::NEEDS),
            segments: may(SegmentsRead::NEEDS),
            flags: may(FlagsRead::NEEDS),
        }
    }
}

/// Whether a caller may read all kinds.
pub fn reads_all(caller: &Caller) -> bool {
    let reads = Reads::of(caller);
    reads.environments && reads.segments && reads.flags
}

/// The refusal of a custom role without a key, which it names.
macro_rules! lacks {
    ($($permission:ident = $key:literal),+) => {$(
        impl Named for $permission {
            const LACKS: Refusal = Refusal::Forbidden(concat!("insufficient permissions: ", $key));
        }
    )+};
}

pub(super) trait Named: Permission {
    const LACKS: Refusal;
}

lacks!(
    FlagsCreate = "flags.create",
    FlagsUpdate = "flags.update",
    FlagsDelete = "flags.delete",
    FlagsToggle = "flags.toggle",
    FlagsEditRules = "flags.edit_rules",
    SegmentsWrite = "segments.write",
    EnvironmentsCreate = "environments.create",
    EnvironmentsDelete = "environments.delete"
);

fn require<P: Named>(caller: &Caller, is_needed: bool) -> Result<(), Refusal> {
    if is_needed && caller.require(P::NEEDS).is_err() {
        return Err(P::LACKS);
    }
    Ok(())
}

impl Plan {
    /// Refuses a caller whose role, or whose access token, does not allow a part of it. Permissions in environments are checked
    /// under the lock.
    pub fn check_rights(&self, caller: &Caller) -> Result<(), Refusal> {
        let environments = &self.environments;
        if !environments.removed.is_empty() && !caller.role.is_manager() {
            return Err(NOT_A_MANAGER);
        }
        if !environments.new.is_empty() && caller.is_limited_to_envs() {
            return Err(OF_THE_PROJECT);
        }
        let changed = environments.changed.iter().map(|(env_id, _)| *env_id);
        let removed = environments.removed.iter().map(|env| env.id);
        for env_id in changed.chain(removed) {
            caller.check_env(env_id)?;
        }
        let writes = !environments.new.is_empty() || !environments.changed.is_empty();
        require::<EnvironmentsCreate>(caller, writes)?;
        require::<EnvironmentsDelete>(caller, !environments.removed.is_empty())?;
        let segments = &self.segments;
        let writes = !segments.new.is_empty()
            || !segments.changed.is_empty()
            || !segments.removed.is_empty();
        require::<SegmentsWrite>(caller, writes)?;
        let flags = &self.flags;
        require::<FlagsCreate>(caller, !flags.new.is_empty())?;
        require::<FlagsUpdate>(caller, !flags.changed.is_empty())?;
        let ends = !flags.restored.is_empty()
            || !flags.archived.is_empty()
            || !flags.created_archived.is_empty()
            || !flags.removed.is_empty();
        require::<FlagsDelete>(caller, ends)?;
        let mut touches = Touches::default();
        for state in &self.states {
            touches.toggle |= state.touches.toggle;
            touches.rules |= state.touches.rules;
        }
        require::<FlagsToggle>(caller, touches.toggle)?;
        require::<FlagsEditRules>(caller, touches.rules)?;
        if !self.states.is_empty() && !may_write_states(caller) {
            return Err(NO_STATE);
        }
        Ok(())
    }
}

fn may_write_states(caller: &Caller) -> bool {
    let needs: Needs = FlagsToggleOrEditRules::NEEDS;
    caller.require(needs).is_ok()
}
