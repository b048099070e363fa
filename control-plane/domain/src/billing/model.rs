//! Subscriptions and usage as the API shows them, and their stored form.

use serde::Serialize;
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{history::State, pricing::ShownLimits};
use crate::orgs::model::Plan;
use base::{
    ids::{OrgId, SubscriptionId},
    input::Invalid,
};

/// A payment gateway.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[schema(as = PaymentGateway)]
#[sqlx(type_name = "text")]
pub enum Gateway {
    /// Payers post a form to it.
    #[serde(rename = "gateway_form")]
    #[sqlx(rename = "gateway_form")]
    Form,
    /// Payers are redirected to it; it renews by itself and has a portal.
    #[serde(rename = "gateway_redirect")]
    #[sqlx(rename = "gateway_redirect")]
    Redirect,
}

impl Gateway {
    pub fn parse(text: &str) -> Result<Self, Invalid> {
        match text {
            "gateway_form" => Ok(Self::Form),
            "gateway_redirect" => Ok(Self::Redirect),
            _ => Err(Invalid::new(
                "gateway must be gateway_form or gateway_redirect",
            )),
        }
    }

    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Form => "gateway_form",
            Self::Redirect => "gateway_redirect",
        }
    }
}

/// How a subscription stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, sqlx::Type, ToSchema)]
#[serde(rename_all = "snake_case")]
#[sqlx(type_name = "text", rename_all = "snake_case")]
pub enum Status {
    Active,
    /// A payment is overdue; the plan is kept for a grace period.
    PastDue,
    Canceled,
}

impl Status {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::PastDue => "past_due",
            Self::Canceled => "canceled",
        }
    }

    /// Whether it can be canceled.
    pub const fn is_live(self) -> bool {
        match self {
            Self::Active | Self::PastDue => true,
            Self::Canceled => false,
        }
    }
}

/// A subscription as it is stored: computed from its events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subscription {
    pub id: SubscriptionId,
    pub org_id: OrgId,
    pub gateway: Gateway,
    /// The gateway's id. `None` for `gateway_form`, and while it is unknown.
    pub gateway_ref: Option<String>,
    pub started_at: OffsetDateTime,
    /// The state computed from its events.
    pub state: State,
}

impl Subscription {
    pub fn can_manage(&self) -> bool {
        self.gateway == Gateway::Redirect && self.state.status.is_live()
    }

    /// Whether another checkout would charge twice.
    pub fn goes_on(&self) -> bool {
        self.state.status == Status::Active && !self.state.cancel_at_period_end
    }

    /// The state in the audit log.
    pub fn shown(&self) -> ShownState {
        ShownState {
            gateway: self.gateway,
            status: self.state.status,
            current_period_start: self.state.period_start,
            current_period_end: self.state.period_end,
            cancel_at_period_end: self.state.cancel_at_period_end,
        }
    }
}

#[derive(Debug, Serialize)]
pub struct ShownState {
    gateway: Gateway,
    status: Status,
    #[serde(with = "time::serde::rfc3339::option")]
    current_period_start: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    current_period_end: Option<OffsetDateTime>,
    cancel_at_period_end: bool,
}

/// The status that the API shows: also that there is no subscription.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = SubscriptionStatus)]
#[serde(rename_all = "snake_case")]
pub enum ShownStatus {
    Active,
    PastDue,
    Canceled,
    None,
}

impl From<Status> for ShownStatus {
    fn from(status: Status) -> Self {
        match status {
            Status::Active => Self::Active,
            Status::PastDue => Self::PastDue,
            Status::Canceled => Self::Canceled,
        }
    }
}

/// The subscription of an organization, and what its plan allows. -1 means unlimited.
#[derive(Debug, Serialize, ToSchema)]
pub struct SubscriptionReport {
    plan: Plan,
    seats_limit: i64,
    projects_limit: i64,
    /// Per project.
    environments_limit: i64,
    /// Of the subscription; without one, what a checkout would go through.
    gateway: Gateway,
    status: ShownStatus,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    current_period_start: Option<OffsetDateTime>,
    #[serde(with = "time::serde::rfc3339::option")]
    #[schema(required)]
    current_period_end: Option<OffsetDateTime>,
    /// Access goes on until the end of the period.
    cancel_at_period_end: bool,
    /// Whether the gateway's portal can be opened.
    can_manage: bool,
    /// Members, invited ones included.
    seats_used: i64,
    projects_used: i64,
}

/// How much of what its plan allows an organization uses. -1 means unlimited.
#[derive(Debug, Serialize, ToSchema)]
pub struct UsageReport {
    /// Members, invited ones included.
    seats_used: i64,
    seats_limit: i64,
    projects_used: i64,
    projects_limit: i64,
    /// In all projects.
    environments_used: i64,
    /// Per project.
    environments_limit: i64,
    plan: Plan,
}

/// An organization's plan and usage at one moment.
#[derive(Clone, Copy, Debug)]
pub struct PlanUse {
    pub plan: Plan,
    pub gateway: Gateway,
    pub seats: i64,
    pub projects: i64,
    pub environments: i64,
}

impl PlanUse {
    fn limits(&self) -> ShownLimits {
        self.plan.limits().into()
    }

    pub fn subscription(&self, current: Option<&Subscription>) -> SubscriptionReport {
        let limits = self.limits();
        let state = current.map(|current| &current.state);
        SubscriptionReport {
            plan: self.plan,
            seats_limit: limits.seats,
            projects_limit: limits.projects,
            environments_limit: limits.environments,
            gateway: current.map_or(self.gateway, |current| current.gateway),
            status: state.map_or(ShownStatus::None, |state| state.status.into()),
            current_period_start: state.and_then(|state| state.period_start),
            current_period_end: state.and_then(|state| state.period_end),
            cancel_at_period_end: state.is_some_and(|state| state.cancel_at_period_end),
            can_manage: current.is_some_and(Subscription::can_manage),
            seats_used: self.seats,
            projects_used: self.projects,
        }
    }

    pub fn usage(&self) -> UsageReport {
        let limits = self.limits();
        UsageReport {
            seats_used: self.seats,
            seats_limit: limits.seats,
            projects_used: self.projects,
            projects_limit: limits.projects,
            environments_used: self.environments,
            environments_limit: limits.environments,
            plan: self.plan,
        }
    }
}
