//! The segments of a change.

use super::{Making, problems::Names};
use crate::unit::Wish as _;

const FIELDS: [&str; 5] = ["key", "name", "description", "match_type", "rules"];

impl Making<'_> {
    pub(super) fn segments(&mut self) {
        let (given, removal, found) = (self.given, self.removal, self.found);
        let removed = removal.segments.as_deref().unwrap_or_default();
        let mut names = Names::new("segments", removed);
        for (number, segment) in given.segments().iter().enumerate() {
            let problems = &mut self.problems;
            let key = ("key", segment.key.as_deref());
            let Some((place, key)) = names.place(number, key, problems) else {
                continue;
            };
            let Some(before) = found.segments.get(key) else {
                let made = segment.new_one().check(self.now);
                let made = problems.keep(&place, &FIELDS, made);
                self.plan.segments.new.extend(made);
                continue;
            };
            let wish = segment.patch().and_then(|patch| patch.check());
            let Some(wish) = problems.keep(&place, &FIELDS, wish) else {
                continue;
            };
            let after = wish.apply(before);
            if after == *before {
                self.plan.unchanged += 1;
            } else {
                let changed = &mut self.plan.segments.changed;
                changed.push((before.clone(), after));
            }
        }
        let mut gone: Vec<_> = removed.iter().collect();
        gone.sort_unstable();
        gone.dedup();
        let gone = gone.iter().filter_map(|key| found.segments.get(*key));
        self.plan.segments.removed = gone.cloned().collect();
    }
}
