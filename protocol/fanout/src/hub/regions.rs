//! What an edge may hold, and what it wants.

use std::sync::Arc;

/// The data regions whose organizations an edge may hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Regions {
    /// All regions.
    All,
    /// Only one.
    Only(Arc<str>),
}

impl Regions {
    /// The only region, if there is just one.
    pub fn only(&self) -> Option<&str> {
        match self {
            Self::All => None,
            Self::Only(only) => Some(only),
        }
    }

    /// Whether all of `others` are among these.
    pub fn include(&self, others: &Self) -> bool {
        *self == Self::All || self == others
    }

    /// What is among both; `None` if nothing is.
    pub fn within(&self, others: &Self) -> Option<Self> {
        if self.include(others) {
            Some(others.clone())
        } else {
            others.include(self).then(|| self.clone())
        }
    }

    /// Whether organizations of `region` are allowed.
    pub fn allow(&self, region: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(only) => **only == *region,
        }
    }
}

/// Which environments of its regions an edge wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// All, including new ones.
    All,
    /// Only those that were named.
    Named,
}
