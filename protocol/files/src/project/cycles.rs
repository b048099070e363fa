//! Circles of prerequisites.

use std::collections::{BTreeMap, HashMap};

use super::WrittenFlag;

/// The flags that require themselves over others: of each circle its first key, and the way round in words.
///
/// Archived flags count, so that restoring one closes no circle.
pub(super) fn find(flags: &BTreeMap<String, WrittenFlag>) -> Vec<(String, String)> {
    let mut marks: HashMap<&str, Mark> = HashMap::new();
    let mut circles = Vec::new();
    for start in flags.keys() {
        if marks.contains_key(start.as_str()) {
            continue;
        }
        // Depth first, with a stack of its own: a chain may be as long as there are flags.
        let mut way: Vec<(&str, usize)> = vec![(start, 0)];
        marks.insert(start, Mark::OnTheWay);
        while let Some((key, next)) = way.last_mut() {
            let required = flags
                .get(*key)
                .and_then(|flag| flag.flag.made.prerequisites.get(*next));
            *next += 1;
            let Some(required) = required else {
                marks.insert(key, Mark::Done);
                way.pop();
                continue;
            };
            match marks.get(required.as_str()) {
                None if flags.contains_key(required) => {
                    marks.insert(required, Mark::OnTheWay);
                    way.push((required, 0));
                }
                Some(Mark::OnTheWay) => circles.push(circle(&way, required)),
                // There is no such flag, or all that it requires is known.
                None | Some(Mark::Done) => {}
            }
        }
    }
    circles
}

#[derive(Clone, Copy)]
enum Mark {
    OnTheWay,
    Done,
}

fn circle(way: &[(&str, usize)], closing: &str) -> (String, String) {
    let round = way.iter().map(|(key, _)| *key);
    let mut round: Vec<_> = round.skip_while(|key| *key != closing).collect();
    let first = round.iter().enumerate().min_by_key(|(_, key)| **key);
    let first = first.map_or(0, |(place, _)| place);
    round.rotate_left(first);
    let key = round.first().copied().unwrap_or(closing).to_owned();
    round.push(round[0]);
    (key, round.join(" → "))
}
