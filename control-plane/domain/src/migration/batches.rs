//! What is to be written, in an order and in batches.

use std::collections::{HashMap, HashSet};

use super::{
    fit::{Fit, FlagWithStates},
    model::{Item, ItemKind},
    target::{Standing, item},
};
use crate::segments::model::Segment;

pub(super) enum Work {
    Segment(Fit<Segment>),
    Flag(Fit<FlagWithStates>),
}

impl Work {
    fn rows(&self) -> usize {
        match self {
            Self::Segment(_) => 1,
            Self::Flag(fit) => 1 + fit.made.states.len(),
        }
    }

    fn bytes(&self) -> i64 {
        match self {
            Self::Segment(fit) => fit.made.compiled_bytes.into(),
            Self::Flag(fit) => {
                let states = fit.made.states.iter();
                let states = states.map(|(_, state)| i64::from(state.compiled_bytes));
                i64::from(fit.made.flag.compiled_bytes) + states.sum::<i64>()
            }
        }
    }

    pub(super) fn item(&self) -> Item {
        match self {
            Self::Segment(fit) => item(ItemKind::Segment, fit, &fit.made.key, Standing::New),
            Self::Flag(fit) => item(ItemKind::Flag, fit, &fit.made.flag.key, Standing::New),
        }
    }

    pub(super) fn name(&self) -> (ItemKind, String) {
        match self {
            Self::Segment(fit) => (ItemKind::Segment, fit.made.key.clone()),
            Self::Flag(fit) => (ItemKind::Flag, fit.made.flag.key.clone()),
        }
    }

    pub(super) fn refused(&self, reason: &str) -> Item {
        match self {
            Self::Segment(fit) => Item::skipped(ItemKind::Segment, &fit.source, reason),
            Self::Flag(fit) => Item::skipped(ItemKind::Flag, &fit.source, reason),
        }
    }
}

/// What is settled without writing, and what is to be written, in batches: segments before the flags that use them, and flags before
/// those that require them.
pub(super) fn batches(
    segments: Vec<(Fit<Segment>, Standing)>,
    flags: Vec<(Fit<FlagWithStates>, Standing)>,
) -> (Vec<Item>, Vec<Vec<Work>>) {
    let mut settled = Vec::new();
    let mut work = Vec::new();
    for (fit, standing) in segments {
        match standing {
            Standing::New => work.push(Work::Segment(fit)),
            there => settled.push(item(ItemKind::Segment, &fit, &fit.made.key, there)),
        }
    }
    let mut new = Vec::new();
    for (fit, standing) in flags {
        match standing {
            Standing::New => new.push(fit),
            there => settled.push(item(ItemKind::Flag, &fit, &fit.made.flag.key, there)),
        }
    }
    work.extend(required_first(new).into_iter().map(Work::Flag));
    (settled, in_batches(work))
}

/// Flags before those that require them, else in their order. There are no cycles.
fn required_first(flags: Vec<Fit<FlagWithStates>>) -> Vec<Fit<FlagWithStates>> {
    let places: HashMap<_, _> = flags
        .iter()
        .enumerate()
        .map(|(place, fit)| (fit.made.flag.key.clone(), place))
        .collect();
    let mut left: Vec<Option<Fit<FlagWithStates>>> = flags.into_iter().map(Some).collect();
    let mut ordered = Vec::with_capacity(left.len());
    for first in 0..left.len() {
        let mut waiting = vec![first];
        let mut is_waiting = HashSet::from([first]);
        while let Some(&place) = waiting.last() {
            let required = left[place].as_ref().and_then(|fit| {
                let keys = fit.made.flag.prerequisites.iter();
                let mut places = keys.filter_map(|key| places.get(key).copied());
                places.find(|required| left[*required].is_some() && !is_waiting.contains(required))
            });
            match required {
                Some(required) => {
                    is_waiting.insert(required);
                    waiting.push(required);
                }
                None => {
                    waiting.pop();
                    ordered.extend(left[place].take());
                }
            }
        }
    }
    ordered
}

/// At least one batch, since environments come with the first.
fn in_batches(work: Vec<Work>) -> Vec<Vec<Work>> {
    let mut batches = vec![Vec::new()];
    let (mut rows, mut bytes) = (0, 0);
    for work in work {
        rows += work.rows();
        bytes += work.bytes();
        // Five thousand flags in five environments are one batch. The bytes are those of compiled states.
        if rows > 30_000 || bytes > 16 * 1024 * 1024 {
            (rows, bytes) = (work.rows(), work.bytes());
            batches.push(vec![work]);
        } else if let Some(batch) = batches.last_mut() {
            batch.push(work);
        }
    }
    batches
}
