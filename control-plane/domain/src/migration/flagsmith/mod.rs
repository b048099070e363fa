//! The importer of Flagsmith (API v1), and of whatever speaks as it does.
//!
//! Servers differ in the addresses they know. Those that current servers have are asked first, the older ones after.

mod fetch;
mod identities;

use std::collections::HashSet;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use importers::{
    flagsmith::{EnvironmentRead, Project, translate, wire},
    plan::{Choices, Plan, copies::bounded},
};
use secrecy::{ExposeSecret as _, SecretString};

use self::fetch::Source;
pub use self::identities::{Identity, identities};
use super::source::{Api, SourceError, Totals, require};
use base::{
    blocking::blocking,
    outbound::{HeaderMap, HeaderName, HeaderValue, header},
};

const ENVIRONMENT_KEY: HeaderName = HeaderName::from_static("x-environment-key");
/// Schemes that a credential may come with. One without is the key of an organization.
const SCHEMES: [&str; 2] = ["Api-Key ", "Token "];

/// Headers for every request. `None` when the credential cannot be sent in a header.
pub fn headers(credential: &SecretString) -> Option<HeaderMap> {
    let credential = credential.expose_secret().trim();
    let scheme = SCHEMES
        .iter()
        .find(|&&scheme| credential.starts_with(scheme));
    let key = credential
        .strip_prefix(scheme.unwrap_or(&""))
        .unwrap_or(credential);
    let authorization = format!("{}{key}", scheme.unwrap_or(&SCHEMES[0]));
    let mut headers = HeaderMap::new();
    for (name, value) in [
        (header::AUTHORIZATION, authorization.as_str()),
        (ENVIRONMENT_KEY, key),
    ] {
        let mut value = HeaderValue::from_str(value).ok()?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Some(headers)
}

/// Whether the source takes the credential and has the project. Without one, whether it takes the credential.
pub async fn connect(api: &Api, project: Option<&str>) -> Result<(), SourceError> {
    let source = Source::new(api);
    match named(project) {
        Some(project) => {
            let environments = source.environments(project).await?;
            if environments.is_empty() {
                // Some servers have an empty list for a project that they do not have.
                source.require_project(project).await?;
            }
            Ok(())
        }
        None => source.greet().await,
    }
}

pub async fn totals(
    api: &Api,
    project: Option<&str>,
    choices: &Choices,
) -> Result<Totals, SourceError> {
    let source = Source::new(api);
    let project = source.project(named(project)).await?;
    let environments = source.environments(&project.id.0).await?;
    require(choices, environments.iter().map(|one| &one.name))?;
    let flags = match source.flag_count(&project.id.0).await? {
        Some(count) => count,
        None => match environments.first() {
            Some(environment) => {
                let states = source.states(environment).await?;
                let features: HashSet<_> = states.iter().map(|state| state.feature.id()).collect();
                features.len()
            }
            None => 0,
        },
    };
    Ok(Totals {
        flags,
        environments: environments.len(),
    })
}

pub async fn read(
    api: &Api,
    project: Option<&str>,
    choices: &Choices,
) -> Result<Plan, SourceError> {
    let source = Source::new(api);
    let project = source.project(named(project)).await?;
    let id = project.id.0.as_str();
    let environments = source.environments(id).await?;
    require(choices, environments.iter().map(|one| &one.name))?;
    let features = source.features(id, environments.first()).await?;
    let project_path = format!("/projects/{}/", fetch::encoded(id));
    let path = format!("{project_path}segments/");
    let segments = source.find(&path, "segments").await?.unwrap_or_default();
    let path = format!("{project_path}tags/");
    let tags = source.find(&path, "tags").await?.unwrap_or_default();
    let is_edge = project.use_edge_identities.unwrap_or(false);
    let environments: Vec<EnvironmentRead> = stream::iter(environments)
        .map(|environment| source.environment(environment, is_edge))
        .buffered(4)
        .try_collect()
        .await?;
    let features = match features {
        Some(features) => features,
        None => sent_with_states(&environments)?,
    };
    let read = Project {
        environments,
        features,
        tags,
        segments,
    };
    let choices = choices.clone();
    let plan = blocking(move || bounded(|| translate(read, &choices))).await;
    plan.ok_or(SourceError::TooLarge)
}

/// The features that states are sent with, where there is no list of them.
fn sent_with_states(environments: &[EnvironmentRead]) -> Result<Vec<wire::Feature>, SourceError> {
    let mut known = HashSet::new();
    let mut features = Vec::new();
    for state in environments.iter().flat_map(|read| &read.states) {
        let Some(feature) = state.feature.whole() else {
            return Err(SourceError::Refused {
                status: 404,
                words: None,
            });
        };
        if known.insert(&feature.id) {
            features.push(feature.clone());
        }
    }
    Ok(features)
}

fn named(project: Option<&str>) -> Option<&str> {
    project.map(str::trim).filter(|project| !project.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_credential_is_sent_under_both_names_and_keeps_its_scheme() {
        for (credential, authorization, key) in [
            ("abc", "Api-Key abc", "abc"),
            ("Api-Key abc", "Api-Key abc", "abc"),
            ("Token abc", "Token abc", "abc"),
        ] {
            let headers = headers(&SecretString::from(credential)).unwrap();
            assert_eq!(headers[header::AUTHORIZATION], authorization);
            assert_eq!(headers[ENVIRONMENT_KEY], key);
            assert!(headers.values().all(HeaderValue::is_sensitive));
        }
        assert!(headers(&SecretString::from("a\nb")).is_none());
    }
}
