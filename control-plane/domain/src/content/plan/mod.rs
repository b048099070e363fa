//! What a change of definitions does, thing by thing: computed without a lock, from one view of the database.

mod cycles;
mod environments;
mod flags;
pub(super) mod found;
mod problems;
mod segments;
mod states;
mod warned;

use std::time::{Duration, Instant};

use time::OffsetDateTime;

pub(super) use self::states::StatePlan;
use self::{found::Found, problems::Collected};
use super::{
    input::{ContentChange, Removal},
    model::Counts,
};
use crate::{
    environments::{input::EnvironmentWish, model::Environment},
    flags::model::Flag,
    segments::model::Segment,
};
use base::{
    ids::{EnvId, FlagId},
    refusal::{Problems, Refusal},
    warning::Warning,
};

/// As many as a project has at most.
const MAX_ENVIRONMENTS: usize = 100;
const MAX_SEGMENTS: usize = 5_000;
const MAX_FLAGS: usize = 20_000;
/// Each is looked at by itself under the lock.
const MAX_REMOVED: usize = 1_000;
/// Checking more would take longer than a client waits.
const PATIENCE: Duration = Duration::from_secs(25);

/// What a change does.
pub struct Plan {
    /// The project's version that it was computed from.
    pub version: i64,
    pub(super) environments: Environments,
    pub(super) segments: Segments,
    pub(super) flags: Flags,
    pub(super) states: Vec<StatePlan>,
    pub(super) unchanged: usize,
    /// About flags; those about states are with them.
    pub(super) warnings: Vec<Warning>,
}

#[derive(Default)]
pub(super) struct Environments {
    /// With whether it says how it is guarded.
    pub(super) new: Vec<(Environment, bool)>,
    /// With the fields that differ.
    pub(super) changed: Vec<(EnvId, EnvironmentWish)>,
    pub(super) removed: Vec<Environment>,
}

#[derive(Default)]
pub(super) struct Segments {
    pub(super) new: Vec<Segment>,
    /// As they are stored, and as they are to be.
    pub(super) changed: Vec<(Segment, Segment)>,
    pub(super) removed: Vec<Segment>,
}

#[derive(Default)]
pub(super) struct Flags {
    /// All new ones.
    pub(super) new: Vec<Flag>,
    /// As they are stored, and as they are to be.
    pub(super) changed: Vec<(Flag, Flag)>,
    pub(super) restored: Vec<FlagId>,
    /// Those that are there.
    pub(super) archived: Vec<FlagId>,
    /// New ones that are archived at once.
    pub(super) created_archived: Vec<Flag>,
    pub(super) removed: Vec<FlagId>,
    /// How many that are there are changed, restored or archived.
    pub(super) updated: usize,
}

/// What is made while a plan is.
struct Making<'a> {
    given: &'a ContentChange,
    removal: &'a Removal,
    found: &'a Found,
    now: OffsetDateTime,
    problems: Collected,
    plan: Plan,
}

impl Plan {
    /// Compares what is given with what was found. Compiles regular expressions to check them.
    ///
    /// # Errors
    /// All that is wrong at once. When it takes too long.
    pub fn make(
        given: &ContentChange,
        found: &Found,
        now: OffsetDateTime,
    ) -> Result<Self, Refusal> {
        let nothing = Removal::default();
        let mut making = Making {
            given,
            removal: given.remove.as_ref().map_or(&nothing, |remove| &remove.0),
            found,
            now,
            problems: Collected::default(),
            plan: Self {
                version: found.version,
                environments: Environments::default(),
                segments: Segments::default(),
                flags: Flags::default(),
                states: Vec::new(),
                unchanged: 0,
                warnings: Vec::new(),
            },
        };
        making.check_numbers();
        if making.problems.is_empty() {
            making.environments();
            making.segments();
            making.flags(Instant::now() + PATIENCE)?;
            making.check_prerequisites();
        }
        let Making { problems, plan, .. } = making;
        match Problems::of(problems.into_problems()) {
            Some(problems) => Err(Refusal::Problems(Box::new(problems))),
            None => Ok(plan),
        }
    }

    /// The things that are not there yet.
    pub(super) const fn created(&self) -> Counts {
        Counts {
            environments: self.environments.new.len(),
            segments: self.segments.new.len(),
            flags: self.flags.new.len(),
            states: 0,
        }
    }

    /// The things that differ.
    pub(super) const fn updated(&self) -> Counts {
        Counts {
            environments: self.environments.changed.len(),
            segments: self.segments.changed.len(),
            flags: self.flags.updated,
            states: 0,
        }
    }

    /// The things that go.
    pub(super) const fn removed(&self) -> Counts {
        Counts {
            environments: self.environments.removed.len(),
            segments: self.segments.removed.len(),
            flags: self.flags.removed.len(),
            states: 0,
        }
    }
}

impl Making<'_> {
    fn check_numbers(&mut self) {
        let (given, removal) = (self.given, self.removal);
        let of_list = |list: &Option<Vec<String>>| list.as_ref().map_or(0, Vec::len);
        let removed =
            of_list(&removal.flags) + of_list(&removal.segments) + of_list(&removal.environments);
        for (list, count, most) in [
            ("environments", given.environments().len(), MAX_ENVIRONMENTS),
            ("segments", given.segments().len(), MAX_SEGMENTS),
            ("flags", given.flags().len(), MAX_FLAGS),
            ("remove", removed, MAX_REMOVED),
        ] {
            if count > most {
                let message = format!("at most {most} in a call");
                self.problems.add(list, message);
            }
        }
    }
}
