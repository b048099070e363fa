//! Suggests the nearest known name for a misspelt one.

/// Minimum similarity, between 0 and 1. `op` and `operator` reach it, `rollout` and `percentage` do not.
const LIKE: f64 = 0.8;

/// The name nearest to `name`, if it is near enough. Ignores case and separators.
pub fn nearest<'a>(name: &str, names: &[&'a str]) -> Option<&'a str> {
    let plain_name = plain(name);
    let rated = names
        .iter()
        .map(|known| (strsim::jaro_winkler(&plain_name, &plain(known)), *known));
    let best = rated.max_by(|one, other| one.0.total_cmp(&other.0));
    best.filter(|(likeness, _)| *likeness >= LIKE)
        .map(|(_, known)| known)
}

fn plain(name: &str) -> String {
    let letters = name.chars().filter(|letter| !"_-. ".contains(*letter));
    letters.flat_map(char::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_cases_slips_and_beginnings_are_near() {
        let rule = [
            "id",
            "priority",
            "description",
            "conditions",
            "segment_keys",
            "percentage",
            "value",
            "match_type",
        ];
        let condition = ["attribute", "operator", "values"];
        for (name, meant) in [
            ("segmentKeys", "segment_keys"),
            ("segments", "segment_keys"),
            ("SEGMENT-KEY", "segment_keys"),
            ("condition", "conditions"),
            ("percent", "percentage"),
            ("matchType", "match_type"),
            ("priorty", "priority"),
            ("val", "value"),
        ] {
            assert_eq!(nearest(name, &rule), Some(meant), "{name}");
        }
        for (name, meant) in [
            ("op", "operator"),
            ("value", "values"),
            ("attr", "attribute"),
        ] {
            assert_eq!(nearest(name, &condition), Some(meant), "{name}");
        }
        for name in ["rollout", "x", "", "enabled", "serve"] {
            assert_eq!(nearest(name, &rule), None, "{name}");
        }
        assert_eq!(nearest("value", &[]), None);
    }
}
