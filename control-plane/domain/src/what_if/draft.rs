//! What a draft is to edges: the items that it changes, and what must be known of requests to tell what these do.

use std::collections::{BTreeSet, HashMap, HashSet};

use protocol::{
    eval::{Environment, PrepareError},
    snapshot::{Condition, Snapshot, Version},
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
    pub fn new(
        before: &Snapshot,
        after: &Snapshot,
        sampling: &Sampling,
    ) -> Result<Self, PrepareError> {
        let (flags, removed_flags) = changed(&before.flags, &after.flags, |flag| &flag.key);
        let (segments, removed_segments) =
            changed(&before.segments, &after.segments, |segment| &segment.key);
        let draft = Draft {
            flags,
            removed_flags,
            segments,
            removed_segments,
        };
        let used = attributes([before, after], &draft)?;
        let is_kept = |name: &str| sampling.attributes.iter().any(|kept| kept == name);
        let not_sampled = used.iter().filter(|&&name| name != "key" && !is_kept(name));
        Ok(Self {
            version: before.head.version,
            not_sampled: not_sampled.map(|&name| name.to_owned()).collect(),
            names_keys: sampling.keys == Keys::Hashed && used.contains("key"),
            draft,
        })
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

/// The attributes that decide answers which the draft can change, without it or with it.
fn attributes<'a>(
    sides: [&'a Snapshot; 2],
    draft: &Draft,
) -> Result<BTreeSet<&'a str>, PrepareError> {
    let mut used = BTreeSet::new();
    for side in sides {
        let environment = Environment::prepare(side)?;
        let affected = environment.affected_by(draft);
        let required = environment.required_by(affected.iter().copied());
        let decisive = affected.into_iter().chain(required);
        let decisive: HashSet<_> = decisive.map(|flag| environment.key(flag)).collect();
        let mut segments = HashSet::new();
        for flag in side
            .flags
            .iter()
            .filter(|flag| decisive.contains(&*flag.key))
        {
            for rule in flag.state.iter().flat_map(|state| &state.rules) {
                used.extend(names(&rule.conditions));
                segments.extend(&rule.segment_keys);
            }
        }
        for segment in side.segments.iter().filter(|it| segments.contains(&it.key)) {
            used.extend(names(&segment.rules));
        }
    }
    Ok(used)
}

fn names(conditions: &[Condition]) -> impl Iterator<Item = &str> {
    conditions.iter().map(|condition| &*condition.attribute)
}
