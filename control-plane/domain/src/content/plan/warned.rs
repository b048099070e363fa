//! What flags require of each other in the end: cycles are refused, and what is never met is warned about.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Making, cycles::on_cycles};
use base::{input::visible, warning::Warning};

/// Warnings that are kept.
const MOST: usize = 100;
/// Flags that a warning names.
const NAMED: usize = 5;

impl Making<'_> {
    pub(super) fn check_prerequisites(&mut self) {
        let flags = &self.plan.flags;
        let removal = self.removal.flags.as_deref().unwrap_or_default();
        let removed: HashSet<_> = removal.iter().map(String::as_str).collect();
        let mut edges: HashMap<&str, &[String]> = HashMap::new();
        let mut archived: HashSet<&str> = HashSet::new();
        for one in &self.found.required {
            if !removed.contains(one.key.as_str()) {
                edges.insert(&one.key, &one.prerequisites);
            }
            if one.is_archived {
                archived.insert(&one.key);
            }
        }
        let mut changed: BTreeSet<&str> = BTreeSet::new();
        for flag in &flags.new {
            edges.insert(&flag.key, &flag.prerequisites);
            changed.insert(&flag.key);
        }
        for (before, after) in &flags.changed {
            if before.prerequisites != after.prerequisites {
                edges.insert(&after.key, &after.prerequisites);
                changed.insert(&after.key);
            }
        }
        let mut ended: Vec<&str> = removed.iter().copied().collect();
        for flag in self.given.flags() {
            let Some(key) = flag.key.as_deref() else {
                continue;
            };
            match flag.archived {
                Some(true) if archived.insert(key) => ended.push(key),
                Some(false) => {
                    archived.remove(key);
                }
                Some(true) | None => {}
            }
        }
        ended.sort_unstable();
        for key in on_cycles(&edges, &changed) {
            let place = format!("flags.{key}.prerequisites");
            let message = "prerequisites must not form a cycle";
            self.problems.add(place, message);
        }
        let mut warnings = unmet(&edges, &archived, &changed);
        warnings.extend(missed(&edges, &archived, &ended));
        warnings.truncate(MOST);
        self.plan.warnings = warnings;
    }
}

/// Warns about prerequisites that are met for nobody.
fn unmet(
    edges: &HashMap<&str, &[String]>,
    archived: &HashSet<&str>,
    changed: &BTreeSet<&str>,
) -> Vec<Warning> {
    let required = changed.iter().flat_map(|key| {
        let required = edges.get(key).copied().unwrap_or_default();
        required.iter().map(move |one| (*key, one.as_str()))
    });
    let unmet = required.filter_map(|(key, one)| {
        let message = if archived.contains(one) {
            format!("the flag {} is archived", visible(one))
        } else if edges.contains_key(one) {
            return None;
        } else {
            format!("no flag has the key {}", visible(one))
        };
        let place = format!("flags.{}.prerequisites", visible(key));
        Some(Warning { place, message })
    });
    unmet.take(MOST).collect()
}

/// Warns about flags that fail closed, since one that they require ends.
fn missed(
    edges: &HashMap<&str, &[String]>,
    archived: &HashSet<&str>,
    ended: &[&str],
) -> Vec<Warning> {
    if ended.is_empty() {
        return Vec::new();
    }
    let wanted: HashSet<_> = ended.iter().copied().collect();
    let mut requiring: HashMap<&str, BTreeSet<&str>> = HashMap::new();
    for (&key, &required) in edges {
        for one in required {
            if wanted.contains(one.as_str()) && !archived.contains(key) {
                requiring.entry(one).or_default().insert(key);
            }
        }
    }
    let missed = ended.iter().filter_map(|key| {
        let by = requiring.get(key)?;
        let mut named: Vec<_> = by.iter().take(NAMED).map(|key| visible(key)).collect();
        if by.len() > NAMED {
            named.push(format!("{} more", by.len() - NAMED));
        }
        Some(Warning {
            place: format!("flags.{}", visible(key)),
            message: format!("required by {}", named.join(", ")),
        })
    });
    missed.take(MOST).collect()
}
