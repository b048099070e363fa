//! A flag's own fields, segments and environments.

use crate::content::{Environment, Flag, Segment, same};

use super::{
    Sentence, added, changed, conditions, of_list, removed,
    values::{NOT_SET, values},
};

/// What differs in a flag's own fields.
pub fn of_flag(before: &Flag, after: &Flag) -> Vec<Sentence> {
    let mut found = described(
        (&before.name, &before.description),
        (&after.name, &after.description),
    );
    let (was, is) = (&before.default_value, &after.default_value);
    if !same(was, is) {
        let told = values(Some(was), Some(is), NOT_SET);
        found.push(changed(format!("Default value of the flag: {told}")));
    }
    found.extend(of_list(
        (&before.tags, &after.tags),
        |tag| format!("Removed the tag {tag}"),
        |tag| format!("Added the tag {tag}"),
        || "Tags are written in another order".to_owned(),
    ));
    found.extend(of_list(
        (&before.prerequisites, &after.prerequisites),
        |key| format!("Removed the prerequisite {key}"),
        |key| format!("Added the prerequisite {key}"),
        || "Prerequisites are written in another order".to_owned(),
    ));
    let [was, is] = [before, after].map(|flag| match flag.mutual_exclusion_group.as_str() {
        "" => "none",
        group => group,
    });
    if was != is {
        found.push(changed(format!("Mutual exclusion group: {was} → {is}")));
    }
    if before.permanent != after.permanent {
        found.push(changed(if after.permanent {
            "Is to stay for ever"
        } else {
            "Is not to stay for ever"
        }));
    }
    if before.archived != after.archived {
        found.push(changed(if after.archived {
            "Archived: it is served no more"
        } else {
            "Restored"
        }));
    }
    found
}

/// What differs in a segment.
pub fn of_segment(before: &Segment, after: &Segment) -> Vec<Sentence> {
    let mut found = described(
        (&before.name, &before.description),
        (&after.name, &after.description),
    );
    if before.match_type != after.match_type {
        found.push(changed(if after.match_type == "any" {
            "Any condition is enough now"
        } else {
            "All conditions have to match now"
        }));
    }
    let compared = conditions::compare(&before.rules, &after.rules);
    for one in compared.gone {
        let what = conditions::in_words(one);
        found.push(removed(format!("Removed the condition {what}")));
    }
    for (was, is) in compared.pairs {
        let [was, is] = [was, is].map(conditions::in_words);
        found.push(changed(format!("{was} → {is}")));
    }
    for one in compared.come {
        let what = conditions::in_words(one);
        found.push(added(format!("Added the condition {what}")));
    }
    if found.is_empty() && before.rules != after.rules {
        let told = "Conditions are in another order; it matches the same users";
        found.push(changed(told));
    }
    found
}

/// What differs in an environment.
pub fn of_environment(before: &Environment, after: &Environment) -> Vec<Sentence> {
    let mut found = described((&before.name, ""), (&after.name, ""));
    if before.color != after.color {
        found.push(changed(format!(
            "Color: {} → {}",
            before.color, after.color
        )));
    }
    if before.protected != after.protected {
        found.push(changed(if after.protected {
            "Protected: it changes by approved requests alone"
        } else {
            "No longer protected"
        }));
    }
    let (was, is) = (before.required_approvals, after.required_approvals);
    if was != is {
        found.push(changed(format!("Required approvals: {was} → {is}")));
    }
    found
}

fn described(before: (&str, &str), after: (&str, &str)) -> Vec<Sentence> {
    let mut found = Vec::new();
    if before.0 != after.0 {
        found.push(changed(format!("Name: {} → {}", before.0, after.0)));
    }
    if before.1 != after.1 {
        let (was, is) = (before.1, after.1);
        found.push(match (was.is_empty(), is.is_empty()) {
            (true, _) => changed(format!("Description added: {is}")),
            (_, true) => changed(format!("Description removed: {was}")),
            _ => changed(format!("Description: {was} → {is}")),
        });
    }
    found
}
