//! Lists of patterns of which one has to match.

/// Up to here, each stays by itself, for people to read.
const FEW: usize = 10;
/// Characters of a pattern that a condition may hold, and patterns that are made of one list.
const MAX_LENGTH: usize = 1_024;
const MAX_PATTERNS: usize = 20;

/// The same list with fewer patterns, if there are many. `None` where it is too long to be kept.
pub(super) fn packed(patterns: Vec<String>) -> Option<Vec<String>> {
    let length = |pattern: &str| pattern.chars().count();
    if patterns.len() <= FEW {
        let is_short = patterns.iter().all(|pattern| length(pattern) <= MAX_LENGTH);
        return is_short.then_some(patterns);
    }
    let mut packed: Vec<String> = Vec::new();
    let mut room = 0;
    for pattern in patterns {
        let needed = length(&pattern) + "(?:)|".len();
        match packed.last_mut() {
            Some(last) if needed <= room => {
                *last += &format!("|(?:{pattern})");
                room -= needed;
            }
            _ => {
                room = MAX_LENGTH.checked_sub(needed)?;
                packed.push(format!("(?:{pattern})"));
            }
        }
        if packed.len() > MAX_PATTERNS {
            return None;
        }
    }
    Some(packed)
}

#[cfg(test)]
mod tests {
    use regex::RegexSet;

    use super::*;

    #[test]
    fn few_patterns_stay_as_they_are() {
        let few: Vec<_> = (0..FEW).map(|number| number.to_string()).collect();
        assert_eq!(packed(few.clone()), Some(few));
    }

    #[test]
    fn many_patterns_become_fewer_that_match_the_same() {
        let many: Vec<_> = (0..200).map(|number| format!("(?i)^a{number}$")).collect();
        let packed = packed(many).unwrap();
        assert!(
            packed.len() < 5 && packed.iter().all(|pattern| pattern.len() <= MAX_LENGTH),
            "{packed:?}"
        );
        let set = RegexSet::new(packed).unwrap();
        assert!(set.is_match("A17") && set.is_match("a199") && !set.is_match("a200"));
    }

    #[test]
    fn what_is_too_long_is_refused() {
        assert_eq!(packed(vec!["a".repeat(1_025)]), None);
        assert_eq!(packed(vec!["a".repeat(1_025); 20]), None);
        assert_eq!(packed(vec!["a".repeat(1_000); 21]), None);
    }
}
