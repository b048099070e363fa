//! What grants allow of many states at once: the grants are read once for each environment, the tags of all flags by one query.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::{plan::StatePlan, store};
use crate::{
    flags::change::Place,
    grants::{Purse, Spent},
    members::caller::Caller,
    unit::ProjectChange,
};
use base::{
    db,
    ids::{EnvId, FlagId},
    refusal::Refusal,
};

/// The grants of a caller where states need approval, and the tags of their flags.
pub(super) struct Granted {
    purses: BTreeMap<EnvId, Purse>,
    tags: HashMap<FlagId, Vec<String>>,
}

impl Granted {
    /// For the states at these places.
    pub(super) async fn open(
        change: &mut ProjectChange<'_>,
        caller: &Caller,
        places: &[Place],
    ) -> Result<Self, Refusal> {
        let mut purses = BTreeMap::new();
        let env_ids: BTreeSet<_> = places.iter().map(|place| place.env_id).collect();
        for env_id in env_ids {
            let purse = Purse::open(change, caller, env_id).await?;
            if !purse.is_empty() {
                purses.insert(env_id, purse);
            }
        }
        let granted = places.iter().filter(|it| purses.contains_key(&it.env_id));
        let flag_ids: Vec<_> = granted.map(|place| place.flag_id).collect();
        let mut tags = HashMap::new();
        if !flag_ids.is_empty() {
            let (org_id, project_id) = (change.org_id(), change.project().id);
            tags = store::find_tags(change, org_id, project_id, &flag_ids).await?;
        }
        Ok(Self { purses, tags })
    }

    /// The grant that allows a state, if one does.
    pub(super) fn spend(&mut self, state: &StatePlan) -> Option<Spent> {
        let Place { flag_id, env_id } = state.place;
        let purse = self.purses.get_mut(&env_id)?;
        let tags = self.tags.get(&flag_id)?;
        purse
            .spend((state.stored.as_ref(), &state.state), tags)
            .ok()
    }

    /// Stores what was taken.
    pub(super) async fn close(self, change: &mut ProjectChange<'_>) -> db::Result<()> {
        for purse in self.purses.into_values() {
            purse.close(change).await?;
        }
        Ok(())
    }
}
