//! What a draft is to edges: the items that it changes, and what must be known of requests to tell what these do.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use protocol::{
    snapshot::{Condition, Flag, Segment, Snapshot, Version},
    what_if::Draft,
};

use crate::sampling::model::{Keys, Sampling};

/// A draft, compared with what is stored.
#[derive(Debug)]
pub struct Compared {
    /// Of the contents that it was compared with.
    pub version: Version,
    pub draft: Draft,
    /// Attributes that decide the answers and are not kept, sorted.
    pub not_sampled: Vec<String>,
    /// Whether rules name keys, of which only hashes are kept.
    pub names_keys: bool,
}

impl Compared {
    /// Compares the contents of an environment without and with a draft.
    pub fn new(before: &Snapshot, after: &Snapshot, sampling: &Sampling) -> Self {
        let (flags, removed_flags) = changed(&before.flags, &after.flags, |flag| &flag.key);
        let (segments, removed_segments) =
            changed(&before.segments, &after.segments, |segment| &segment.key);
        let draft = Draft {
            flags,
            removed_flags,
            segments,
            removed_segments,
        };
        let used = attributes([before, after], &draft);
        let is_kept = |name: &str| sampling.attributes.iter().any(|kept| kept == name);
        let not_sampled = used.iter().filter(|&&name| name != "key" && !is_kept(name));
        Self {
            version: before.head.version,
            not_sampled: not_sampled.map(|&name| name.to_owned()).collect(),
            names_keys: sampling.keys == Keys::Hashed && used.contains("key"),
            draft,
        }
    }

    /// Whether no answer can change.
    pub fn is_empty(&self) -> bool {
        self.draft == Draft::default()
    }
}

/// The items that are new or different, and the keys of those that are gone.
fn changed<T: Clone + PartialEq>(
    before: &[T],
    after: &[T],
    key: impl Fn(&T) -> &String,
) -> (Vec<T>, Vec<String>) {
    let were: HashMap<_, _> = before.iter().map(|item| (key(item), item)).collect();
    let are: HashSet<_> = after.iter().map(&key).collect();
    let differs = |item: &&T| were.get(key(item)) != Some(item);
    let upserts = after.iter().filter(differs).cloned().collect();
    let gone = before.iter().map(&key).filter(|key| !are.contains(key));
    (upserts, gone.cloned().collect())
}

/// The attributes that decide answers which the draft can change.
fn attributes<'a>(sides: [&'a Snapshot; 2], draft: &'a Draft) -> BTreeSet<&'a str> {
    let reached = reached(sides, draft);
    let mut used = BTreeSet::new();
    for side in sides {
        let decisive = decisive(side, &reached);
        let mut segments = BTreeSet::new();
        let flags = side.flags.iter();
        for flag in flags.filter(|flag| decisive.contains(flag.key.as_str())) {
            for rule in flag.state.iter().flat_map(|state| &state.rules) {
                used.extend(names(&rule.conditions));
                segments.extend(rule.segment_keys.iter().map(String::as_str));
            }
        }
        let named = |segment: &&Segment| segments.contains(segment.key.as_str());
        for segment in side.segments.iter().filter(named) {
            used.extend(names(&segment.rules));
        }
    }
    used
}

fn names(conditions: &[Condition]) -> impl Iterator<Item = &str> {
    conditions.iter().map(|condition| &*condition.attribute)
}

/// The flags whose answers the draft can change: its own, those with rules that name its segments, those that require one of them,
/// and those that compete with one.
fn reached<'a>(sides: [&'a Snapshot; 2], draft: &'a Draft) -> HashSet<&'a str> {
    let changed = draft.segments.iter().map(|segment| &segment.key);
    let segments: HashSet<_> = changed.chain(&draft.removed_segments).collect();
    let named = draft.flags.iter().map(|flag| &flag.key);
    let mut reached: HashSet<_> = named
        .chain(&draft.removed_flags)
        .map(String::as_str)
        .collect();
    let flags = || sides.into_iter().flat_map(|side| &side.flags);
    for flag in flags() {
        let mut rules = flag.state.iter().flat_map(|state| &state.rules);
        if rules.any(|rule| rule.segment_keys.iter().any(|key| segments.contains(key))) {
            reached.insert(&flag.key);
        }
    }
    let mut above: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for flag in flags() {
        for key in &flag.prerequisites {
            above.entry(key).or_default().push(&flag.key);
        }
        if let Some(group) = group(flag) {
            groups.entry(group).or_default().push(&flag.key);
        }
    }
    let of_group: HashMap<_, _> = groups
        .values()
        .flat_map(|members| members.iter().map(move |&member| (member, members)))
        .collect();
    let mut next: Vec<_> = reached.iter().copied().collect();
    while let Some(key) = next.pop() {
        let members = of_group.get(key).into_iter().copied().flatten();
        for &other in above.get(key).into_iter().flatten().chain(members) {
            if reached.insert(other) {
                next.push(other);
            }
        }
    }
    reached
}

/// The flags that decide the answers of some: these, what they require, and with whom they compete.
fn decisive<'a>(side: &'a Snapshot, reached: &HashSet<&'a str>) -> HashSet<&'a str> {
    let by_key: HashMap<_, _> = side.flags.iter().map(|flag| (&*flag.key, flag)).collect();
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for flag in &side.flags {
        if let Some(group) = group(flag) {
            groups.entry(group).or_default().push(&flag.key);
        }
    }
    let mut found = reached.clone();
    let mut next: Vec<_> = found.iter().copied().collect();
    while let Some(key) = next.pop() {
        let Some(flag) = by_key.get(key) else {
            continue;
        };
        let members = group(flag).and_then(|group| groups.get(group));
        let required = flag.prerequisites.iter().map(String::as_str);
        for other in required.chain(members.into_iter().flatten().copied()) {
            if found.insert(other) {
                next.push(other);
            }
        }
    }
    found
}

fn group(flag: &Flag) -> Option<&str> {
    Some(&*flag.mutual_exclusion_group).filter(|group| !group.is_empty())
}
