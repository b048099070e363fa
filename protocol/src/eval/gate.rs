//! What a flag must pass before its own state is considered: mutual exclusion and prerequisites.

use super::{
    Environment, Evaluation,
    bucket::{Seed, bucket},
    context::Context,
    engine,
    links::{Group, Links},
    observer::Observer,
    scratch::Scratch,
};
use crate::{reason::Reason, snapshot::FlagType};

/// Whether the flag at `position` has the lowest bucket of its group. Ties go to the smaller key: members are in key
/// order.
pub(super) fn wins_contest<O: Observer>(
    env: &Environment,
    group: &Group,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    let mut best: Option<(u16, u32)> = None;
    for &member in group {
        let Some(entry) = env.entry(member) else {
            continue;
        };
        let bucket = bucket(
            Seed::Mutex,
            entry.flag.key.as_str(),
            &context.key,
            &mut scratch.bytes,
        );
        if member == position {
            observer.bucket(Seed::Mutex, bucket);
        }
        if best.is_none_or(|(lowest, _)| bucket < lowest) {
            best = Some((bucket, member));
        }
    }
    let winner = best.map(|(_, member)| member);
    observer.contest(group, winner);
    winner == Some(position)
}

/// Whether every prerequisite is met. Each flag is evaluated only once in the whole evaluation, so this is linear in
/// the number of links.
pub(super) fn prerequisites_are_met<O: Observer>(
    env: &Environment,
    links: &Links,
    keys: &[Box<str>],
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    // Decided when the environment was prepared, which also bounds the recursion below.
    if links.is_cut {
        return false;
    }
    let mut all_met = true;
    for (key, position) in keys.iter().zip(&links.prerequisites) {
        let met = match position {
            Some(position) => is_met(env, *position, context, scratch, observer),
            None => {
                observer.prerequisite(key, false, &Evaluation::NOT_FOUND);
                false
            }
        };
        all_met &= met;
        if !met && !O::EXHAUSTIVE {
            break;
        }
    }
    all_met
}

fn is_met<O: Observer>(
    env: &Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    if let Some(met) = scratch.recall(position) {
        return met;
    }
    let Some(entry) = env.entry(position) else {
        return false;
    };
    let evaluation = engine::decide(env, position, context, scratch, observer.nested());
    let met = match evaluation.reason {
        Reason::NotFound
        | Reason::Disabled
        | Reason::MutuallyExcluded
        | Reason::PrerequisiteFailed
        | Reason::Error => false,
        Reason::Targeted | Reason::Rollout | Reason::Variant | Reason::Fallthrough => {
            // Flags of other types are met by being on: there is no value that means off.
            entry.flag.flag_type != FlagType::Boolean || evaluation.value_json == "true"
        }
    };
    scratch.remember(position, met, env.len());
    observer.prerequisite(entry.flag.key.as_str(), met, &evaluation);
    met
}
