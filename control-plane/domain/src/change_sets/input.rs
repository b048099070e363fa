//! Change sets as sent by clients.

use std::collections::BTreeMap;

use protocol::objects::Object;
use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    approvals::{input::note, model::Verdict},
    content::{input::ContentChange, parts::Fields},
};
use base::input::{Description, Invalid, Name, Patch, date_time};

/// A draft.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = NewChangeSet)]
pub struct NewChangeSet {
    /// Required: 1 to 255 characters.
    #[schema(value_type = String)]
    name: Option<String>,
    /// At most 2000 characters.
    description: Option<String>,
    /// Required: the edits, as `applyContent` takes them. At most 1,000 things.
    #[schema(value_type = ContentChange)]
    changes: Option<Object<ContentChange>>,
    /// The versions that the client has seen, by place, such as `flags.checkout`, `flags.checkout.states.production`, `segments.beta` or
    /// `environments.qa`; 0 for what is not to be there. Another version is a conflict.
    versions: Option<BTreeMap<String, i64>>,
}

/// Fields of a draft to change.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChangeSetPatch)]
pub struct ChangeSetPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `null` empties it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    /// All edits, in place of those before. They are compared with what is there now.
    #[schema(value_type = Option<ContentChange>)]
    changes: Option<Object<ContentChange>>,
    /// As for a new draft.
    versions: Option<BTreeMap<String, i64>>,
}

/// The parts of a body that are kept as given.
#[derive(Debug, Deserialize)]
pub struct Given {
    changes: Option<Fields>,
}

/// Edits, as they were given and as they were read.
#[derive(Debug)]
pub struct Edits {
    pub(super) given: Fields,
    pub(super) read: ContentChange,
    /// By place.
    pub(super) versions: BTreeMap<String, i64>,
}

/// A complete draft.
#[derive(Debug)]
pub struct NewDraft {
    pub(super) name: Name,
    pub(super) description: Description,
    pub edits: Edits,
}

/// What is to change.
#[derive(Debug)]
pub struct Changed {
    pub(super) name: Option<Name>,
    pub(super) description: Option<Description>,
    pub edits: Option<Edits>,
}

impl NewChangeSet {
    /// Checks that nothing is missing or too long.
    pub fn check(self, given: Given) -> Result<NewDraft, Invalid> {
        let name = Name::parse(self.name)?;
        let description = Description::parse(self.description)?;
        let edits = Edits::of(given, self.changes, self.versions)?;
        Ok(NewDraft {
            name,
            description,
            edits: edits.ok_or_else(|| Invalid::new("changes is required"))?,
        })
    }
}

impl ChangeSetPatch {
    /// Checks the fields.
    pub fn check(self, given: Given) -> Result<Changed, Invalid> {
        let name = self.name.or_empty();
        let description = self.description.or_empty();
        Ok(Changed {
            name: name.map(|name| Name::parse(Some(name))).transpose()?,
            description: description
                .map(|text| Description::parse(Some(text)))
                .transpose()?,
            edits: Edits::of(given, self.changes, self.versions)?,
        })
    }
}

impl Edits {
    fn of(
        given: Given,
        read: Option<Object<ContentChange>>,
        versions: Option<BTreeMap<String, i64>>,
    ) -> Result<Option<Self>, Invalid> {
        let Some((given, Object(read))) = given.changes.zip(read) else {
            return Ok(None);
        };
        if read.comment.is_some() {
            return Err(Invalid::new(
                "changes.comment: say why in the description of the change set",
            ));
        }
        Ok(Some(Self {
            given,
            read,
            versions: versions.unwrap_or_default(),
        }))
    }

    /// Those that were stored.
    pub(super) fn stored(given: Fields) -> Result<Self, Invalid> {
        let read = serde_json::from_value(Value::Object(given.clone()));
        Ok(Self {
            read: read.map_err(|error| Invalid::new(format!("changes: {error}")))?,
            given,
            versions: BTreeMap::new(),
        })
    }
}

/// A review.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = ChangeSetReviewInput)]
pub struct NewReview {
    /// Required: `approve` or `reject`.
    #[schema(value_type = String)]
    action: Option<String>,
    /// At most 2000 characters.
    note: Option<String>,
    /// The project's version of the difference that the reviewer has looked at: an approval is refused where what the set changes has
    /// changed since it was drafted, unless it is given.
    pub seen_version: Option<i64>,
}

impl NewReview {
    /// What is said, and why.
    pub fn check(self) -> Result<(Verdict, Option<String>), Invalid> {
        let verdict = Verdict::parse(self.action.as_deref())?;
        Ok((verdict, note(self.note)?))
    }
}

/// When to apply a set, and over what.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[schema(as = ChangeSetApplication)]
pub struct Application {
    /// When to apply it (RFC 3339), at most a year ahead; now when absent.
    #[schema(value_type = Option<String>, format = DateTime)]
    at: Option<String>,
    /// The project's version of the difference that the caller has looked at: with it, what has changed since the draft is
    /// overwritten. Without it that is a refusal, and also with it where others have approved the set, or `at` is given.
    pub seen_version: Option<i64>,
}

impl Application {
    /// The time, if it is not now.
    pub fn at(&self, now: OffsetDateTime) -> Result<Option<OffsetDateTime>, Invalid> {
        let Some(text) = &self.at else {
            return Ok(None);
        };
        let at = date_time(text)
            .ok_or_else(|| Invalid::new("at must be a time such as 2026-01-02T15:04:05Z"))?;
        if at <= now {
            return Err(Invalid::new("at must be in the future"));
        }
        if at > now + time::Duration::days(366) {
            return Err(Invalid::new("at must be at most a year ahead"));
        }
        Ok(Some(at))
    }
}
