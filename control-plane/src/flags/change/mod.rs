//! The one writer of flag states: update, kill, promote, approved requests, schedules and imports go through it, and whatever
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
mod state;

use crate::{
    db,
    ids::{EnvId, FlagId},
    publish::version::DrawError,
};

pub use self::{
    authority::Authority,
    state::{Promotion, kill, note_approved, promote, toggle_as_scheduled, update},
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

/// Why a state stays as it is. The unit of work must be given up.
#[derive(Debug, thiserror::Error)]
pub enum StateError {
    /// The project has no such flag, or no longer.
    #[error("flag not found")]
    FlagGone,
    /// The project has no such environment, or no longer.
    #[error("environment not found")]
    EnvironmentGone,
    /// Nothing was ever stored in the environment to promote from.
    #[error("the flag has no state in the source environment")]
    NothingToPromote,
    /// A custom role lacks a key.
    #[error("insufficient permissions")]
    KeyMissing,
    /// The member may not do all of it in this environment.
    #[error("insufficient permissions for this environment")]
    Denied,
    /// No version could be drawn.
    #[error(transparent)]
    Draw(#[from] DrawError),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}
