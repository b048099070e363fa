//! The states of a change.

use std::collections::{BTreeMap, HashMap, HashSet};

use protocol::objects::Object;
use time::OffsetDateTime;

use super::Making;
use crate::{
    flags::{
        change::Place,
        history::model::{changed_parts, touched},
        model::{Archived, FlagType},
        states::{input::StatePatch, model::FlagState},
        warnings::Suspects,
    },
    members::permissions::model::Touches,
    unit::Wish as _,
};
use base::{
    ids::{EnvId, FlagId},
    warning::Warning,
};

/// A state that differs, or that is not there yet.
pub(in crate::content) struct StatePlan {
    pub(in crate::content) flag_key: String,
    pub(in crate::content) env_slug: String,
    pub(in crate::content) place: Place,
    pub(in crate::content) stored: Option<FlagState>,
    pub(in crate::content) state: FlagState,
    /// The halves that differ.
    pub(in crate::content) touches: Touches,
    /// Places are within the state.
    pub(in crate::content) warnings: Vec<Warning>,
    /// Nobody is served by it yet: its environment is new, or the flag is new and archived at once.
    pub(in crate::content) is_unserved: bool,
    /// The flag is archived by the same change.
    pub(in crate::content) ends_archived: bool,
}

/// The flag of states.
pub(super) struct OfFlag {
    pub(super) key: String,
    pub(super) id: FlagId,
    pub(super) flag_type: FlagType,
    pub(super) is_new: bool,
    /// It is archived, and stays so.
    pub(super) is_archived: bool,
    pub(super) is_restored: bool,
    pub(super) ends_archived: bool,
}

type EnvIds = HashMap<String, (EnvId, bool)>;

impl Making<'_> {
    pub(super) fn states(
        &mut self,
        place: &str,
        flag: &OfFlag,
        states: &BTreeMap<String, Object<StatePatch>>,
        (env_ids, known): (&EnvIds, &HashSet<&str>),
    ) {
        for (slug, Object(patch)) in states {
            let place = format!("{place}.states.{slug}");
            let Some(&(env_id, is_new_env)) = env_ids.get(slug) else {
                self.problems.add(place, "environment not found");
                continue;
            };
            let wish = patch.clone().check(flag.flag_type, self.now);
            let Some(wish) = self.problems.keep(&place, &StatePatch::FIELDS, wish) else {
                continue;
            };
            let stored = self.found.states.get(&(flag.id, env_id)).cloned();
            let stored = stored.map(|state| {
                if flag.is_restored {
                    without_passed(state, self.now)
                } else {
                    state
                }
            });
            let state = wish.apply(&stored);
            if stored.is_some() && changed_parts(stored.as_ref(), &state).is_none() {
                self.plan.unchanged += 1;
                continue;
            }
            if flag.is_archived {
                self.problems.add(place, Archived.to_string());
                continue;
            }
            let touches = match &stored {
                Some(stored) => touched(stored, &state),
                None => touched(&FlagState::initial(self.now), &state),
            };
            let warnings = Suspects::of_wish(&wish).warnings(known);
            self.plan.states.push(StatePlan {
                flag_key: flag.key.clone(),
                env_slug: slug.clone(),
                place: Place {
                    flag_id: flag.id,
                    env_id,
                },
                stored,
                state,
                touches,
                warnings,
                is_unserved: is_new_env || (flag.is_new && flag.ends_archived),
                ends_archived: flag.ends_archived,
            });
        }
    }
}

impl<'a> Making<'a> {
    /// The keys of the segments that there will be.
    pub(super) fn known_segments(&self) -> HashSet<&'a str> {
        let (given, found) = (self.given, self.found);
        let removed = self.removal.segments.as_deref().unwrap_or_default();
        let removed: HashSet<_> = removed.iter().map(String::as_str).collect();
        let stored = found.segment_keys.iter().map(String::as_str);
        let stay = stored.filter(|key| !removed.contains(key));
        let new = given.segments().iter();
        stay.chain(new.filter_map(|one| one.key.as_deref()))
            .collect()
    }
}

/// As restoring its flag leaves it.
fn without_passed(state: FlagState, now: OffsetDateTime) -> FlagState {
    let ahead = |due: Option<OffsetDateTime>| due.filter(|due| *due > now);
    FlagState {
        scheduled_enable_at: ahead(state.scheduled_enable_at),
        scheduled_disable_at: ahead(state.scheduled_disable_at),
        ..state
    }
}
