//! The one writer of flag states: update, kill, promote, rollback, approved requests, schedules and imports go through it, and whatever
//! changes a state later.
//!
//! Why it is right under concurrency. Whoever changes a state holds the lock of its project ([`ProjectChange`]), and only then
//! reads what is there. The lock is held until commit, and versions are drawn under it, so:
//! * changes of one project happen one after the other. Two updates of different fields both survive, because the second reads
//!   what the first wrote; a flag or an environment found under the lock is not deleted before commit;
//! * the order of versions is the order of changes. Nobody sees version `n` without everything before it.
//!
//! Input is checked, merged and measured before the lock is taken ([`crate::unit::Draft`]). Under it the writer reads, draws
//! the version, asks who may ([`Authority`]), writes, and records: bounds are refused before permissions, and nothing is
//! written before both were asked.

mod authority;
mod initial;
mod restoration;
mod state;
mod warned;

pub use self::initial::create_all;
use base::ids::{EnvId, FlagId};

pub use self::{
    authority::Authority,
    restoration::{Restoration, roll_back},
    state::{Promotion, kill, note_approved, promote, toggle_as_scheduled, update},
    warned::warnings,
};
#[cfg(doc)]
use crate::unit::ProjectChange;

/// A flag in an environment: where a state is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The flag.
    pub flag_id: FlagId,
    /// The environment, of the same project.
    pub env_id: EnvId,
}
