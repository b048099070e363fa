//! The one writer of flag states: update, kill, promote, approved requests and schedules go through it, and whatever changes
//! a state later.
//!
//! Why it is right under concurrency. Whoever changes a state first takes the lock of its project ([`LockedFlag::find`]), and
//! only then reads what is there. The lock is held until commit, and it is the lock that drawing a version takes, so:
//! * changes of one project happen one after the other. Two updates of different fields both survive, because the second reads
//!   what the first wrote; a flag or an environment found under the lock is not deleted before commit;
//! * the order of versions is the order of changes. Nobody sees version `n` without everything before it.
//!
//! What a change does is one transaction: the row, the audit entry, the version of its environment, the announcement at commit.
//! A refused input is found before the first write, and the transaction is given up.

mod flag;
mod state;

pub use self::{
    flag::LockedFlag,
    state::{LockedState, UpdateError},
};
