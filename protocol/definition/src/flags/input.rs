//! Flags as sent by clients, and the rules for them.

use serde::Deserialize;
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::model::{Flag, FlagType};
use crate::wish::Wish;
use crate::{
    ids::{FlagId, MemberId},
    input::{
        Description, Invalid, Key, Name, Patch, all_given, distinct, has_text, is_longer_than,
        repeats_path,
    },
};

pub const MAX_TAGS: usize = 50;
pub const MAX_TAG: usize = 64;

pub const NO_OWNER: &str = "owner_id must be the id of a member of the organization";

/// The body of a flag's creation.
#[derive(Debug, Deserialize, ToSchema)]
pub struct NewFlag {
    /// Required.
    #[schema(value_type = String)]
    pub key: Option<String>,
    /// Required.
    #[schema(value_type = String)]
    pub name: Option<String>,
    pub description: Option<String>,
    /// `boolean` when absent.
    #[schema(value_type = Option<FlagType>)]
    pub flag_type: Option<String>,
    /// The type's own default when absent or `null`.
    pub default_value: Option<Value>,
    pub tags: Option<Vec<String>>,
    pub prerequisites: Option<Vec<String>>,
    pub mutual_exclusion_group: Option<String>,
    /// Whether it is to stay for ever, so that it is never stale; `false` when absent.
    pub permanent: Option<bool>,
    /// The member who looks after it, by the id of the membership; `me` is the caller.
    pub owner_id: Option<String>,
}

impl NewFlag {
    /// The body as this member means it: `me` is their own id.
    pub fn by(mut self, member_id: MemberId) -> Self {
        self.owner_id = self.owner_id.map(|owner| meant(owner, member_id));
        self
    }

    /// The body of a creation at a path with this key.
    pub fn at(mut self, key: &Key) -> Result<Self, Invalid> {
        let given = self.key.replace(key.to_string());
        repeats_path("key", given.as_deref(), key.as_str())?;
        Ok(self)
    }

    /// Checks the fields. Cycles of prerequisites are checked where the other flags are known.
    pub fn check(self, now: OffsetDateTime) -> Result<Flag, Invalid> {
        all_given([("key", has_text(&self.key)), ("name", has_text(&self.name))])?;
        let key = String::from(Key::parse(self.key)?);
        let name = Name::parse(self.name)?.into();
        let flag_type = FlagType::parse(self.flag_type.as_deref())?;
        let mut flag = Flag {
            id: FlagId::new(now),
            name,
            description: Description::parse(self.description)?.into(),
            flag_type,
            default_value: checked_default(flag_type, self.default_value)?,
            tags: checked_tags(self.tags.unwrap_or_default())?,
            prerequisites: checked_prerequisites(&key, self.prerequisites.unwrap_or_default())?,
            mutual_exclusion_group: checked_group(self.mutual_exclusion_group.unwrap_or_default())?,
            permanent: self.permanent.unwrap_or(false),
            owner_id: self.owner_id.as_deref().map(checked_owner).transpose()?,
            key,
            created_at: now,
            updated_at: now,
            archived_at: None,
            compiled_bytes: 0,
            version: 0,
        };
        flag.compiled_bytes = flag.measure();
        Ok(flag)
    }
}

/// The body of a flag's update. `key` and `flag_type` are no fields of it, so they are ignored.
#[derive(Debug, Default, Deserialize, ToSchema)]
pub struct FlagPatch {
    #[serde(default)]
    #[schema(value_type = String, required = false)]
    name: Patch<String>,
    /// `null` empties it.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    description: Patch<String>,
    /// `null` sets the type's own default.
    #[serde(default)]
    #[schema(value_type = Option<Value>)]
    default_value: Patch<Value>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    tags: Patch<Vec<String>>,
    #[serde(default)]
    #[schema(value_type = Option<Vec<String>>)]
    prerequisites: Patch<Vec<String>>,
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    mutual_exclusion_group: Patch<String>,
    /// Whether it is to stay for ever, so that it is never stale.
    #[serde(default)]
    #[schema(value_type = bool, required = false)]
    permanent: Patch<bool>,
    /// The member who looks after it, by the id of the membership; `me` is the caller, `null` nobody.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    owner_id: Patch<String>,
}

#[derive(Debug)]
pub struct FlagWish {
    name: Option<Name>,
    description: Option<Description>,
    default_value: Option<Value>,
    tags: Option<Vec<String>>,
    prerequisites: Option<Vec<String>>,
    mutual_exclusion_group: Option<String>,
    permanent: Option<bool>,
    owner_id: Patch<MemberId>,
}

impl FlagPatch {
    /// Sets the tags, and changes nothing else.
    pub fn tags(tags: Vec<String>) -> Self {
        Self {
            tags: Patch::Set(tags),
            ..Self::default()
        }
    }

    /// The body as this member means it: `me` is their own id.
    pub fn by(mut self, member_id: MemberId) -> Self {
        self.owner_id = self.owner_id.map(|owner| meant(owner, member_id));
        self
    }

    /// Checks the fields for this flag, whose key and type never change.
    pub fn check(self, flag: &Flag) -> Result<FlagWish, Invalid> {
        let name = self.name.or_empty().map(|name| Name::parse(Some(name)));
        let description = self.description.or_empty();
        let description = description.map(|text| Description::parse(Some(text)));
        let prerequisites = self.prerequisites.or_empty();
        let prerequisites = prerequisites.map(|keys| checked_prerequisites(&flag.key, keys));
        Ok(FlagWish {
            name: name.transpose()?,
            description: description.transpose()?,
            default_value: match self.default_value {
                Patch::Keep => None,
                Patch::Clear => Some(flag.flag_type.default_value()),
                Patch::Set(value) => Some(checked_default(flag.flag_type, Some(value))?),
            },
            tags: self.tags.or_empty().map(checked_tags).transpose()?,
            prerequisites: prerequisites.transpose()?,
            mutual_exclusion_group: self
                .mutual_exclusion_group
                .or_empty()
                .map(checked_group)
                .transpose()?,
            permanent: self.permanent.not_null("permanent")?,
            owner_id: self.owner_id.try_map(|owner| checked_owner(&owner))?,
        })
    }
}

impl Wish for FlagWish {
    type Of = Flag;
    type Made = Flag;

    fn apply(&self, before: &Flag) -> Flag {
        let mut flag = before.clone();
        if let Some(name) = &self.name {
            flag.name = name.clone().into();
        }
        if let Some(description) = &self.description {
            flag.description = description.clone().into();
        }
        set(&mut flag.default_value, self.default_value.as_ref());
        set(&mut flag.tags, self.tags.as_ref());
        set(&mut flag.prerequisites, self.prerequisites.as_ref());
        set(
            &mut flag.mutual_exclusion_group,
            self.mutual_exclusion_group.as_ref(),
        );
        set(&mut flag.permanent, self.permanent.as_ref());
        self.owner_id.write_to(&mut flag.owner_id);
        flag.compiled_bytes = flag.measure();
        flag
    }
}

/// The query field `archived` of a list.
pub fn archived(text: Option<String>) -> Result<bool, Invalid> {
    match text.as_deref() {
        None | Some("" | "false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Invalid::new("archived must be one of true, false")),
    }
}

fn set<T: Clone>(field: &mut T, given: Option<&T>) {
    if let Some(value) = given {
        field.clone_from(value);
    }
}

fn checked_default(flag_type: FlagType, value: Option<Value>) -> Result<Value, Invalid> {
    let Some(value) = value else {
        return Ok(flag_type.default_value());
    };
    flag_type.check("default_value", &value)?;
    Ok(value)
}

fn checked_tags(tags: Vec<String>) -> Result<Vec<String>, Invalid> {
    distinct(tags, MAX_TAGS, "tags must have at most 50 items", |tag| {
        if is_longer_than(tag, MAX_TAG) {
            return Err(Invalid::new("a tag must have at most 64 characters"));
        }
        Ok(())
    })
}

/// Unknown keys are accepted: the flag may be created later, and fails closed until then.
fn checked_prerequisites(key: &str, prerequisites: Vec<String>) -> Result<Vec<String>, Invalid> {
    let too_many = "prerequisites must have at most 20 items";
    distinct(prerequisites, 20, too_many, |prerequisite| {
        if prerequisite == key {
            return Err(Invalid::new("a flag cannot be its own prerequisite"));
        }
        Ok(())
    })
}

fn meant(owner: String, member_id: MemberId) -> String {
    if owner == "me" {
        member_id.to_string()
    } else {
        owner
    }
}

/// Whether there is such a member is checked where members are known.
fn checked_owner(owner: &str) -> Result<MemberId, Invalid> {
    MemberId::parse(owner).ok_or_else(|| Invalid::new(NO_OWNER))
}

fn checked_group(group: String) -> Result<String, Invalid> {
    if is_longer_than(&group, 255) {
        return Err(Invalid::new(
            "mutual_exclusion_group must have at most 255 characters",
        ));
    }
    Ok(group)
}
