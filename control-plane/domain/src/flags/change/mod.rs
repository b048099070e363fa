//! The only writer of flag states: update, kill, promote, rollback, approved requests, schedules and imports go through it.
//!
//! Concurrency: every change locks the project ([`ProjectChange`]) before reading, until commit, and versions are drawn under
//! that lock, so:
//! * changes of one project are serialized. Two updates of different fields both survive, because the second reads the first's
//!   result; a flag or an environment found under the lock is not deleted before commit;
//! * the order of versions is the order of changes. A reader of version `n` sees everything before it.
//!
//! Input is checked, merged and measured before the lock is taken ([`crate::unit::Draft`]). Under it the writer reads, draws
//! the version, checks the permission and the environment's protection ([`Authority`]), writes, and records: bounds are refused
//! before permissions, and both before anything is written.

mod authority;
mod initial;
mod many;
mod protection;
mod restoration;
mod state;
mod warned;

pub use self::{
    authority::Authority,
    restoration::{Restoration, roll_back},
    state::{Promotion, kill, promote, update},
    warned::warnings,
};
pub(crate) use self::{
    initial::create_all,
    many::{Wished, write_all},
    state::{note_approved, toggle_as_scheduled},
};
#[cfg(doc)]
use crate::unit::ProjectChange;
use base::ids::{EnvId, FlagId};

/// The address of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The flag.
    pub flag_id: FlagId,
    /// The environment, in the same project.
    pub env_id: EnvId,
}
