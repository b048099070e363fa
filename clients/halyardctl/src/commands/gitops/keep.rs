//! Whether a file says already what the project has, so that it keeps its bytes.

use files::content::{Content, Environment, Flag, State, changed_fields};

/// Whether the only thing that a file has is what the project has.
pub(super) fn is_same(written: &Content, stored: &Content) -> bool {
    let is_of_flags = |key: &String, flag: &Flag| {
        let other = stored.flags.get(key);
        other.is_some_and(|other| same_flag(flag, other, &stored.slugs()))
    };
    let same_segments = written.segments.iter().all(|(key, segment)| {
        let other = stored.segments.get(key);
        other.is_some_and(|other| changed_fields(other, segment).is_empty())
    });
    let same_environments =
        written.environments.is_empty() || written.environments == stored.environments;
    same_environments
        && same_segments
        && written
            .flags
            .iter()
            .all(|(key, flag)| is_of_flags(key, flag))
}

fn same_flag(written: &Flag, stored: &Flag, slugs: &[&str]) -> bool {
    let initial = State::default();
    let slugs_of_states = written.states.keys().chain(stored.states.keys());
    let mut pairs = slugs_of_states.map(|slug| {
        let of = |flag: &Flag| flag.states.get(slug).unwrap_or(&initial).clone();
        (slug, of(written), of(stored))
    });
    changed_fields(stored, written).is_empty()
        && pairs.all(|(slug, mut written, stored)| {
            written.adopt_ids(&stored.rules);
            slugs.contains(&slug.as_str()) && changed_fields(&stored, &written).is_empty()
        })
}

/// The environments in the order of a list that is there already; others follow.
pub(super) fn in_order_of(stored: &mut [Environment], written: &[Environment]) {
    stored.sort_by_key(|one| {
        let place = written.iter().position(|other| other.slug == one.slug);
        place.unwrap_or(usize::MAX)
    });
}
