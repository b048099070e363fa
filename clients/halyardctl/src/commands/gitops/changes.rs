//! What applying files changes.

use serde_json::{Map, Value, json};

use files::sentences::Sentence;

/// All that applying the files of a project changes.
#[derive(Clone, Debug, Default)]
pub(super) struct Changes {
    /// The project, by the name under which it was asked for.
    pub(super) project: String,
    /// Its name, if it is to be created.
    pub(super) is_new: Option<String>,
    /// The version that the project had.
    pub(super) version: i64,
    /// Environments, then segments, then flags, each followed by its states.
    pub(super) list: Vec<Change>,
    /// What the project has and the files do not, and what is left alone.
    pub(super) kept: Vec<Thing>,
}

/// A change of one thing.
#[derive(Clone, Debug)]
pub(super) struct Change {
    /// Which thing.
    pub(super) thing: Thing,
    /// What happens to it.
    pub(super) action: Action,
    /// The file that says so; empty if none does.
    pub(super) file: String,
    /// Whether it becomes a request for approval.
    pub(super) needs_approval: bool,
    /// What differs, in words.
    pub(super) sentences: Vec<Sentence>,
    /// What differs, as it is sent.
    pub(super) fields: Map<String, Value>,
}

/// A thing of a project.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Thing {
    pub(super) kind: Kind,
    /// The key, or the slug of an environment.
    pub(super) key: String,
    /// The environment of a state.
    pub(super) environment: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Environment,
    Segment,
    Flag,
    State,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    Create,
    Update,
    Remove,
}

impl Kind {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Segment => "segment",
            Self::Flag => "flag",
            Self::State => "state",
        }
    }
}

impl Action {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Create => "create",
            Self::Update => "update",
            Self::Remove => "remove",
        }
    }
}

impl Thing {
    pub(super) fn new(kind: Kind, key: &str) -> Self {
        Self {
            kind,
            key: key.to_owned(),
            environment: None,
        }
    }

    pub(super) fn state(key: &str, slug: &str) -> Self {
        Self {
            environment: Some(slug.to_owned()),
            ..Self::new(Kind::State, key)
        }
    }

    fn to_json(&self) -> Value {
        json!({"kind": self.kind.name(), "key": self.key, "environment": self.environment})
    }
}

impl Changes {
    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty() && self.is_new.is_none()
    }

    /// The same at another version.
    pub(super) fn at(&self, version: i64) -> Self {
        Self {
            version,
            ..self.clone()
        }
    }

    /// How many things are created, changed and removed.
    pub(super) fn counts(&self) -> [usize; 3] {
        [Action::Create, Action::Update, Action::Remove].map(|action| {
            let such = self.list.iter().filter(|change| change.action == action);
            such.count()
        })
    }

    /// For programs.
    pub(super) fn to_json(&self) -> Value {
        let changes = self.list.iter().map(|change| {
            let mut told = change.thing.to_json();
            told["action"] = change.action.name().into();
            told["file"] = change.file.clone().into();
            told["needs_approval"] = change.needs_approval.into();
            let sentences = change.sentences.iter();
            told["sentences"] = sentences
                .map(|one| Value::from(one.words.clone()))
                .collect();
            told["fields"] = change.fields.clone().into();
            told
        });
        json!({
            "project": self.project,
            "is_new": self.is_new.is_some(),
            "version": self.version,
            "changes": changes.collect::<Value>(),
            "not_in_files": self.kept.iter().map(Thing::to_json).collect::<Value>(),
        })
    }
}
