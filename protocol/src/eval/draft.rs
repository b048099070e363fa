//! What an environment would be like with other contents, and whose answers could differ.

use std::collections::HashSet;

use super::{
    Environment, FlagIndex,
    environment::position_of,
    flag::{EVERYBODY, Flag},
};
use crate::{
    delta::ApplyError,
    digest,
    snapshot::{Delta, Head, RemovedFlag},
    what_if::Draft,
};

impl Draft {
    fn flag_keys(&self) -> impl Iterator<Item = &str> {
        let flags = self.flags.iter().map(|flag| flag.key.as_str());
        flags.chain(self.removed_flags.iter().map(String::as_str))
    }

    fn segment_keys(&self) -> impl Iterator<Item = &str> {
        let segments = self.segments.iter().map(|segment| segment.key.as_str());
        segments.chain(self.removed_segments.iter().map(String::as_str))
    }
}

impl Environment {
    /// The environment that a draft would make of this one.
    ///
    /// # Errors
    /// When it cannot be prepared.
    pub fn with(&self, draft: &Draft) -> Result<Self, ApplyError> {
        let removed = draft.removed_flags.iter().map(|key| RemovedFlag {
            id: uuid::Uuid::nil().into(),
            key: key.clone(),
        });
        let mut delta = Delta {
            head: Head {
                version: self.head.version.saturating_add(1),
                ..self.head.clone()
            },
            base: self.head.version,
            flags: draft.flags.clone(),
            removed_flags: removed.collect(),
            segments: draft.segments.clone(),
            removed_segments: draft.removed_segments.clone(),
            ..Delta::default()
        };
        delta.digest = digest::after(self, &delta);
        self.apply(&delta)
    }

    /// The flags that a draft could make answer otherwise: those in it, those that name its segments, and those that require any of
    /// these or compete with them.
    #[must_use]
    pub fn affected_by(&self, draft: &Draft) -> Vec<FlagIndex> {
        let mut is_affected = vec![false; self.len()];
        let named = draft.flag_keys().filter_map(|key| self.flag(key));
        let referring = draft
            .segment_keys()
            .flat_map(|key| self.flags_with_segment(key));
        for flag in named.chain(referring) {
            is_affected[flag.position()] = true;
        }
        let groups = draft.flags.iter().map(|flag| &*flag.mutual_exclusion_group);
        let mut groups: HashSet<&str> = groups.filter(|group| !group.is_empty()).collect();
        let mut is_settled = false;
        while !is_settled {
            is_settled = true;
            for (position, entry) in self.entries.iter().enumerate() {
                let links = entry.links.as_deref();
                let mut required = links
                    .iter()
                    .flat_map(|it| it.prerequisites.iter().flatten());
                if !is_affected[position]
                    && (groups.contains(&*entry.flag.group)
                        || required.any(|&target| is_affected[target as usize]))
                {
                    is_affected[position] = true;
                    is_settled = false;
                }
                if is_affected[position] && !entry.flag.group.is_empty() {
                    is_settled &= !groups.insert(&entry.flag.group);
                }
            }
        }
        let affected = is_affected
            .iter()
            .enumerate()
            .filter(|(_, is_affected)| **is_affected);
        affected
            .map(|(position, _)| FlagIndex(position_of(position)))
            .collect()
    }

    /// Whether answers of some flags depend on the bucket of the context's key.
    #[must_use]
    pub fn depend_on_buckets(&self, flags: &[FlagIndex]) -> bool {
        let required = self.required_by(flags.iter().copied());
        let mut all = flags.iter().chain(&required);
        all.any(|flag| {
            self.entry(flag.0)
                .is_some_and(|entry| entry.flag.has_buckets())
        })
    }
}

impl Flag {
    fn has_buckets(&self) -> bool {
        let is_part = |percentage: u16| (1..EVERYBODY).contains(&percentage);
        self.state.as_ref().is_some_and(|state| {
            !self.group.is_empty()
                || !state.variants.is_empty()
                || state.percentage_rollout.is_some_and(is_part)
                || state.rules.iter().any(|rule| is_part(rule.percentage))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::snapshot::{self, FlagState, Segment, Snapshot};

    fn flag(key: &str, prerequisites: &[&str], group: &str, segment: &str) -> snapshot::Flag {
        let rule = snapshot::Rule {
            segment_keys: vec![segment.to_owned()],
            percentage: 10_000,
            ..snapshot::Rule::default()
        };
        snapshot::Flag {
            key: key.to_owned(),
            default_value: "false".to_owned(),
            prerequisites: prerequisites.iter().map(|&key| key.to_owned()).collect(),
            mutual_exclusion_group: group.to_owned(),
            state: Some(FlagState {
                enabled: true,
                rules: vec![rule],
                ..FlagState::default()
            }),
            ..snapshot::Flag::default()
        }
    }

    fn environment() -> Environment {
        let snapshot = Snapshot {
            flags: vec![
                flag("above", &["middle"], "", "none"),
                flag("base", &[], "", "none"),
                flag("middle", &["base"], "", "none"),
                flag("other", &[], "", "none"),
                flag("rival-1", &[], "contest", "staff"),
                flag("rival-2", &[], "contest", "none"),
            ],
            ..Snapshot::default()
        };
        Environment::prepare(&snapshot).unwrap()
    }

    fn affected(draft: &Draft) -> Vec<String> {
        let environment = environment();
        let affected = environment.affected_by(draft);
        let keys = affected
            .iter()
            .map(|flag| environment.key(*flag).to_owned());
        keys.collect()
    }

    #[test]
    fn whoever_may_answer_otherwise_is_affected() {
        let changed = |flag: snapshot::Flag| Draft {
            flags: vec![flag],
            ..Draft::default()
        };
        let base = changed(flag("base", &[], "", "none"));
        assert_eq!(affected(&base), ["above", "base", "middle"]);
        let joins = changed(flag("other", &[], "contest", "none"));
        assert_eq!(affected(&joins), ["other", "rival-1", "rival-2"]);
        let staff = Draft {
            segments: vec![Segment {
                key: "staff".to_owned(),
                ..Segment::default()
            }],
            ..Draft::default()
        };
        assert_eq!(affected(&staff), ["rival-1", "rival-2"]);
        let removed = Draft {
            removed_flags: vec!["middle".to_owned(), "unknown".to_owned()],
            ..Draft::default()
        };
        assert_eq!(affected(&removed), ["above", "middle"]);
    }

    #[test]
    fn a_draft_becomes_an_environment_or_is_refused() {
        let stored = environment();
        let mut new = flag("new", &[], "", "none");
        let draft = |flag: &snapshot::Flag| Draft {
            flags: vec![flag.clone()],
            removed_flags: vec!["other".to_owned()],
            ..Draft::default()
        };
        let next = stored.with(&draft(&new)).unwrap();
        assert!(next.flag("new").is_some() && next.flag("other").is_none());
        new.default_value = "{".to_owned();
        assert!(stored.with(&draft(&new)).is_err());
    }

    #[test]
    fn only_shares_depend_on_buckets() {
        let environment = environment();
        let depend = |key| environment.depend_on_buckets(&[environment.flag(key).unwrap()]);
        assert!(!depend("above"));
        assert!(depend("rival-1"));
        let mut shared = flag("base", &[], "", "none");
        shared.state.as_mut().unwrap().percentage_rollout = Some(5_000);
        let draft = Draft {
            flags: vec![shared],
            ..Draft::default()
        };
        let next = environment.with(&draft).unwrap();
        assert!(next.depend_on_buckets(&[next.flag("above").unwrap()]));
    }
}
