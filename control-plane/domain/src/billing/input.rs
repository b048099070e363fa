//! Billing requests as sent by clients.

use serde::Deserialize;
use utoipa::ToSchema;

use super::model::Gateway;
use base::{
    config::{Page, UrlSettings},
    input::Invalid,
};

/// Where the payer returns to on the dashboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReturnPath {
    Billing,
    Onboarding,
}

impl ReturnPath {
    pub fn parse(text: Option<&str>) -> Result<Self, Invalid> {
        match text {
            None | Some("/settings/billing") => Ok(Self::Billing),
            Some("/onboarding") => Ok(Self::Onboarding),
            Some(_) => Err(Invalid::new(
                "return_url must be /settings/billing or /onboarding",
            )),
        }
    }

    pub const fn page(self) -> Page {
        match self {
            Self::Billing => Page::Billing,
            Self::Onboarding => Page::Onboarding,
        }
    }

    /// As a checkout keeps it; a path of another release counts as absent.
    pub fn of_stored(path: Option<&str>) -> Self {
        Self::parse(path).unwrap_or(Self::Billing)
    }
}

/// The outcome of a checkout, reported to the dashboard in the return address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    Success,
    Failed,
}

impl Ended {
    pub fn at(self, urls: &UrlSettings, return_path: ReturnPath) -> String {
        let status = match self {
            Self::Success => "success",
            Self::Failed => "failed",
        };
        urls.page_with(return_path.page(), &[("status", status)])
    }
}

#[derive(Debug, Deserialize)]
pub struct CheckoutQuery {
    pub return_url: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cancellation {
    AtPeriodEnd,
    Now,
}

/// The body of a cancellation.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = Cancellation)]
pub struct RawCancellation {
    /// Whether access goes on until the end of the period; true when it is not given.
    #[schema(default = true)]
    at_period_end: Option<bool>,
}

impl RawCancellation {
    pub fn check(self) -> Cancellation {
        if self.at_period_end.unwrap_or(true) {
            Cancellation::AtPeriodEnd
        } else {
            Cancellation::Now
        }
    }
}

/// The body of a choice of gateway.
#[derive(Debug, Deserialize, ToSchema)]
pub struct GatewayChoice {
    /// Required: `gateway_form` or `gateway_redirect`.
    #[schema(value_type = String)]
    gateway: Option<String>,
}

impl GatewayChoice {
    pub fn check(self) -> Result<Gateway, Invalid> {
        let text = self
            .gateway
            .ok_or_else(|| Invalid::new("gateway is required"))?;
        Gateway::parse(&text)
    }
}
