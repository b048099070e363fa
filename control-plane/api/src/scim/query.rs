//! The query parameters of SCIM.

use serde::Deserialize;
use serving::page::Page;
use utoipa::IntoParams;

use domain::scim::{
    filter::Filter, projection::Projection, refused::Refused, schemas::MAX_RESULTS,
};

/// Selects the attributes of users in the answer.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct View {
    /// Only these, separated by commas.
    attributes: Option<String>,
    /// All but these.
    excluded_attributes: Option<String>,
}

impl View {
    pub(super) fn projection(&self) -> Result<Projection, Refused> {
        Projection::parse(
            self.attributes.as_deref(),
            self.excluded_attributes.as_deref(),
        )
    }
}

/// Selects the listed users. Malformed numbers count as absent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Listing {
    /// The first one, counted from 1.
    #[param(value_type = Option<i64>)]
    start_index: Option<String>,
    /// How many: 100 at most and when absent.
    #[param(value_type = Option<i64>)]
    count: Option<String>,
    /// `eq` on userName, emails.value, externalId, id and active, joined by `and`.
    filter: Option<String>,
    /// Only these, separated by commas.
    attributes: Option<String>,
    /// All but these.
    excluded_attributes: Option<String>,
}

impl Listing {
    pub(super) fn page(&self) -> Page {
        let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse().ok());
        let start_index = number(&self.start_index).unwrap_or(1).max(1);
        Page {
            limit: number(&self.count)
                .unwrap_or(MAX_RESULTS)
                .clamp(0, MAX_RESULTS),
            offset: start_index - 1,
        }
    }

    /// `None` if no user can match.
    pub(super) fn filter(&self) -> Result<Option<Filter>, Refused> {
        match &self.filter {
            Some(filter) => Filter::parse(filter),
            None => Ok(Some(Filter::default())),
        }
    }

    pub(super) fn projection(&self) -> Result<Projection, Refused> {
        Projection::parse(
            self.attributes.as_deref(),
            self.excluded_attributes.as_deref(),
        )
    }
}
