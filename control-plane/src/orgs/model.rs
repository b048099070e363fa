//! An organization, its plan, and the limits of the plan.

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::ids::OrgId;

/// An organization as the API shows it.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Organization {
    /// Its id.
    pub id: OrgId,
    /// As given at sign-up.
    pub name: String,
    /// Derived from the name, unique in the service.
    pub slug: String,
    /// What it pays for.
    pub plan: Plan,
    /// End of the trial; kept after it ended.
    #[serde(with = "time::serde::rfc3339::option")]
    pub trial_expires_at: Option<OffsetDateTime>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Organization {
    /// What the plan that counts at `now` allows: a trial that ended is free, also before the job that writes it down.
    #[must_use]
    pub fn limits_at(&self, now: OffsetDateTime) -> Limits {
        self.plan.at(self.trial_expires_at, now).limits()
    }
}

/// A plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "lowercase")]
#[sqlx(type_name = "text", rename_all = "lowercase")]
pub enum Plan {
    /// Everything of Pro, for a limited time.
    Trial,
    /// Limited for ever.
    Free,
    /// Paid.
    Pro,
    /// Set by an operator.
    Enterprise,
}

/// How much of something a plan allows; `None` is unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Projects of the organization.
    pub projects: Option<i64>,
    /// Environments of each project.
    pub environments: Option<i64>,
    /// Members, invited ones included.
    pub seats: Option<i64>,
}

/// Free of decisions 2.11.
const FREE: Limits = Limits {
    projects: Some(1),
    environments: Some(2),
    seats: Some(3),
};
const UNLIMITED: Limits = Limits {
    projects: None,
    environments: None,
    seats: None,
};

impl Plan {
    /// What the plan allows. Only creations are refused over a limit; what exists stays usable.
    #[must_use]
    pub const fn limits(self) -> Limits {
        match self {
            Self::Free => FREE,
            Self::Trial | Self::Pro | Self::Enterprise => UNLIMITED,
        }
    }

    /// The plan that counts at `now`: a trial that ended is free.
    #[must_use]
    pub fn at(self, trial_expires_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Self {
        match (self, trial_expires_at) {
            (Self::Trial, Some(end)) if end <= now => Self::Free,
            (plan, _) => plan,
        }
    }

    /// Whether it has everything that `other` has. The trial has what Pro has.
    #[must_use]
    pub const fn includes(self, other: Self) -> bool {
        self.rank() >= other.rank()
    }

    const fn rank(self) -> u8 {
        match self {
            Self::Free => 0,
            Self::Trial | Self::Pro => 1,
            Self::Enterprise => 2,
        }
    }

    /// The name in the API.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }
}
