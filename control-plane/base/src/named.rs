//! Things that a client names by id or by slug.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

use crate::{
    ids::{EnvId, ProjectId},
    input::Slug,
};

/// A thing named by its id or by its slug. A text of the form of an id is an id, also where a slug has this form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named<I> {
    Id(I),
    Slug(Slug),
    /// A text that no thing can have.
    Nothing,
}

/// A project named in a path, a query or a body.
pub type ProjectRef = Named<ProjectId>;

/// An environment named in a path, a query or a body, within its project.
pub type EnvRef = Named<EnvId>;

impl<I> Named<I> {
    fn from_text(text: &str, id: Option<I>) -> Self {
        match (id, Slug::parse(text.to_owned())) {
            (Some(id), _) => Self::Id(id),
            (None, Ok(slug)) => Self::Slug(slug),
            (None, Err(_)) => Self::Nothing,
        }
    }
}

macro_rules! parsed {
    ($($id:ident),+) => {$(
        impl Named<$id> {
            #[must_use]
            pub fn parse(text: &str) -> Self {
                Self::from_text(text, $id::parse(text))
            }

            /// What a filter names; nothing if it is absent or empty.
            #[must_use]
            pub fn given(text: Option<&str>) -> Option<Self> {
                text.filter(|text| !text.is_empty()).map(Self::parse)
            }
        }

        impl<'de> Deserialize<'de> for Named<$id> {
            fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
                Ok(Self::parse(&Cow::<str>::deserialize(input)?))
            }
        }
    )+};
}

parsed!(ProjectId, EnvId);

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn a_text_of_the_form_of_an_id_is_an_id() {
        let id = EnvId::new(OffsetDateTime::UNIX_EPOCH);
        let text = id.to_string();
        assert_eq!(EnvRef::parse(&text), Named::Id(id));
        assert_eq!(EnvRef::parse(&text.to_uppercase()), Named::Id(id));
        let bare = text.replace('-', "");
        let slug = Slug::parse(bare.clone()).unwrap();
        assert_eq!(EnvRef::parse(&bare), Named::Slug(slug));
    }

    #[test]
    fn a_text_of_neither_form_names_nothing() {
        for text in ["", "Dev", "a b", "-a", "ä", &"s".repeat(101)] {
            assert_eq!(ProjectRef::parse(text), Named::Nothing, "{text}");
        }
        assert!(matches!(ProjectRef::parse("shop"), Named::Slug(_)));
    }
}
