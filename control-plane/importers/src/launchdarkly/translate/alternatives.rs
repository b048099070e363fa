//! Lists of conditions of which one has to hold.

use std::collections::HashSet;

use protocol::rule::Condition;

use super::{
    super::wire::{self, Target},
    notes::{Note, Notes, Place},
};
use crate::plan::{copies::copy, rules::condition};

/// Lists of conditions, one of which has to hold.
pub(super) type Alternatives = Vec<Vec<Condition>>;

/// As many segments does one become at most, and conditions of one of them.
pub(super) const MAX_PARTS: usize = 100;
pub(super) const MAX_CONDITIONS: usize = 1_000;
/// Keys in one condition.
const MAX_KEYS: usize = 10_000;
/// What holds when one of the first and one of the second hold.
pub(super) fn both(first: &Alternatives, second: &Alternatives) -> Result<Alternatives, String> {
    let conditions = |alternatives: &Alternatives| alternatives.iter().map(Vec::len).sum::<usize>();
    let total = conditions(first) * second.len() + conditions(second) * first.len();
    if first.len() * second.len() > MAX_PARTS
        || total > MAX_CONDITIONS.max(conditions(first) + conditions(second))
    {
        return Err("it takes too many combinations here".to_owned());
    }
    let joined = |one: &Vec<Condition>, other: &Vec<Condition>| {
        one.iter().chain(other).filter_map(copy).collect()
    };
    Ok(first
        .iter()
        .flat_map(|one| second.iter().map(move |other| joined(one, other)))
        .collect())
}

/// The keys of users among those who are listed; others are left out.
pub(super) fn users<'a>(
    keys: &'a [String],
    contexts: &'a [Target],
    listed: &str,
    notes: &mut Notes,
) -> Vec<&'a str> {
    let mut users: Vec<&str> = keys.iter().map(String::as_str).collect();
    for target in contexts {
        if wire::is_user(&target.context_kind) {
            users.extend(target.values.iter().map(String::as_str));
        } else if !target.values.is_empty() {
            let kind = &target.context_kind;
            notes.add(
                "",
                Place::Whole,
                Note::drop(format!(
                    "{listed} contexts of the kind `{kind}` are left out"
                )),
            );
        }
    }
    let mut seen = HashSet::new();
    users.retain(|key| seen.insert(*key));
    users
}

/// Conditions on the key, for lists of any length.
pub(super) fn keys<'a>(
    operator: &'a str,
    keys: &'a [&str],
) -> impl Iterator<Item = Condition> + 'a {
    keys.chunks(MAX_KEYS)
        .map(move |chunk| condition("key", operator, chunk.iter().copied()))
}
