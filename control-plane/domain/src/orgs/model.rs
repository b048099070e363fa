//! An organization, its plan, and the limits of the plan.

use std::str::FromStr;

use serde::{Deserialize, Serialize};
use time::OffsetDateTime;
use utoipa::ToSchema;

use base::ids::OrgId;

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
    #[schema(required)]
    pub trial_expires_at: Option<OffsetDateTime>,
    /// When it was created.
    #[serde(with = "time::serde::rfc3339")]
    pub created_at: OffsetDateTime,
    /// When it last changed.
    #[serde(with = "time::serde::rfc3339")]
    pub updated_at: OffsetDateTime,
}

impl Organization {
    /// The limits of the plan in effect at `now`: an ended trial is Free, even before the job stores that.
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
    Pro,
    /// Set by an operator.
    Enterprise,
}

/// A text that names no plan.
#[derive(Debug, thiserror::Error)]
#[error("expected trial, free, pro or enterprise")]
pub struct UnknownPlan;

impl FromStr for Plan {
    type Err = UnknownPlan;

    fn from_str(text: &str) -> Result<Self, UnknownPlan> {
        let all = [Self::Trial, Self::Free, Self::Pro, Self::Enterprise];
        let named = all.into_iter().find(|plan| plan.as_str() == text);
        named.ok_or(UnknownPlan)
    }
}

/// `None` means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    pub projects: Option<i64>,
    /// Per project.
    pub environments: Option<i64>,
    /// Members, including invited ones.
    pub seats: Option<i64>,
    pub webhooks: Option<i64>,
}

const FREE: Limits = Limits {
    projects: Some(1),
    environments: Some(2),
    seats: Some(3),
    webhooks: Some(10),
};
const TRIAL: Limits = Limits {
    webhooks: FREE.webhooks,
    ..UNLIMITED
};
const UNLIMITED: Limits = Limits {
    projects: None,
    environments: None,
    seats: None,
    webhooks: None,
};

impl Plan {
    /// The limits of the plan. Only creating is refused above a limit; what exists stays usable.
    pub const fn limits(self) -> Limits {
        match self {
            Self::Free => FREE,
            Self::Trial => TRIAL,
            Self::Pro | Self::Enterprise => UNLIMITED,
        }
    }

    /// The plan in effect at `now`: an ended trial is Free.
    pub fn at(self, trial_expires_at: Option<OffsetDateTime>, now: OffsetDateTime) -> Self {
        match (self, trial_expires_at) {
            (Self::Trial, Some(end)) if end <= now => Self::Free,
            (plan, _) => plan,
        }
    }

    /// Whether it includes everything in `other`. The trial includes Pro.
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

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Trial => "trial",
            Self::Free => "free",
            Self::Pro => "pro",
            Self::Enterprise => "enterprise",
        }
    }
}
