//! Shapes of answers, for all sources.

use serde::{Deserialize, Deserializer};

/// Structs with fields that have to be there, and others that are empty where they are absent or `null`; after the case of their
/// names.
macro_rules! sent {
    ($case:literal $(
        $(#[$meta:meta])*
        $name:ident {
            $($(#[$required_meta:meta])* $required:ident: $required_type:ty),* $(,)?
        } {
            $($(#[$field_meta:meta])* $field:ident: $type:ty),* $(,)?
        }
    )*) => {$(
        #[derive(Clone, Debug, Default, serde::Deserialize)]
        #[serde(rename_all = $case)]
        $(#[$meta])*
        pub struct $name {
            $($(#[$required_meta])* pub $required: $required_type,)*
            $(
                #[serde(default, deserialize_with = "crate::wire::or_empty")]
                $(#[$field_meta])*
                pub $field: $type,
            )*
        }
    )*};
}
pub(crate) use sent;

pub(crate) fn or_empty<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de> + Default,
{
    Option::deserialize(input).map(Option::unwrap_or_default)
}
