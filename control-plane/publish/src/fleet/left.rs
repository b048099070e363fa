//! Edges that were connected to this replica and no longer are: what they served when they were last seen.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::EnvId;

/// Further ones are not remembered.
const MOST: usize = 4_096;

/// An edge that has left a replica, and the changes since that it does not serve.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct LeftEdge {
    pub name: String,
    #[serde(with = "time::serde::rfc3339")]
    pub seen_at: OffsetDateTime,
    pub behind: Vec<Behind>,
}

/// How far an edge is behind in an environment.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = EdgeLag)]
pub struct Behind {
    /// Which.
    #[schema(value_type = String, format = Uuid)]
    pub env_id: EnvId,
    /// How many versions: changes of the environment, as this service has seen them.
    pub versions: usize,
    /// When the first of them was there to be served.
    #[serde(with = "time::serde::rfc3339")]
    pub since: OffsetDateTime,
}

#[derive(Debug, Default)]
pub(super) struct Left {
    present: HashMap<String, bool>,
    seen_at: Option<OffsetDateTime>,
    left: HashMap<String, OffsetDateTime>,
}

impl Left {
    /// Takes in who is connected now. Of each edge: whether it holds all environments of its regions, as far as is known.
    pub(super) fn note(&mut self, present: Vec<(String, bool)>, now: OffsetDateTime) {
        let present: HashMap<String, bool> = present.into_iter().collect();
        self.left.retain(|name, _| !present.contains_key(name));
        if let Some(seen_at) = self.seen_at {
            for (name, holds_all) in std::mem::take(&mut self.present) {
                if holds_all && !present.contains_key(&name) && self.left.len() < MOST {
                    self.left.insert(name, seen_at);
                }
            }
        }
        self.present = present;
        self.seen_at = Some(now);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &OffsetDateTime)> {
        self.left.iter()
    }
}

#[cfg(test)]
mod tests {
    use time::{Duration, macros::datetime};

    use super::*;

    const AT: OffsetDateTime = datetime!(2026-05-04 12:00 UTC);

    #[test]
    fn an_edge_is_remembered_from_when_it_was_last_seen_until_it_returns() {
        let mut left = Left::default();
        let names = |left: &Left| {
            let mut names: Vec<_> = left.iter().map(|(name, at)| (name.clone(), *at)).collect();
            names.sort();
            names
        };
        let edge = |name: &str, holds_all| (name.to_owned(), holds_all);
        left.note(
            vec![edge("a", true), edge("b", true), edge("some", false)],
            AT,
        );
        assert!(names(&left).is_empty());
        left.note(vec![edge("a", true)], AT + Duration::SECOND);
        assert_eq!(names(&left), [("b".to_owned(), AT)]);
        left.note(vec![edge("b", true)], AT + 2 * Duration::SECOND);
        assert_eq!(names(&left), [("a".to_owned(), AT + Duration::SECOND)]);
    }

    #[test]
    fn a_few_thousand_are_remembered() {
        let mut left = Left::default();
        let edges = (0..=MOST).map(|number| (number.to_string(), true));
        left.note(edges.collect(), AT);
        left.note(Vec::new(), AT + Duration::SECOND);
        assert_eq!(left.iter().count(), MOST);
    }
}
