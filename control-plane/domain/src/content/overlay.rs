//! What a plan makes of the compiled contents of an environment.

use std::collections::BTreeMap;

use protocol::snapshot::{self, Snapshot};

use super::plan::{Plan, found::Found};
use base::ids::EnvId;

impl Plan {
    /// Changes what edges would be sent of an environment, without writing anything. The contents are those that the plan was made
    /// for, or nearly so.
    pub fn put_into(&self, found: &Found, env_id: EnvId, snapshot: &mut Snapshot) {
        let flags = std::mem::take(&mut snapshot.flags).into_iter();
        let mut flags: BTreeMap<_, _> = flags.map(|flag| (flag.key.clone(), flag)).collect();
        let restored = found.flags.values();
        for flag in restored.filter(|flag| self.flags.restored.contains(&flag.id)) {
            let state = found.states.get(&(flag.id, env_id));
            let state = state.map(|state| state.compile());
            let flag = flag.compile();
            flags.insert(flag.key.clone(), snapshot::Flag { state, ..flag });
        }
        let changed = self.flags.changed.iter().map(|(_, after)| after);
        for flag in self.flags.new.iter().chain(changed) {
            let state = flags.get(&flag.key).and_then(|flag| flag.state.clone());
            let flag = flag.compile();
            flags.insert(flag.key.clone(), snapshot::Flag { state, ..flag });
        }
        for state in self.states.iter().filter(|it| it.place.env_id == env_id) {
            if let Some(flag) = flags.get_mut(&state.flag_key) {
                flag.state = Some(state.state.compile());
            }
        }
        let gone = |id| self.flags.archived.contains(id) || self.flags.removed.contains(id);
        for flag in found.flags.values().filter(|flag| gone(&flag.id)) {
            flags.remove(&flag.key);
        }
        for flag in &self.flags.created_archived {
            flags.remove(&flag.key);
        }
        snapshot.flags = flags.into_values().collect();

        let segments = std::mem::take(&mut snapshot.segments).into_iter();
        let mut segments: BTreeMap<_, _> = segments.map(|one| (one.key.clone(), one)).collect();
        let changed = self.segments.changed.iter().map(|(_, after)| after);
        for segment in self.segments.new.iter().chain(changed) {
            segments.insert(segment.key.clone(), segment.compile());
        }
        for segment in &self.segments.removed {
            segments.remove(&segment.key);
        }
        snapshot.segments = segments.into_values().collect();
    }
}
