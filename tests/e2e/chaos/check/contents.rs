//! What answers say: of each thing, the last write up to the version of the answer.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::Wrong;
use crate::chaos::history::{History, OFF, Outcome, Sight, Write};

type Note<'a> = dyn FnMut(Wrong, String) + 'a;

/// All writes of one thing.
#[derive(Default)]
struct Writes<'a> {
    /// By version, those that were acknowledged.
    ordered: BTreeMap<u64, &'a Write>,
    doubtful: Vec<Doubtful<'a>>,
}

/// A write that may have been made.
struct Doubtful<'a> {
    write: &'a Write,
    /// It was made later than this version, if at all: what had been acknowledged when it was sent.
    after: u64,
    /// It was made by this version, if at all: the first that shows it.
    by: u64,
}

impl<'a> Writes<'a> {
    /// The last acknowledged write up to this version.
    fn last(&self, version: u64) -> Option<(u64, &'a Write)> {
        let last = self.ordered.range(..=version).next_back();
        last.map(|(&version, &write)| (version, write))
    }

    fn may_show(&self, sight: &Sight, version: u64, answered: Duration) -> bool {
        let last = self.last(version);
        let least = last.map_or(0, |(version, _)| version);
        // What was shown once is not undone.
        let is_replaced =
            |doubtful: &Doubtful<'_>| doubtful.by <= version && doubtful.after >= least;
        let is_last = last.is_some_and(|(_, write)| sight.fits(&write.value))
            && !self.doubtful.iter().any(is_replaced);
        is_last
            || self.doubtful.iter().any(|doubtful| {
                sight.fits(&doubtful.write.value)
                    && doubtful.write.span.from <= answered
                    && doubtful.by > least.max(doubtful.after)
                    && version > doubtful.after
            })
    }

    /// Why it may not: whether somebody wrote that at all.
    fn blame(&self, sight: &Sight, version: u64, answered: Duration) -> Wrong {
        let mut earlier = self.ordered.range(..=version).map(|(_, &write)| write);
        let mut doubtful = self.doubtful.iter().map(|doubtful| doubtful.write);
        let fits = |write: &Write| sight.fits(&write.value) && write.span.from <= answered;
        if earlier.any(fits) || doubtful.any(fits) {
            Wrong::Lost
        } else {
            Wrong::Invented
        }
    }
}

pub(super) fn check(history: &History, note: &mut Note<'_>) {
    order(history, note);
    let writes = by_item(history);
    let mut shown: HashMap<(u64, &str), &Sight> = HashMap::new();
    for read in &history.reads {
        let Some(seen) = read.outcome.done() else {
            continue;
        };
        for (item, sight) in &seen.items {
            let of = &writes[item.as_str()];
            if !of.may_show(sight, seen.version, read.span.to) {
                let last = of.last(seen.version);
                let wrong = of.blame(sight, seen.version, read.span.to);
                note(wrong, format!("{item} after {last:?}: {read:?}"));
            }
            if matches!(sight, Sight::Is(_)) {
                let other = *shown.entry((seen.version, item)).or_insert(sight);
                if other != sight {
                    note(Wrong::Disordered, format!("{item} was {other:?}: {read:?}"));
                }
            }
        }
        for [one, other] in &history.pairs {
            if seen.items.get(one) != seen.items.get(other) {
                note(Wrong::Mixed, format!("{read:?}"));
            }
        }
    }
    kept(history, &writes, note);
}

/// Whether versions are drawn once each, and by a write later than by those that were acknowledged before it was sent.
fn order(history: &History, note: &mut Note<'_>) {
    let mut drawn: HashMap<u64, &Write> = HashMap::new();
    let mut acknowledged: Vec<_> = history.writes.iter().filter_map(versioned).collect();
    for &(version, write) in &acknowledged {
        if let Some(other) = drawn.insert(version, write) {
            note(
                Wrong::Disordered,
                format!("{other:?} has the version of {write:?}"),
            );
        }
    }
    acknowledged.sort_by_key(|(_, write)| write.span.to);
    let before = newest_before(&acknowledged);
    for (version, write) in acknowledged {
        let least = before(write.span.from);
        if version <= least {
            note(
                Wrong::Disordered,
                format!("after version {least}: {write:?}"),
            );
        }
    }
}

fn versioned(write: &Write) -> Option<(u64, &Write)> {
    let version = write.outcome.done().copied().flatten()?;
    Some((version, write))
}

/// The newest version that was acknowledged before a moment. They are in the order of their answers.
pub(super) fn newest_before(acknowledged: &[(u64, &Write)]) -> impl Fn(Duration) -> u64 + use<> {
    let mut newest = 0;
    let steps: Vec<_> = acknowledged
        .iter()
        .map(|(version, write)| {
            newest = newest.max(*version);
            (write.span.to, newest)
        })
        .collect();
    move |moment| {
        let before = steps.partition_point(|(to, _)| *to < moment);
        before.checked_sub(1).map_or(0, |last| steps[last].1)
    }
}

/// Acknowledged writes with their versions, in the order of their answers.
pub(super) fn acknowledged(history: &History) -> Vec<(u64, &Write)> {
    let mut all: Vec<_> = history.writes.iter().filter_map(versioned).collect();
    all.sort_by_key(|(_, write)| write.span.to);
    all
}

fn by_item(history: &History) -> HashMap<&str, Writes<'_>> {
    let before = newest_before(&acknowledged(history));
    let mut all: HashMap<&str, Writes<'_>> = HashMap::new();
    let first_shown = first_shown(history);
    for write in &history.writes {
        for item in &write.items {
            let of = all.entry(item).or_default();
            match write.outcome {
                Outcome::Done(Some(version)) => drop(of.ordered.insert(version, write)),
                // A refusal by the client's fault changes nothing; one by the server's may come after a commit.
                Outcome::Done(None) | Outcome::Refused(..500) => {}
                Outcome::Refused(_) | Outcome::Unanswered => of.doubtful.push(Doubtful {
                    write,
                    after: before(write.span.from),
                    by: match write.value.as_str() {
                        OFF => u64::MAX,
                        value => *first_shown.get(value).unwrap_or(&u64::MAX),
                    },
                }),
            }
        }
    }
    all
}

/// By value, the first version that shows it.
fn first_shown(history: &History) -> HashMap<&str, u64> {
    let mut first: HashMap<&str, u64> = HashMap::new();
    let seen = history.reads.iter().filter_map(|read| read.outcome.done());
    for seen in seen {
        for sight in seen.items.values() {
            if let Sight::Is(value) = sight {
                let version = first.entry(value).or_insert(seen.version);
                *version = seen.version.min(*version);
            }
        }
    }
    first
}

/// Whether all that was acknowledged is stored at the end, and nothing was done twice.
fn kept(history: &History, writes: &HashMap<&str, Writes<'_>>, note: &mut Note<'_>) {
    let kept = &history.kept;
    for (item, sight) in &kept.values {
        if !writes[item.as_str()].may_show(sight, u64::MAX, Duration::MAX) {
            note(Wrong::Lost, format!("{item} is {sight:?} at the end"));
        }
    }
    for write in &history.writes {
        if !write.items.iter().all(|item| history.noted.contains(item)) {
            continue;
        }
        let times = kept.notes.get(&write.note).copied().unwrap_or_default();
        // Killing what is off already makes no history.
        let is_made = matches!(write.outcome, Outcome::Done(Some(_))) && write.value != OFF;
        if times > write.items.len() {
            note(Wrong::Disordered, format!("made {times} times: {write:?}"));
        } else if is_made && times < write.items.len() {
            note(Wrong::Lost, format!("in no history: {write:?}"));
        }
    }
}
