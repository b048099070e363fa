//! One field of a partial update: absent, `null` and a value mean three different things.

use serde::{Deserialize, Deserializer};

use super::Invalid;

/// A field of a partial update. Give it `#[serde(default)]`, so that an absent field is [`Patch::Keep`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Patch<T> {
    /// The field is absent: the stored value stays.
    #[default]
    Keep,
    /// The field is `null`.
    Clear,
    /// The field has a value.
    Set(T),
}

impl<T> Patch<T> {
    pub const fn is_keep(&self) -> bool {
        matches!(self, Self::Keep)
    }

    /// The value to store, if any, of a field named `field` that cannot be cleared.
    pub fn not_null(self, field: &str) -> Result<Option<T>, Invalid> {
        match self {
            Self::Keep => Ok(None),
            Self::Clear => Err(Invalid::new(format!("{field} must not be null"))),
            Self::Set(value) => Ok(Some(value)),
        }
    }

    pub fn map<U>(self, make: impl FnOnce(T) -> U) -> Patch<U> {
        match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(make(value)),
        }
    }

    pub fn try_map<U, E>(self, check: impl FnOnce(T) -> Result<U, E>) -> Result<Patch<U>, E> {
        Ok(match self {
            Self::Keep => Patch::Keep,
            Self::Clear => Patch::Clear,
            Self::Set(value) => Patch::Set(check(value)?),
        })
    }

    /// Stores it in a field that may be empty.
    pub fn write_to(&self, field: &mut Option<T>)
    where
        T: Clone,
    {
        match self {
            Self::Keep => {}
            Self::Clear => *field = None,
            Self::Set(value) => *field = Some(value.clone()),
        }
    }

    /// The value to store, if any, of a field for which `null` means empty.
    pub fn or_empty(self) -> Option<T>
    where
        T: Default,
    {
        match self {
            Self::Keep => None,
            Self::Clear => Some(T::default()),
            Self::Set(value) => Some(value),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Patch<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Option::deserialize(deserializer).map(|value| value.map_or(Self::Clear, Self::Set))
    }
}
