//! The refusal of a body of many things: everything that is wrong with it, each with its place.

use serde::Serialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

/// Problems told at once.
const MOST: usize = 100;

/// The body of a refusal that names places. Refusals for other reasons have `error` alone.
#[derive(Clone, Debug, Serialize, thiserror::Error, ToSchema)]
#[schema(as = ProblemsErrorBody)]
#[error("{error}")]
pub struct Problems {
    /// The first of them.
    pub error: String,
    /// All of them, in the order of the body; the first 100.
    #[schema(required = false)]
    pub problems: Vec<Problem>,
}

/// Something in a body that breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Problem {
    /// Where, by the names of things.
    #[schema(example = "flags.checkout.states.production.rules")]
    pub place: String,
    /// What.
    #[schema(example = "rules must have at most 100 items")]
    pub message: String,
}

impl Problems {
    /// `None` without a problem.
    pub fn of(mut problems: Vec<Problem>) -> Option<Self> {
        problems.truncate(MOST);
        let Problem { place, message } = problems.first()?;
        Some(Self {
            error: format!("{place}: {message}"),
            problems,
        })
    }

    /// The members of the body beside `error`.
    pub(super) fn details(&self) -> Map<String, Value> {
        let problems = serde_json::to_value(&self.problems).unwrap_or_default();
        Map::from_iter([("problems".to_owned(), problems)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hundred_problems_are_told_and_the_first_is_the_error() {
        assert!(Problems::of(Vec::new()).is_none());
        let problem = |number| Problem {
            place: format!("flags.{number}"),
            message: "name is required".to_owned(),
        };
        let told = Problems::of((0..101).map(problem).collect()).unwrap();
        assert_eq!(told.error, "flags.0: name is required");
        assert_eq!(told.problems.len(), MOST);
    }
}
