//! Prices and enforced limits of each plan, in one place.

use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::money::Amount;
use crate::orgs::model::{Limits, Plan};

/// The product name that the gateway shows to the payer.
pub const PRODUCT: &str = "Halyard Pro";

/// What a month of Pro costs in this installation: shown, and charged by the gateway with a form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Price {
    pub pro: Amount,
    /// ISO 4217.
    pub currency: String,
    /// Written before amounts.
    pub symbol: String,
}

/// The pricing configuration.
#[derive(Debug, Serialize, ToSchema)]
pub struct Pricing {
    /// ISO 4217.
    currency: String,
    currency_symbol: String,
    plans: Offers,
}

/// The plans that are offered.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlanOffers)]
pub struct Offers {
    free: Offer,
    pro: Offer,
    enterprise: Offer,
}

/// One plan.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = PlanOffer)]
pub struct Offer {
    name: &'static str,
    /// For one billing period, in the currency's unit; null where it is agreed upon.
    #[schema(value_type = Option<f64>, required)]
    price: Option<Box<RawValue>>,
    display_price: String,
    /// Absent where the price is agreed upon.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = String, required = false)]
    billing_period: Option<&'static str>,
    /// Absent where the price is agreed upon.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = ShownLimits, required = false)]
    limits: Option<ShownLimits>,
    features: &'static [&'static str],
}

/// The limits of a plan; -1 means unlimited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[schema(as = PlanLimits)]
pub struct ShownLimits {
    pub projects: i64,
    /// Per project.
    pub environments: i64,
    pub seats: i64,
}

impl From<Limits> for ShownLimits {
    fn from(limits: Limits) -> Self {
        Self {
            projects: limits.projects.unwrap_or(-1),
            environments: limits.environments.unwrap_or(-1),
            seats: limits.seats.unwrap_or(-1),
        }
    }
}

impl Pricing {
    pub fn at(price: &Price) -> Self {
        let symbol = &price.symbol;
        Self {
            currency: price.currency.clone(),
            currency_symbol: symbol.trim_end().to_owned(),
            plans: Offers {
                free: Offer::priced(
                    "Free",
                    Plan::Free,
                    Amount::from_minor(0),
                    symbol,
                    &[
                        "Targeting rules, segments, rollouts and A/B variants",
                        "Approvals, schedules and the audit trail",
                        "OpenFeature and server-sent events",
                    ],
                ),
                pro: Offer::priced(
                    "Pro",
                    Plan::Pro,
                    price.pro,
                    symbol,
                    &[
                        "Everything in Free",
                        "Unlimited projects, environments and members",
                        "Multi-factor authentication",
                    ],
                ),
                enterprise: Offer {
                    name: "Enterprise",
                    price: None,
                    display_price: "Contact us".to_owned(),
                    billing_period: None,
                    limits: None,
                    features: &["Everything in Pro", "Custom roles", "SCIM provisioning"],
                },
            },
        }
    }
}

impl Offer {
    fn priced(
        name: &'static str,
        plan: Plan,
        price: Amount,
        symbol: &str,
        features: &'static [&'static str],
    ) -> Self {
        let number = RawValue::from_string(price.to_shortest());
        Self {
            name,
            price: Some(number.expect("a decimal is a JSON number")),
            display_price: price.to_display(symbol),
            billing_period: Some("month"),
            limits: Some(plan.limits().into()),
            features,
        }
    }
}
