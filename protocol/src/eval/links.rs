//! A flag's ties to other items of its environment, by position.
//!
//! Positions shift when items are added or removed; the links of all flags that have any are then worked out again.
//! Everything that depends on the whole graph is decided here, once: which prerequisites can never be met, and who
//! competes in which contest.

use std::{collections::HashMap, sync::Arc};

use super::{flag::Flag, patterns::Compiled};

/// The longest chain of prerequisites that is followed; prerequisites on a longer chain or on a cycle are never met.
const LONGEST_CHAIN: u8 = 32;

#[derive(Clone, Debug, Default)]
pub(super) struct Links {
    /// Positions of the flag's prerequisites, in order; absent where the key is unknown.
    pub(super) prerequisites: Box<[Option<u32>]>,
    /// Whether the flag lies on a cycle, above one, or on top of too long a chain.
    pub(super) is_cut: bool,
    /// How many paths lead down from the flag, which bounds how many others its evaluation can come to.
    pub(super) paths: u32,
    /// Positions of the flag's `segment_keys`; absent where the key is unknown.
    pub(super) segments: Box<[Option<u32>]>,
    /// Position of the contest.
    pub(super) group: Option<u32>,
    /// What the flag's patterns are compiled to, which depends on those of all other items.
    pub(super) compiled: Compiled,
}

/// The flags that compete with each other: positions of the enabled ones, ascending.
pub(super) type Group = Box<[u32]>;

/// Resolves keys to positions.
pub(super) trait Resolve {
    fn flag(&self, key: &str) -> Option<u32>;
    fn segment(&self, key: &str) -> Option<u32>;
}

/// Whether the links of all other flags remain correct when `new` replaces `old`.
pub(super) fn keeps_links(old: &Flag, new: &Flag) -> bool {
    let same_contest = new.group.is_empty() || old.state.is_some() == new.state.is_some();
    old.prerequisites == new.prerequisites && old.group == new.group && same_contest
}

/// The links of a flag that replaces one for which [`keeps_links`] holds.
pub(super) fn relink(
    old: Option<&Links>,
    new: &Flag,
    resolve: &impl Resolve,
) -> Option<Arc<Links>> {
    new.is_linked().then(|| {
        let mut links = Links {
            segments: segments(new, resolve),
            ..Links::default()
        };
        if let Some(old) = old {
            links.prerequisites.clone_from(&old.prerequisites);
            links.is_cut = old.is_cut;
            links.paths = old.paths;
            links.group = old.group;
        }
        Arc::new(links)
    })
}

/// The ties of all flags of an environment.
pub(super) struct All {
    /// Those of each flag, by position.
    pub(super) links: Vec<Option<Arc<Links>>>,
    pub(super) groups: Vec<Group>,
    /// Positions of the flags that others require, each after those that it requires itself.
    pub(super) required: Vec<u32>,
}

/// Works out all ties.
pub(super) fn link_all<'f>(flags: impl Iterator<Item = &'f Flag>, resolve: &impl Resolve) -> All {
    let mut contests = Contests::default();
    let mut all: Vec<Option<Links>> = (0..)
        .zip(flags)
        .map(|(position, flag)| {
            flag.is_linked().then(|| Links {
                prerequisites: flag
                    .prerequisites
                    .iter()
                    .map(|key| resolve.flag(key))
                    .collect(),
                is_cut: false,
                paths: 0,
                segments: segments(flag, resolve),
                group: contests.enter(position, flag),
                compiled: Compiled::NONE,
            })
        })
        .collect();
    let lengths = cut(&mut all);
    let required = required(&all, &lengths);
    count_paths(&mut all, &required);
    All {
        required,
        groups: contests.groups.into_iter().map(Into::into).collect(),
        links: all.into_iter().map(|links| links.map(Arc::new)).collect(),
    }
}

/// Shorter chains come first: a flag's own is longer than those of all that it requires, unless it is cut.
fn required(all: &[Option<Links>], lengths: &[u8]) -> Vec<u32> {
    let mut required: Vec<u32> = all
        .iter()
        .flatten()
        .flat_map(|links| links.prerequisites.iter().flatten().copied())
        .collect();
    required.sort_unstable_by_key(|&position| (lengths[position as usize], position));
    required.dedup();
    required
}

fn segments(flag: &Flag, resolve: &impl Resolve) -> Box<[Option<u32>]> {
    flag.segment_keys
        .iter()
        .map(|key| resolve.segment(key))
        .collect()
}

/// Flags that are cut come to no others.
fn count_paths(all: &mut [Option<Links>], required: &[u32]) {
    let below = |all: &[Option<Links>], links: &Links| {
        let known = links.prerequisites.iter().flatten();
        known.fold(0_u32, |paths, &target| {
            let links = all[target as usize].as_ref();
            let below = links.map_or(0, |links| links.paths);
            paths.saturating_add(below).saturating_add(1)
        })
    };
    // Those that are required first and in their order, then the ones on top.
    let on_top = 0..u32::try_from(all.len()).expect("positions fit 32 bits");
    for position in required.iter().copied().chain(on_top) {
        let links = all[position as usize].as_ref();
        let Some(links) = links.filter(|links| !links.is_cut) else {
            continue;
        };
        let paths = below(all, links);
        if let Some(links) = &mut all[position as usize] {
            links.paths = paths;
        }
    }
}

#[derive(Default)]
struct Contests<'f> {
    by_name: HashMap<&'f str, u32>,
    groups: Vec<Vec<u32>>,
}

impl<'f> Contests<'f> {
    fn enter(&mut self, position: u32, flag: &'f Flag) -> Option<u32> {
        if flag.group.is_empty() {
            return None;
        }
        let next =
            u32::try_from(self.groups.len()).expect("there are at most as many groups as flags");
        let group = *self.by_name.entry(&flag.group).or_insert(next);
        if group == next {
            self.groups.push(Vec::new());
        }
        if flag.state.is_some() {
            self.groups[group as usize].push(position);
        }
        Some(group)
    }
}

/// Marks the flags whose prerequisites can never be met: those on top of too long a chain, and those that reach a
/// cycle, which is a chain without end. Lengths only grow and are capped just beyond the limit, so the loop terminates.
/// Returns them.
fn cut(all: &mut [Option<Links>]) -> Vec<u8> {
    let mut lengths = vec![0; all.len()];
    let mut is_growing = true;
    while is_growing {
        is_growing = false;
        for (position, links) in all.iter().enumerate() {
            let known = links
                .iter()
                .flat_map(|links| links.prerequisites.iter().flatten());
            let Some(below) = known.map(|&target| lengths[target as usize]).max() else {
                continue;
            };
            let length = (LONGEST_CHAIN + 1).min(below + 1);
            is_growing |= length > lengths[position];
            lengths[position] = length;
        }
    }
    for (links, &length) in all.iter_mut().zip(&lengths) {
        if let Some(links) = links {
            links.is_cut = length > LONGEST_CHAIN;
        }
    }
    lengths
}
