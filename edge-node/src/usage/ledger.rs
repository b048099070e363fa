//! What was counted but is in no batch yet, apart from the counters of served environments.

use std::{collections::HashMap, mem};

use parking_lot::Mutex;
use protocol::{
    ids::{EnvId, OrgId},
    wire::usage::Impression,
};

use super::{Tally, impressions::Impressions, unknown::Unknown};

/// Counts of one environment, in what SDKs report between two collections, that say what was answered. Those beyond say only why.
const REPORTED: usize = 20_000;

/// Shared by the requests that add to it and the collection that takes it. Each part is locked only briefly.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// From environments that are no longer served.
    retired: Mutex<Tally>,
    /// From SDKs that evaluate in their own process, by environment.
    reported: Mutex<HashMap<EnvId, Tally>>,
    unknown: Mutex<Unknown>,
    impressions: Mutex<Impressions>,
}

impl Ledger {
    /// Counts an answer for a key that no flag has.
    pub(crate) fn count_unknown(&self, env_id: EnvId, flag_key: &str, count: u64) {
        self.unknown.lock().add(env_id, flag_key, count);
    }

    /// Adds an impression.
    pub(crate) fn track(&self, org_id: OrgId, impression: Impression) {
        self.impressions.lock().add(org_id, impression);
    }

    /// Takes over the counts of an environment that is no longer served.
    pub(crate) fn absorb(&self, tally: &Tally) {
        if tally.is_empty() {
            return;
        }
        let mut retired = self.retired.lock();
        for (env_id, flag_key, given, count) in tally.counts() {
            retired.add(env_id, flag_key, given, count);
        }
    }

    /// Takes over counts of existing flags that an SDK reported. What it says that they answered may be anything.
    pub(super) fn absorb_reported(&self, tally: &Tally) {
        let mut reported = self.reported.lock();
        for (env_id, flag_key, given, count) in tally.counts() {
            let known = reported.entry(env_id).or_default();
            if known.len() < REPORTED {
                known.add(env_id, flag_key, given, count);
            } else {
                known.add(env_id, flag_key, &given.untold(), count);
            }
        }
    }

    /// Takes all counts.
    pub(super) fn take_counts(&self, tally: &mut Tally) {
        let retired = mem::take(&mut *self.retired.lock());
        let reported = mem::take(&mut *self.reported.lock());
        for taken in [retired].into_iter().chain(reported.into_values()) {
            for (env_id, flag_key, given, count) in taken.counts() {
                tally.add(env_id, flag_key, given, count);
            }
        }
        self.unknown.lock().take(tally);
    }

    /// Takes all impressions, those of each organization oldest first, and the number dropped because there were too many.
    pub(super) fn take_impressions(&self) -> (impl Iterator<Item = Impression> + use<>, u64) {
        self.impressions.lock().take()
    }
}

#[cfg(test)]
mod tests {
    use protocol::reason::Reason;
    use uuid::Uuid;

    use super::*;
    use crate::usage::Given;

    #[test]
    fn beyond_the_bound_of_an_environment_reported_answers_are_counted_by_their_reason() {
        let ledger = Ledger::default();
        let env_id = Uuid::from_u128(1).into();
        let given = Given {
            reason: Reason::Targeted,
            value: "1".into(),
            variant_key: Box::default(),
        };
        let mut tally = Tally::default();
        for number in 0..REPORTED + 10 {
            tally.add(env_id, &format!("flag-{number}"), &given, 1);
        }
        ledger.absorb_reported(&tally);
        let mut taken = Tally::default();
        ledger.take_counts(&mut taken);
        let untold = taken
            .counts()
            .filter(|(_, _, given, _)| given.value.is_empty());
        assert_eq!((taken.len(), untold.count()), (REPORTED + 10, 10));
    }
}
