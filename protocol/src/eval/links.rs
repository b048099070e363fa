//! What ties a flag to other items of its environment, by position.
//!
//! Positions shift when items come and go, so links are worked out anew then, for all flags that have any. Everything
//! that depends on the whole graph is decided here, once: which prerequisites can never be met, and who is in a contest.

use std::{
    collections::{BTreeMap, HashMap},
    sync::Arc,
};

use super::flag::Flag;

/// Prerequisite links in a row that are followed; what lies on a longer chain, or on a cycle, is never met.
const LONGEST_CHAIN: u8 = 32;

#[derive(Debug, Default)]
pub(super) struct Links {
    /// Positions of the flag's prerequisites in their order; absent where the key is unknown.
    pub(super) prerequisites: Box<[Option<u32>]>,
    /// The flag lies on a cycle, above one, or on top of too long a chain.
    pub(super) is_cut: bool,
    /// Positions of the flag's `segment_keys`, absent where the key is unknown.
    pub(super) segments: Box<[Option<u32>]>,
    /// Position of the contest.
    pub(super) group: Option<u32>,
}

/// The flags that contend with each other: positions of the enabled ones, ascending.
pub(super) type Group = Box<[u32]>;

/// Resolves keys to positions.
pub(super) trait Resolve {
    fn flag(&self, key: &str) -> Option<u32>;
    fn segment(&self, key: &str) -> Option<u32>;
}

/// Whether the links of all other flags stay right when one version of a flag takes the place of the other.
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
            links.group = old.group;
        }
        Arc::new(links)
    })
}

/// The links of all flags, and the contests that they name.
pub(super) fn link_all<'f>(
    flags: impl ExactSizeIterator<Item = &'f Flag>,
    resolve: &impl Resolve,
) -> (Vec<Option<Arc<Links>>>, Vec<Group>) {
    let mut linked = BTreeMap::new();
    let mut contests: Contests<'_> = Contests::default();
    let length = flags.len();
    for (position, flag) in (0..).zip(flags) {
        if flag.is_linked() {
            let links = Links {
                prerequisites: flag
                    .prerequisites
                    .iter()
                    .map(|key| resolve.flag(key))
                    .collect(),
                is_cut: false,
                segments: segments(flag, resolve),
                group: contests.enter(position, flag),
            };
            linked.insert(position, links);
        }
    }
    cut(&mut linked);

    let mut all = vec![None; length];
    for (position, links) in linked {
        all[position as usize] = Some(Arc::new(links));
    }
    (all, contests.groups.into_iter().map(Into::into).collect())
}

fn segments(flag: &Flag, resolve: &impl Resolve) -> Box<[Option<u32>]> {
    flag.segment_keys
        .iter()
        .map(|key| resolve.segment(key))
        .collect()
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

/// Marks the flags whose prerequisites can never be met.
///
/// Lengths of chains grow by at most one a round, so after one round more than the longest chain allowed exactly the too
/// long ones and those that reach a cycle have passed the limit.
fn cut(linked: &mut BTreeMap<u32, Links>) {
    let mut lengths: HashMap<u32, u8> = linked
        .iter()
        .filter(|(_, links)| !links.prerequisites.is_empty())
        .map(|(&position, _)| (position, 0))
        .collect();
    for _ in 0..=LONGEST_CHAIN {
        let mut longer = lengths.clone();
        for (position, length) in &mut longer {
            let known = linked[position].prerequisites.iter().flatten();
            let below = known
                .map(|target| lengths.get(target).copied().unwrap_or(0))
                .max();
            *length = below.map_or(0, |below| below + 1);
        }
        if longer == lengths {
            break;
        }
        lengths = longer;
    }
    for (position, length) in lengths {
        if let Some(links) = linked.get_mut(&position) {
            links.is_cut = length > LONGEST_CHAIN;
        }
    }
}
