//! Evaluations of the last minute by edge, as this replica stored them: in memory alone.

use std::collections::HashMap;

use parking_lot::Mutex;
use time::OffsetDateTime;

use super::{lately::still_counts, model::Step};
use base::ids::OrgId;

/// Edges counted for all organizations. Further ones are not.
const MOST: usize = 200_000;

#[derive(Debug, Default)]
pub struct EdgeRates(Mutex<Counted>);

#[derive(Debug, Default)]
struct Counted {
    by_org: HashMap<OrgId, HashMap<String, Minutes>>,
    size: usize,
}

/// The counts of a minute and of the one before.
#[derive(Clone, Copy, Debug)]
struct Minutes {
    minute: OffsetDateTime,
    count: i64,
    before: i64,
}

impl Minutes {
    fn enter(&mut self, minute: OffsetDateTime) {
        if self.minute < minute {
            let is_next = self.minute + Step::Minute.length() == minute;
            self.before = if is_next { self.count } else { 0 };
            self.count = 0;
            self.minute = minute;
        }
    }
}

impl EdgeRates {
    /// Adds what edges reported.
    pub(super) fn add(
        &self,
        reported: impl Iterator<Item = (OrgId, String, i64)>,
        now: OffsetDateTime,
    ) {
        let minute = Step::Minute.floor(now);
        let mut counted = self.0.lock();
        for (org_id, edge, count) in reported {
            counted.add(org_id, edge, count, minute);
        }
    }

    /// The evaluations of an organization in the last 60 seconds, by edge.
    pub fn of(&self, org_id: OrgId, now: OffsetDateTime) -> Vec<(String, u64)> {
        let minute = Step::Minute.floor(now);
        let mut counted = self.0.lock();
        let own = counted.by_org.get_mut(&org_id).into_iter().flatten();
        let rates = own.map(|(edge, minutes)| {
            minutes.enter(minute);
            let before = still_counts(minutes.before, now - minute);
            let rate = minutes.count.saturating_add(before);
            (edge.clone(), u64::try_from(rate).unwrap_or(0))
        });
        rates.collect()
    }
}

impl Counted {
    fn add(&mut self, org_id: OrgId, edge: String, count: i64, minute: OffsetDateTime) {
        let is_known = |own: &HashMap<String, Minutes>| own.contains_key(&edge);
        if !self.by_org.get(&org_id).is_some_and(is_known) {
            if self.size >= MOST {
                self.sweep(minute);
            }
            if self.size >= MOST {
                return;
            }
            self.size += 1;
        }
        let own = self.by_org.entry(org_id).or_default();
        let minutes = own.entry(edge).or_insert(Minutes {
            minute,
            count: 0,
            before: 0,
        });
        minutes.enter(minute);
        minutes.count = minutes.count.saturating_add(count);
    }

    /// Forgets what no longer counts.
    fn sweep(&mut self, minute: OffsetDateTime) {
        let since = minute - Step::Minute.length();
        self.by_org.retain(|_, own| {
            own.retain(|_, minutes| minutes.minute >= since);
            !own.is_empty()
        });
        self.size = self.by_org.values().map(HashMap::len).sum();
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};
    use uuid::Uuid;

    use super::*;

    const AT: OffsetDateTime = datetime!(2026-05-04 12:00:30 UTC);

    #[test]
    fn a_minute_counts_by_edge_and_the_one_before_in_part() {
        let rates = EdgeRates::default();
        let [own, other] = [1, 2].map(|number| OrgId(Uuid::from_u128(number)));
        let one = |org_id, edge: &str, count| std::iter::once((org_id, edge.to_owned(), count));
        rates.add(one(own, "fra-1", 60), AT);
        rates.add(one(other, "fra-1", 7), AT);
        rates.add(one(own, "fra-1", 4), AT + Duration::MINUTE);
        let of = |org_id, at| rates.of(org_id, at);
        assert_eq!(of(own, AT + Duration::MINUTE), [("fra-1".to_owned(), 34)]);
        assert_eq!(of(other, AT + Duration::MINUTE), [("fra-1".to_owned(), 3)]);
        assert_eq!(
            of(own, AT + 3 * Duration::MINUTE),
            [("fra-1".to_owned(), 0)]
        );
        let nobody = OrgId(Uuid::from_u128(3));
        assert!(of(nobody, AT).is_empty());
    }

    #[test]
    fn beyond_the_bound_no_edge_is_counted_until_others_are_silent() {
        let rates = EdgeRates::default();
        let own = OrgId(Uuid::from_u128(1));
        let edges = |first: usize| {
            let all = first..MOST + 5;
            all.map(move |number| (own, number.to_string(), 1))
        };
        rates.add(edges(0), AT);
        assert_eq!(rates.of(own, AT).len(), MOST);
        let later = AT + 3 * Duration::MINUTE;
        rates.add(edges(MOST), later);
        assert_eq!(rates.of(own, later).len(), 5);
    }
}
