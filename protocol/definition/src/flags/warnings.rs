//! Warnings about valid flag states that look like mistakes.
//!
//! They are returned to the author, recorded in the audit log, and shown in explanations.

use std::collections::HashSet;

use protocol::{rule::TargetingRule, snapshot};

use super::{
    model::FlagType,
    states::{input::StateWish, model::FlagState},
};
use crate::{input::visible, warning::Warning};

/// Warnings about one state at most.
const MOST: usize = 10;

#[derive(Debug)]
pub struct Suspects<'a> {
    is_ab: bool,
    has_variants: bool,
    percentage_rollout: Option<i64>,
    /// The segments and the percentage of each rule, in order.
    rules: Vec<(&'a [String], i64)>,
}

impl<'a> Suspects<'a> {
    /// The given fields of a requested change.
    pub fn of_wish(wish: &'a StateWish) -> Self {
        Self {
            is_ab: wish.flag_type == FlagType::Ab,
            has_variants: wish.has_variants(),
            percentage_rollout: wish.percentage_rollout(),
            rules: authored(wish.rules()),
        }
    }

    /// The fields that promoting copies.
    pub fn of_promoted(flag_type: FlagType, state: &'a FlagState) -> Self {
        Self {
            is_ab: flag_type == FlagType::Ab,
            has_variants: false,
            percentage_rollout: state.percentage_rollout.map(Into::into),
            rules: authored(&state.rules),
        }
    }

    /// The served state; nothing if none was ever stored.
    pub fn of_served(flag: &'a snapshot::Flag) -> Self {
        let state = flag.state.as_ref();
        let rules = state.map_or(&[][..], |state| &state.rules);
        Self {
            is_ab: flag.flag_type == snapshot::FlagType::Ab,
            has_variants: state.is_some_and(|state| !state.variants.is_empty()),
            percentage_rollout: state.and_then(|state| state.percentage_rollout),
            rules: rules
                .iter()
                .map(|rule| (&rule.segment_keys[..], rule.percentage))
                .collect(),
        }
    }

    /// The first ten warnings.
    pub fn warnings(&self, segments: &HashSet<&str>) -> Vec<Warning> {
        let variants = (self.has_variants && !self.is_ab).then(|| Warning {
            place: "variants".to_owned(),
            message: "only flags of type ab use variants".to_owned(),
        });
        let rollout = self
            .percentage_rollout
            .and_then(|points| like_percent("percentage_rollout".to_owned(), points));
        let rules = self
            .rules
            .iter()
            .enumerate()
            .flat_map(|(number, (keys, percentage))| {
                let missing = keys.iter().filter(|key| !segments.contains(key.as_str()));
                let missing = missing.map(move |key| Warning {
                    place: format!("rules[{number}].segment_keys"),
                    message: format!("no segment has the key {}", visible(key)),
                });
                missing.chain(like_percent(
                    format!("rules[{number}].percentage"),
                    *percentage,
                ))
            });
        let all = rollout.into_iter().chain(variants).chain(rules);
        all.take(MOST).collect()
    }

    /// The keys of the segments that rules name, each once.
    pub fn segment_keys(&self) -> Vec<String> {
        let keys: HashSet<_> = self.rules.iter().flat_map(|(keys, _)| *keys).collect();
        keys.into_iter().cloned().collect()
    }
}

fn authored(rules: &[TargetingRule]) -> Vec<(&[String], i64)> {
    let parts = rules
        .iter()
        .map(|rule| (&rule.segment_keys[..], rule.percentage));
    parts.collect()
}

/// Warns about basis points that look like percent.
fn like_percent(place: String, points: i64) -> Option<Warning> {
    (1..=100).contains(&points).then(|| Warning {
        place,
        message: format!(
            "{points} is {} %, and {} is {points} %",
            hundredths(points),
            points * 100
        ),
    })
}

fn hundredths(points: i64) -> String {
    let text = format!("{}.{:02}", points / 100, points % 100);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suspects(percentage_rollout: Option<i64>, rules: Vec<(&[String], i64)>) -> Suspects<'_> {
        Suspects {
            is_ab: false,
            has_variants: false,
            percentage_rollout,
            rules,
        }
    }

    fn texts(suspects: &Suspects<'_>) -> Vec<String> {
        let warnings = suspects.warnings(&HashSet::from(["beta"]));
        let texts = warnings
            .iter()
            .map(|one| format!("{}: {}", one.place, one.message));
        texts.collect()
    }

    #[test]
    fn percentages_that_look_like_percent_are_told_in_percent() {
        for (points, message) in [
            (1, "1 is 0.01 %, and 100 is 1 %"),
            (25, "25 is 0.25 %, and 2500 is 25 %"),
            (50, "50 is 0.5 %, and 5000 is 50 %"),
            (100, "100 is 1 %, and 10000 is 100 %"),
        ] {
            let of_flag = suspects(Some(points), Vec::new());
            assert_eq!(texts(&of_flag), [format!("percentage_rollout: {message}")]);
            let of_rule = suspects(None, vec![(&[], 10_000), (&[], points)]);
            assert_eq!(texts(&of_rule), [format!("rules[1].percentage: {message}")]);
        }
        for points in [0, 101, 2_500, 10_000] {
            assert!(texts(&suspects(Some(points), vec![(&[], points)])).is_empty());
        }
    }

    #[test]
    fn segments_that_are_not_there_are_told_with_their_rule() {
        let keys = ["beta", "gamma", "no key; at all"].map(str::to_owned);
        assert_eq!(
            texts(&suspects(None, vec![(&keys[..1], 10_000), (&keys, 10_000)])),
            [
                "rules[1].segment_keys: no segment has the key gamma",
                "rules[1].segment_keys: no segment has the key no%20key%3B%20at%20all",
            ]
        );
    }

    #[test]
    fn variants_of_other_flags_than_ab_are_told() {
        let with = |is_ab, has_variants| {
            texts(&Suspects {
                is_ab,
                has_variants,
                ..suspects(None, Vec::new())
            })
        };
        let message = "variants: only flags of type ab use variants";
        assert_eq!(with(false, true), [message]);
        assert!(with(true, true).is_empty() && with(false, false).is_empty());
    }

    #[test]
    fn ten_warnings_are_told_and_each_is_short() {
        let keys: Vec<_> = (0..1_000)
            .map(|n| format!("{n}{}", "é".repeat(250)))
            .collect();
        let told = texts(&suspects(Some(25), vec![(&keys, 25)]));
        assert_eq!(told.len(), MOST);
        assert!(told[0].starts_with("percentage_rollout"));
        assert!(told.iter().all(|text| text.len() <= 160 && text.is_ascii()));
    }
}
