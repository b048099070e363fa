//! What a source holds, in Halyard's terms: what each importer makes, and the one thing that is analyzed, compared and written.
//!
//! Nothing here knows a platform, the database or HTTP, and nothing here is bounded yet: `fit` takes out what Halyard could not
//! store.

mod choices;
pub mod copies;
pub mod patterns;
mod remarks;
pub mod rules;
#[cfg(test)]
pub(crate) mod short;
pub mod variants;

use std::collections::BTreeMap;

use protocol::{
    bucketing::Bucketing,
    rule::{Condition, TargetingRule, Variant},
    snapshot::{FlagType, MatchType},
};
use serde_json::Value;
use time::{OffsetDateTime, format_description::well_known::Rfc3339};

pub use self::choices::{Buckets, Choices};
pub use self::remarks::{Fidelity, Remarks};

/// Everything that one project of a source holds.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Plan {
    /// In the order of the source's keys. States and remarks name them by their slug.
    pub environments: Vec<Environment>,
    pub segments: Vec<Segment>,
    pub flags: Vec<Flag>,
    pub left_out: Vec<LeftOut>,
    /// Counts for the answer of `analyze`, by the contract's names (`boolean_flags`).
    pub counts: BTreeMap<&'static str, usize>,
    /// Flags of the source that are not archived, whatever becomes of them.
    pub source_flags: usize,
    /// Distinct segments of the source, whatever becomes of them.
    pub source_segments: usize,
}

impl Plan {
    /// Notes that nothing is made of something.
    pub fn leave_out(&mut self, kind: Kind, source: impl Into<String>, reason: impl Into<String>) {
        self.left_out.push(LeftOut {
            kind,
            source: source.into(),
            reason: reason.into(),
        });
    }

    /// Adds an environment under this slug, unless another one has it.
    pub fn add_environment(&mut self, environment: Environment) -> bool {
        let slug = &environment.slug;
        let same = self.environments.iter().find(|other| other.slug == *slug);
        let reason = match same {
            _ if slug.is_empty() => "its name has no letters or digits".to_owned(),
            Some(other) => format!("its slug would be that of `{}`", other.source),
            None => {
                self.environments.push(environment);
                return true;
            }
        };
        self.leave_out(Kind::Environment, environment.source, reason);
        false
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Environment {
    pub source: String,
    /// In slug form ([`Choices::slug_of`]): an environment of the target that has it is reused.
    pub slug: String,
    pub name: String,
    /// `#` and six hex digits, where the source has one.
    pub color: Option<String>,
    pub remarks: Remarks,
}

/// A segment, under the key that it will have.
#[derive(Clone, Debug, PartialEq)]
pub struct Segment {
    pub source: String,
    /// Its key here.
    pub key: String,
    pub name: String,
    pub description: String,
    pub match_type: MatchType,
    pub rules: Vec<Condition>,
    pub created_at: Option<OffsetDateTime>,
    /// What differs from the source. What differs in a segment differs in every flag that uses it, without a remark there.
    pub remarks: Remarks,
}

/// A flag, with its states.
#[derive(Clone, Debug, PartialEq)]
pub struct Flag {
    /// Its key or name there, which is its key here.
    pub key: String,
    pub name: String,
    pub description: String,
    pub flag_type: FlagType,
    pub default_value: Value,
    pub tags: Vec<String>,
    /// Keys of flags that must be on.
    pub prerequisites: Vec<String>,
    pub created_at: Option<OffsetDateTime>,
    pub updated_at: Option<OffsetDateTime>,
    /// At most one an environment. Where there is none, the flag is off.
    pub states: Vec<State>,
    /// What differs from the source, in any environment.
    pub remarks: Remarks,
}

/// A flag in an environment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    pub environment: String,
    pub enabled: bool,
    /// Whether a rule or restriction of the source is missing, so that others could be served what is not meant for them. Such a
    /// state is not switched on here.
    pub is_incomplete: bool,
    /// The environment default; `None` when not set.
    pub default_value: Option<Value>,
    /// In the order in which they are tried. Ids and priorities need not be set.
    pub rules: Vec<TargetingRule>,
    /// Basis points; `None` when not set, which evaluates differently from 10000.
    pub percentage_rollout: Option<i64>,
    /// By their names there; only flags of type `ab` serve them.
    pub variants: Vec<Variant>,
    /// How the percentages and variants draw, where that is kept.
    pub bucketing: Option<Bucketing>,
}

/// Something of the source that becomes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    pub kind: Kind,
    pub source: String,
    pub reason: String,
}

/// What an item of a source is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Environment,
    Segment,
    Flag,
}

/// A time that a source writes by RFC 3339.
pub(crate) fn moment(text: Option<&str>) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text?, &Rfc3339).ok()
}

/// The slug of a key or name: lower case, with every run of other characters than letters and digits as one hyphen, at most 100
/// characters. Empty when nothing is left.
pub fn slug(name: &str) -> String {
    let mut slug = String::new();
    for character in name.to_lowercase().chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.truncate(100);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slug_is_lower_case_with_hyphens() {
        for (name, expected) in [
            ("production", "production"),
            ("QA_Europe  2", "qa-europe-2"),
            ("--Über--", "ber"),
            ("!", ""),
        ] {
            assert_eq!(slug(name), expected, "{name}");
        }
        assert_eq!(slug(&"a".repeat(101)), "a".repeat(100));
    }
}
