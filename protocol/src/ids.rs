//! Typed identifiers of what is exchanged between control plane and edges.
//!
//! The control plane maps its own database identifiers onto these; nothing here knows how they are stored.

use std::fmt;

use uuid::Uuid;

use crate::wire::codec::{Decode, Encode};

macro_rules! id {
    ($($(#[$doc:meta])* $name:ident),* $(,)?) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Encode, Decode)]
        pub struct $name([u8; 16]);

        impl $name {
            /// The identifier that a UUID is.
            #[must_use]
            pub const fn new(id: Uuid) -> Self {
                Self(id.into_bytes())
            }

            /// The identifier as a UUID.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                Uuid::from_bytes(self.0)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.uuid().fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.uuid().fmt(f)
            }
        }

        impl From<Uuid> for $name {
            fn from(id: Uuid) -> Self {
                Self::new(id)
            }
        }
    )*};
}

id! {
    /// An organization: the tenant.
    OrgId,
    /// A project of an organization.
    ProjectId,
    /// An environment of a project; the unit of publishing.
    EnvId,
    /// A flag of a project.
    FlagId,
    /// A segment of a project.
    SegmentId,
    /// An API key of an environment.
    ApiKeyId,
}
