//! What is known of a flag for which accessors are made.

use files::{
    Place, Problem,
    content::{self, Content},
};
use serde_json::Value;

/// A flag.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Flag {
    pub(super) key: String,
    pub(super) kind: Kind,
    /// What is returned where the flag cannot be evaluated; fits the kind.
    pub(super) default: Value,
    /// Possibly empty, possibly of several lines.
    pub(super) description: String,
    /// The file that has it; empty without one.
    pub(super) file: String,
    /// Where its key stands in the file.
    pub(super) place: Place,
}

/// The type of a flag, as OpenFeature has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Boolean,
    String,
    Integer,
    Float,
    Object,
}

impl Kind {
    /// As manifests have it.
    pub(super) const ALL: [(&'static str, Self); 5] = [
        ("boolean", Self::Boolean),
        ("string", Self::String),
        ("integer", Self::Integer),
        ("float", Self::Float),
        ("object", Self::Object),
    ];

    /// As manifests name it.
    pub(super) fn name(self) -> &'static str {
        let found = Self::ALL.iter().find(|(_, kind)| *kind == self);
        found.map_or("", |(name, _)| name)
    }

    /// The kind of a flag of ours. A number may become a fraction by its next change, so it is never an integer; a flag whose
    /// values can be anything is what its default is.
    fn of(flag: &content::Flag) -> Self {
        match &flag.default_value {
            Value::Bool(_) => Self::Boolean,
            Value::String(_) => Self::String,
            Value::Number(_) => Self::Float,
            Value::Null | Value::Array(_) | Value::Object(_) => Self::Object,
        }
    }
}

impl Flag {
    /// A problem with this flag, at its place.
    pub(super) fn problem(&self, message: String) -> Problem {
        Problem::at(self.file.as_str(), self.place, message)
    }

    /// The flags of a project that are not archived. `file` names the file of a flag.
    pub(super) fn of_content(content: &Content, file: impl Fn(&str) -> String) -> Vec<Self> {
        let served = content.flags.values().filter(|flag| !flag.archived);
        let made = served.map(|flag| Self {
            key: flag.key.clone(),
            kind: Kind::of(flag),
            default: flag.default_value.clone(),
            description: flag.description.clone(),
            file: file(&flag.key),
            place: Place::default(),
        });
        made.collect()
    }
}
