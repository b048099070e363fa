//! The body of a bulk edit.

use serde::Deserialize;
use utoipa::ToSchema;

use base::{
    input::{Invalid, distinct, is_longer_than, required},
    named::EnvRef,
};
use domain::roles::keys::{
    FlagsDelete, FlagsPromote, FlagsToggle, FlagsUpdate, Needs, Permission as _,
};

const MOST_KEYS: usize = 100;

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FlagBulk)]
pub(super) struct Bulk {
    /// Required: 1 to 100 keys of flags.
    #[schema(value_type = Vec<String>, required = true)]
    keys: Option<Vec<String>>,
    /// Required: `enable`, `disable`, `tag`, `untag`, `promote`, `archive` or `restore`.
    #[schema(value_type = String, required = true)]
    action: Option<String>,
    /// The environment of `enable` and `disable`, and the source of `promote`, by id or slug.
    env_id: Option<String>,
    /// The target of `promote`, by id or slug.
    target_env_id: Option<String>,
    /// The tag of `tag` and `untag`.
    tag: Option<String>,
    /// Whether `promote` copies the variants too; `false` when absent.
    variants: Option<bool>,
}

/// The wanted change; environments are named, or looked up.
#[derive(Debug)]
pub(super) enum Wanted<E> {
    Switch {
        env: E,
        enabled: bool,
    },
    Tag {
        tag: String,
        has_it: bool,
    },
    Promote {
        source: E,
        target: E,
        variants: bool,
    },
    Archive,
    Restore,
}

impl<E> Wanted<E> {
    /// The key that the single request requires of a custom role.
    pub(super) const fn needs(&self) -> Needs {
        match self {
            Self::Switch { .. } => FlagsToggle::NEEDS,
            Self::Tag { .. } => FlagsUpdate::NEEDS,
            Self::Promote { .. } => FlagsPromote::NEEDS,
            Self::Archive | Self::Restore => FlagsDelete::NEEDS,
        }
    }
}

impl Bulk {
    pub(super) fn check(self) -> Result<(Vec<String>, Wanted<EnvRef>), Invalid> {
        let keys = self.keys.unwrap_or_default();
        if keys.is_empty() {
            return Err(Invalid::new("keys is required"));
        }
        let keys = distinct(keys, MOST_KEYS, "keys must have at most 100 items", |_| {
            Ok(())
        })?;
        let env = |field, text| required(field, text).map(|text| EnvRef::parse(&text));
        let action = required("action", self.action)?;
        let wanted = match action.as_str() {
            "enable" | "disable" => Wanted::Switch {
                env: env("env_id", self.env_id)?,
                enabled: action == "enable",
            },
            "tag" | "untag" => Wanted::Tag {
                tag: tag(self.tag)?,
                has_it: action == "tag",
            },
            "promote" => Wanted::Promote {
                source: env("env_id", self.env_id)?,
                target: env("target_env_id", self.target_env_id)?,
                variants: self.variants.unwrap_or(false),
            },
            "archive" => Wanted::Archive,
            "restore" => Wanted::Restore,
            _ => {
                return Err(Invalid::new(
                    "action must be one of enable, disable, tag, untag, promote, archive, restore",
                ));
            }
        };
        Ok((keys, wanted))
    }
}

fn tag(text: Option<String>) -> Result<String, Invalid> {
    let tag = required("tag", text)?;
    if is_longer_than(&tag, 64) {
        return Err(Invalid::new("a tag must have at most 64 characters"));
    }
    Ok(tag)
}
