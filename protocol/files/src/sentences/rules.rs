//! Rules of a state. They are known by their id, and named by their description, else by their place.

use std::collections::HashSet;

use crate::content::same;
use protocol::rule::{Condition, TargetingRule};

use super::{
    Sentence, added, changed, conditions, of_list, removed,
    values::{rollout, value, values},
};

const THE_DEFAULT: &str = "the default";

/// A rule in a sentence.
struct Named {
    /// `Rule beta users`, or `Rule 2`.
    rule: String,
    /// The same where nothing else in the sentence says which one it is: `Rule 2 (country is one of NL)`.
    which: String,
    has_name: bool,
}

fn named(rule: &TargetingRule, place: usize) -> Named {
    let has_name = !rule.description.is_empty();
    let told = if has_name {
        format!("Rule {}", rule.description)
    } else {
        format!("Rule {}", place + 1)
    };
    let which = if has_name {
        told.clone()
    } else {
        format!("{told} ({})", whom(rule).join("; "))
    };
    Named {
        rule: told,
        which,
        has_name,
    }
}

/// The rules in the order in which they are tried.
fn in_order(rules: &[TargetingRule]) -> Vec<&TargetingRule> {
    let mut order: Vec<_> = rules.iter().collect();
    order.sort_by_key(|rule| rule.priority);
    order
}

pub(super) fn of_rules(before: &[TargetingRule], after: &[TargetingRule]) -> Vec<Sentence> {
    let (old, new) = (in_order(before), in_order(after));
    let ids = |rules: &[&TargetingRule]| -> Vec<String> {
        rules.iter().map(|rule| rule.id.clone()).collect()
    };
    let (old_ids, new_ids) = (ids(&old), ids(&new));
    let moved = moved(&old_ids, &new_ids);
    let mut found = Vec::new();
    for (place, rule) in old.iter().enumerate() {
        if !new_ids.contains(&rule.id) {
            let named = named(rule, place);
            found.push(removed(format!(
                "{} removed: {}",
                named.rule,
                contents(rule)
            )));
        }
    }
    for (place, rule) in new.iter().enumerate() {
        let from = old_ids
            .iter()
            .position(|id| *id == rule.id && !id.is_empty());
        let Some(from) = from else {
            let (name, at, what) = (named(rule, place).rule, place + 1, contents(rule));
            found.push(added(format!("{name} added at place {at}: {what}")));
            continue;
        };
        let named = named(old[from], place);
        if moved.contains(rule.id.as_str()) {
            let (which, from, to) = (&named.which, from + 1, place + 1);
            found.push(changed(format!("{which} moved from place {from} to {to}")));
        }
        found.extend(changes(old[from], rule, &named));
    }
    if found.is_empty() && before != after {
        let renumbered = old.iter().zip(&new).any(|(a, b)| a.priority != b.priority);
        found.push(changed(if renumbered {
            "Priorities of rules are numbered anew; their order stays the same"
        } else {
            "Rules are stored in another order; the order in which they are tried stays the same"
        }));
    }
    found
}

fn changes(before: &TargetingRule, after: &TargetingRule, named: &Named) -> Vec<Sentence> {
    let Named { rule, which, .. } = named;
    let mut found = Vec::new();
    if before.description != after.description {
        let to = &after.description;
        found.push(changed(match (to.is_empty(), named.has_name) {
            (true, _) => format!("{rule}: description removed"),
            (false, false) => format!("{rule}: described as {to}"),
            (false, true) => format!("{rule} renamed {to}"),
        }));
    }
    if before.match_type != after.match_type {
        found.push(changed(if after.match_type == "any" {
            format!("{rule}: any condition is enough; before, all were needed")
        } else {
            format!("{rule}: all conditions are needed; before, any was enough")
        }));
    }
    found.extend(of_conditions(&before.conditions, &after.conditions, rule));
    found.extend(of_list(
        (&before.segment_keys, &after.segment_keys),
        |key| format!("{rule}: removed the segment {key}"),
        |key| format!("{rule}: added the segment {key}"),
        || format!("{rule}: segments are in another order; it matches the same users"),
    ));
    if before.percentage != after.percentage {
        let [was, is] = [before, after].map(|rule| rollout(Some(rule.percentage)));
        found.push(changed(format!("{which}: {was} → {is}")));
    }
    let (was, is) = (before.value.as_ref(), after.value.as_ref());
    let is_same = match (was, is) {
        (Some(was), Some(is)) => same(was, is),
        (was, is) => was == is,
    };
    if !is_same {
        let told = values(was, is, THE_DEFAULT);
        found.push(changed(format!("{which}: serves {told}")));
    }
    found
}

fn of_conditions(before: &[Condition], after: &[Condition], rule: &str) -> Vec<Sentence> {
    let compared = conditions::compare(before, after);
    let mut found = Vec::new();
    for one in compared.gone {
        let what = conditions::in_words(one);
        found.push(removed(format!("{rule}: removed the condition {what}")));
    }
    for (was, is) in compared.pairs {
        let Some((gone, come)) = conditions::changed_values(was, is) else {
            let [was, is] = [was, is].map(conditions::in_words);
            found.push(changed(format!("{rule}: {was} → {is}")));
            continue;
        };
        let (attribute, operator) = (&is.attribute, conditions::operator(&is.operator));
        let told = format!("{rule}, {attribute} {operator}");
        if !gone.is_empty() {
            found.push(removed(format!("{told}: removed {}", gone.join(", "))));
        }
        if !come.is_empty() {
            found.push(added(format!("{told}: added {}", come.join(", "))));
        }
    }
    for one in compared.come {
        let what = conditions::in_words(one);
        found.push(added(format!("{rule}: added the condition {what}")));
    }
    if found.is_empty() && before != after {
        let told = format!("{rule}: conditions are in another order; it matches the same users");
        found.push(changed(told));
    }
    found
}

/// A whole rule in words: whom it matches, and the value that it serves.
fn contents(rule: &TargetingRule) -> String {
    let mut parts = whom(rule);
    let served = rule.value.as_ref();
    let served = served.map_or_else(|| THE_DEFAULT.to_owned(), value);
    parts.push(if rule.percentage == 10_000 {
        format!("serves {served}")
    } else {
        format!("serves {served} to {}", rollout(Some(rule.percentage)))
    });
    parts.join("; ")
}

fn whom(rule: &TargetingRule) -> Vec<String> {
    let mut parts = Vec::new();
    match rule.segment_keys.as_slice() {
        [] => {}
        [one] => parts.push(format!("in the segment {one}")),
        several => parts.push(format!("in any of {}", several.join(", "))),
    }
    if !rule.conditions.is_empty() {
        let between = if rule.match_type == "any" {
            " or "
        } else {
            " and "
        };
        let all: Vec<_> = rule.conditions.iter().map(conditions::in_words).collect();
        parts.push(all.join(between));
    }
    if parts.is_empty() {
        parts.push("matches everyone".to_owned());
    }
    parts
}

/// The ids that have to move to turn one order into the other; as few as possible.
pub(super) fn moved<'a>(before: &[String], after: &'a [String]) -> HashSet<&'a str> {
    let common: Vec<(usize, &str)> = after
        .iter()
        .filter_map(|id| Some((before.iter().position(|other| other == id)?, id.as_str())))
        .collect();
    // Of each place: the length of the longest rising row that ends there, and the place before it.
    let mut rows: Vec<(usize, Option<usize>)> = Vec::new();
    for (place, (value, _)) in common.iter().enumerate() {
        let earlier = (0..place).filter(|earlier| common[*earlier].0 < *value);
        let longest = earlier.max_by_key(|earlier| (rows[*earlier].0, usize::MAX - earlier));
        rows.push(longest.map_or((1, None), |earlier| (rows[earlier].0 + 1, Some(earlier))));
    }
    let mut moved: HashSet<&str> = common.iter().map(|(_, id)| *id).collect();
    let last = (0..rows.len()).max_by_key(|place| (rows[*place].0, usize::MAX - place));
    let mut place = last;
    while let Some(at) = place {
        moved.remove(common[at].1);
        place = rows[at].1;
    }
    moved
}
