//! Cycles of prerequisites in what a change leads to.

use std::collections::{BTreeSet, HashMap};

/// Those of the flags in `changed` that lie on a cycle. Cycles of other flags alone are not this change's.
pub(super) fn on_cycles<'a>(
    edges: &HashMap<&'a str, &'a [String]>,
    changed: &BTreeSet<&'a str>,
) -> Vec<&'a str> {
    if changed.is_empty() {
        return Vec::new();
    }
    let mut left: HashMap<&str, Vec<&str>> = edges
        .iter()
        .map(|(&key, required)| {
            let known = required.iter().map(String::as_str);
            (key, known.filter(|to| edges.contains_key(to)).collect())
        })
        .collect();
    // What leads to no cycle goes first, then what no cycle leads to.
    strip(&mut left);
    let mut reversed: HashMap<&str, Vec<&str>> =
        left.keys().map(|&key| (key, Vec::new())).collect();
    for (&key, required) in &left {
        for to in required {
            if let Some(from) = reversed.get_mut(to) {
                from.push(key);
            }
        }
    }
    strip(&mut reversed);
    let is_left = |key: &&&str| reversed.contains_key(**key);
    changed.iter().filter(is_left).copied().collect()
}

/// Takes out, again and again, what leads nowhere.
fn strip<'a>(edges: &mut HashMap<&'a str, Vec<&'a str>>) {
    let mut coming: HashMap<&str, Vec<&str>> = HashMap::new();
    let mut going: HashMap<&str, usize> = HashMap::new();
    for (&key, all) in edges.iter() {
        let there: Vec<_> = all.iter().filter(|to| edges.contains_key(*to)).collect();
        going.insert(key, there.len());
        for to in there {
            coming.entry(to).or_default().push(key);
        }
    }
    let free = going.iter().filter(|(_, count)| **count == 0);
    let mut free: Vec<&str> = free.map(|(&key, _)| key).collect();
    while let Some(key) = free.pop() {
        edges.remove(key);
        for from in coming.remove(key).unwrap_or_default() {
            if let Some(count) = going.get_mut(from) {
                *count -= 1;
                if *count == 0 {
                    free.push(from);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(edges: &[(&str, &[&str])], changed: &[&str]) -> Vec<String> {
        let owned: Vec<(&str, Vec<String>)> = edges
            .iter()
            .map(|(key, to)| (*key, to.iter().map(|&to| to.to_owned()).collect()))
            .collect();
        let edges = owned.iter().map(|(key, to)| (*key, &to[..])).collect();
        let changed = changed.iter().copied().collect();
        let found = on_cycles(&edges, &changed);
        found.into_iter().map(str::to_owned).collect()
    }

    #[test]
    fn flags_on_a_cycle_are_named() {
        let edges: &[(&str, &[&str])] = &[
            ("a", &["b"]),
            ("b", &["c"]),
            ("c", &["a", "gone"]),
            ("into", &["a"]),
            ("d", &["e", "e"]),
            ("e", &[]),
        ];
        assert_eq!(found(edges, &["a", "c", "d", "into"]), ["a", "c"]);
        assert!(found(edges, &["d", "e"]).is_empty());
        assert!(found(edges, &[]).is_empty());
        assert!(found(&[("a", &["b"]), ("b", &[])], &["a", "b"]).is_empty());
    }
}
