//! What a flag must pass before its own state is considered: mutual exclusion and prerequisites.

use super::{
    Environment, Evaluation,
    bucket::{Seed, bucket},
    context::Context,
    engine,
    links::Links,
    observer::Observer,
    scratch::Scratch,
};
use crate::{reason::Reason, snapshot::FlagType};

/// The work of a flag without its conditions.
pub(super) const FLAG: u64 = 128;

/// Whether the flag at `position` wins the contest of its group, which is held once for all members.
pub(super) fn wins_contest<O: Observer>(
    env: &Environment,
    group: u32,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    // Somebody wants to see the buckets: the contest is held again.
    if !O::EXHAUSTIVE
        && let Some(winner) = scratch.winner(group)
    {
        return winner == position;
    }
    let winner = hold_contest(env, group, position, context, scratch, observer);
    if let Some(winner) = winner {
        scratch.remember_winner(group, winner, env.groups.len());
    }
    winner == Some(position)
}

/// The member with the lowest bucket. Ties go to the smaller key: members are in key order.
// Apart, because hardly any flag comes this way.
#[inline(never)]
fn hold_contest<O: Observer>(
    env: &Environment,
    group: u32,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> Option<u32> {
    let members = env.group(group)?;
    // The work of hashing each member's key with that of the context.
    scratch.work += 64 * members.len() as u64;
    let mut best: Option<(u16, u32)> = None;
    for &member in members {
        let Some(entry) = env.entry(member) else {
            continue;
        };
        let bucket = bucket(Seed::Mutex, entry.flag.key.as_str(), &context.key);
        if member == position {
            observer.bucket(Seed::Mutex, bucket);
        }
        if best.is_none_or(|(lowest, _)| bucket < lowest) {
            best = Some((bucket, member));
        }
    }
    let winner = best.map(|(_, member)| member);
    observer.contest(members, winner);
    winner
}

/// Whether every prerequisite is met. Each flag is evaluated as a prerequisite only once, so this is linear in the number
/// of links.
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

/// Whether the flag at `position` lets those pass that require it.
#[inline]
pub(super) fn is_met<O: Observer>(
    env: &Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    match scratch.prerequisite(position) {
        Some(met) => met,
        None => evaluate_prerequisite(env, position, context, scratch, observer),
    }
}

// Apart, so that going through prerequisites that are known stays a short loop.
#[inline(never)]
fn evaluate_prerequisite<O: Observer>(
    env: &Environment,
    position: u32,
    context: &Context<'_>,
    scratch: &mut Scratch,
    observer: &mut O,
) -> bool {
    let Some(entry) = env.entry(position) else {
        return false;
    };
    scratch.work += FLAG;
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
    scratch.remember_prerequisite(position, met, env.len());
    observer.prerequisite(entry.flag.key.as_str(), met, &evaluation);
    met
}
