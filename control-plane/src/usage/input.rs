//! What a report may be asked for.

use serde::Deserialize;
use utoipa::IntoParams;

use super::model::Filter;
use crate::ids::{EnvId, ProjectId};

/// Filters as sent. An empty one counts as absent.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct FilterQuery {
    /// What was counted under this key, which need not be that of a flag.
    flag_key: Option<String>,
    /// What was counted in an environment.
    env_id: Option<String>,
    /// What was counted in the environments of a project.
    project_id: Option<String>,
}

impl FilterQuery {
    /// `None` if nothing can match, because a text is not an id.
    pub(super) fn read(&self) -> Option<Filter> {
        let given = |text: &Option<String>| text.clone().filter(|text| !text.is_empty());
        Some(Filter {
            flag_key: given(&self.flag_key),
            env_id: match given(&self.env_id) {
                Some(text) => Some(EnvId::parse(&text)?),
                None => None,
            },
            project_id: match given(&self.project_id) {
                Some(text) => Some(ProjectId::parse(&text)?),
                None => None,
            },
        })
    }

    /// The filters that were sent, by name.
    pub(super) fn sent(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let filters = [
            ("flag_key", &self.flag_key),
            ("env_id", &self.env_id),
            ("project_id", &self.project_id),
        ];
        filters
            .into_iter()
            .filter_map(|(name, text)| Some((name, text.as_deref()?)))
    }
}
