//! A flag as the API shows it, and its size in a compiled environment.

use protocol::snapshot;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::size::compiled_size;
use crate::{
    ids::{FlagId, MemberId},
    input::Invalid,
};

/// A change of a flag that is archived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("flag is archived; restore it first")]
pub struct Archived;

/// A flag.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Flag {
    /// Its id.
    pub id: FlagId,
    /// Unique in the project, never changed.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// Possibly empty.
    pub description: String,
    /// The type of its values, never changed.
    pub flag_type: FlagType,
    /// Served when the flag is disabled.
    pub default_value: Value,
    /// Without duplicates.
    pub tags: Vec<String>,
    /// Keys of flags that must be on, without duplicates.
    pub prerequisites: Vec<String>,
    /// Empty for none.
    pub mutual_exclusion_group: String,
    /// Whether it is to stay for ever, so that it is never stale.
    pub permanent: bool,
    /// The member who looks after it; `null` for none, and once that member is gone.
    #[schema(required)]
    pub owner_id: Option<MemberId>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When one of these fields last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// When it was archived; absent if it is not.
    #[serde(
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub archived_at: Option<OffsetDateTime>,
    /// The stored share in the project's compiled size.
    #[serde(skip)]
    pub compiled_bytes: i32,
    /// Value of the `ETag`: the project's version in which the fields were stored; 0 before.
    #[serde(skip)]
    pub version: i64,
}

impl Flag {
    /// Refuses a change of an archived flag or of its states.
    pub fn refuse_archived(&self) -> Result<(), Archived> {
        match self.archived_at {
            Some(_) => Err(Archived),
            None => Ok(()),
        }
    }

    /// Its size in every compiled environment of the project, without states.
    pub fn measure(&self) -> i32 {
        compiled_size(&self.compile())
    }

    /// The form sent to edges, without states.
    pub fn compile(&self) -> snapshot::Flag {
        snapshot::Flag {
            id: self.id.into(),
            key: self.key.clone(),
            flag_type: self.flag_type.into(),
            default_value: self.default_value.to_string(),
            prerequisites: self.prerequisites.clone(),
            mutual_exclusion_group: self.mutual_exclusion_group.clone(),
            state: None,
        }
    }
}

impl Flag {
    /// Whether its own fields lead to the same answers as those of another one.
    pub fn answers_like(&self, other: &Self) -> bool {
        self.default_value == other.default_value
            && self.prerequisites == other.prerequisites
            && self.mutual_exclusion_group == other.mutual_exclusion_group
    }
}

/// A flag in a list.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct FlagItem {
    /// Its id.
    pub id: FlagId,
    /// Unique in the project.
    pub key: String,
    /// What people call it.
    pub name: String,
    /// The type of its values.
    pub flag_type: FlagType,
    /// Served when the flag is disabled.
    pub default_value: Value,
    /// Without duplicates.
    pub tags: Vec<String>,
    /// The member who looks after it; `null` for none, and once that member is gone.
    #[schema(required)]
    pub owner_id: Option<MemberId>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When one of the flag's fields last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
    /// When it was archived; absent if it is not.
    #[serde(
        with = "time::serde::rfc3339::option",
        skip_serializing_if = "Option::is_none"
    )]
    pub archived_at: Option<OffsetDateTime>,
}

/// The type of a flag's values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(
    feature = "server",
    derive(sqlx::Type),
    sqlx(type_name = "text", rename_all = "lowercase")
)]
pub enum FlagType {
    #[default]
    Boolean,
    String,
    Number,
    Json,
    /// Any JSON value, chosen by variants.
    Ab,
}

impl FlagType {
    /// Checks the field `flag_type` of a body; `boolean` if missing.
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        Ok(match text {
            None | Some("boolean") => Self::Boolean,
            Some("string") => Self::String,
            Some("number") => Self::Number,
            Some("json") => Self::Json,
            Some("ab") => Self::Ab,
            Some(_) => {
                return Err(Invalid::new(
                    "flag_type must be one of boolean, string, number, json, ab",
                ));
            }
        })
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::String => "string",
            Self::Number => "number",
            Self::Json => "json",
            Self::Ab => "ab",
        }
    }

    /// The default of a flag for which none was given.
    pub fn default_value(self) -> Value {
        snapshot::FlagType::from(self).default_value()
    }

    /// Checks the type and size of a value to be served by a flag of this type, called `field` in errors.
    pub fn check(self, field: &str, value: &Value) -> Result<(), Invalid> {
        let (fits, wanted) = match self {
            Self::Boolean => (value.is_boolean(), "a boolean"),
            Self::String => (value.is_string(), "a string"),
            Self::Number => (value.is_number(), "a number"),
            Self::Json => (
                value.is_object() || value.is_array(),
                "an object or an array",
            ),
            Self::Ab => (true, "any value"),
        };
        if !fits {
            return Err(Invalid::new(format!("{field} must be {wanted}")));
        }
        check_size(field, value)
    }
}

/// Checks the size in JSON of a served value (a default, or the value of a rule or variant), called `field` in errors.
pub fn check_size(field: &str, value: &Value) -> Result<(), Invalid> {
    if value.to_string().len() > 64 << 10 {
        return Err(Invalid::new(format!("{field} must have at most 64 KiB")));
    }
    Ok(())
}

impl From<snapshot::FlagType> for FlagType {
    fn from(flag_type: snapshot::FlagType) -> Self {
        match flag_type {
            snapshot::FlagType::Boolean => Self::Boolean,
            snapshot::FlagType::String => Self::String,
            snapshot::FlagType::Number => Self::Number,
            snapshot::FlagType::Json => Self::Json,
            snapshot::FlagType::Ab => Self::Ab,
        }
    }
}

impl From<FlagType> for snapshot::FlagType {
    fn from(flag_type: FlagType) -> Self {
        match flag_type {
            FlagType::Boolean => Self::Boolean,
            FlagType::String => Self::String,
            FlagType::Number => Self::Number,
            FlagType::Json => Self::Json,
            FlagType::Ab => Self::Ab,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_match_the_type() {
        let values = [
            json!(true),
            json!("a"),
            json!(1.5),
            json!({"a": 1}),
            json!([1]),
            json!(null),
        ];
        for (flag_type, admitted) in [
            (FlagType::Boolean, [true, false, false, false, false, false]),
            (FlagType::String, [false, true, false, false, false, false]),
            (FlagType::Number, [false, false, true, false, false, false]),
            (FlagType::Json, [false, false, false, true, true, false]),
            (FlagType::Ab, [true; 6]),
        ] {
            let found: Vec<bool> = values
                .iter()
                .map(|value| flag_type.check("value", value).is_ok())
                .collect();
            assert_eq!(found, admitted, "{flag_type:?}");
        }
    }

    #[test]
    fn defaults_match_their_type() {
        for text in ["boolean", "string", "number", "json", "ab"] {
            let flag_type = FlagType::parse(Some(text)).unwrap();
            assert!(
                flag_type
                    .check("default_value", &flag_type.default_value())
                    .is_ok(),
                "{text}"
            );
        }
        assert_eq!(FlagType::parse(None), Ok(FlagType::Boolean));
        assert!(FlagType::parse(Some("")).is_err());
        assert!(FlagType::parse(Some("Boolean")).is_err());
    }

    #[test]
    fn a_value_has_at_most_64_kib_of_json() {
        let text = |length| Value::String("a".repeat(length));
        assert!(
            FlagType::String
                .check("value", &text((64 << 10) - 2))
                .is_ok()
        );
        assert_eq!(
            FlagType::String.check("value", &text((64 << 10) - 1)),
            Err(Invalid::new("value must have at most 64 KiB"))
        );
    }
}
