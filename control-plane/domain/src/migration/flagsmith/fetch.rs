//! Asking the source: addresses, pages, and what to ask where a server does not know an address.

use std::fmt::Write as _;

use importers::flagsmith::{
    EnvironmentRead, Override,
    wire::{Details, Environment, Feature, Id, Page, Project, State},
};
use serde::{
    Deserialize,
    de::{DeserializeOwned, IgnoredAny},
};

pub(super) use crate::migration::source::encoded;
use crate::migration::source::{Api, MAX_ITEMS, SourceError};

/// What servers answer that do not know an address, or not with these parameters.
const ELSEWHERE: &[u16] = &[400, 403, 404, 405];
/// Rows of an environment's states, those for identities and segments among them.
const MAX_STATES: usize = 10 * MAX_ITEMS;

/// The API of a source, with the path of version 1.
pub(super) struct Source<'a> {
    api: &'a Api,
    prefix: &'static str,
}

#[derive(Deserialize)]
struct Counted {
    #[serde(default)]
    is_archived: Option<bool>,
}

impl<'a> Source<'a> {
    /// The address that was given may or may not lead to version 1 already.
    pub(super) fn new(api: &'a Api) -> Self {
        let prefix = if api.base().ends_with("/api/v1") {
            ""
        } else if api.base().ends_with("/api") {
            "/v1"
        } else {
            "/api/v1"
        };
        Self { api, prefix }
    }

    /// A whole list, page by page.
    pub(super) async fn list<T>(
        &self,
        path: &str,
        things: &'static str,
        limit: usize,
    ) -> Result<Vec<T>, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let separator = if path.contains('?') { '&' } else { '?' };
        // Servers give fewer as they like.
        let first = format!("{}{path}{separator}page_size=999", self.prefix);
        let begin = first.clone();
        let read = |page: Page<T>, items: &mut Vec<T>| {
            items.extend(page.items);
            let after = page.last_evaluated_key.filter(|after| !after.is_empty());
            let after = after.map(|key| format!("{begin}&last_evaluated_key={}", encoded(&key)));
            page.next.filter(|next| !next.is_empty()).or(after)
        };
        self.api.list(first, things, limit, read).await
    }

    /// The same; `None` where the server does not know the address.
    pub(super) async fn find<T>(
        &self,
        path: &str,
        things: &'static str,
    ) -> Result<Option<Vec<T>>, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        known(self.list(path, things, MAX_ITEMS).await, &[404])
    }

    async fn get<T>(&self, path: &str) -> Result<T, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        self.api.get(&format!("{}{path}", self.prefix)).await
    }

    /// Whether the credential is taken where no project is named.
    pub(super) async fn greet(&self) -> Result<(), SourceError> {
        let first = self.get::<Page<IgnoredAny>>("/environments/").await;
        if known(first, &[400, 404])?.is_none() {
            self.get::<Page<IgnoredAny>>("/projects/").await?;
        }
        Ok(())
    }

    /// Fails where the source does not have the project.
    pub(super) async fn require_project(&self, id: &str) -> Result<(), SourceError> {
        let path = format!("/projects/{}/", encoded(id));
        self.get::<Project>(&path).await.map(|_| ())
    }

    /// The project of that id, or the only one that the credential is for.
    pub(super) async fn project(&self, id: Option<&str>) -> Result<Project, SourceError> {
        let Some(id) = id else {
            let details = self.get::<Details>("/environment-details/").await;
            if let Some(details) = known(details, &[400, 401, 403, 404, 405])? {
                return self.described(details.project.id().clone()).await;
            }
            let projects = self.find::<Project>("/projects/", "projects").await?;
            let mut projects = projects.unwrap_or_default();
            return match (projects.pop(), projects.is_empty()) {
                (Some(only), true) => Ok(only),
                _ => Err(SourceError::Unfit(
                    "project_key is required: the credential is not for exactly one project"
                        .to_owned(),
                )),
            };
        };
        self.described(Id(id.to_owned())).await
    }

    /// What the server says about a project, if it does.
    async fn described(&self, id: Id) -> Result<Project, SourceError> {
        let project = self.get(&format!("/projects/{}/", encoded(&id.0))).await;
        Ok(known(project, ELSEWHERE)?.unwrap_or(Project {
            id,
            use_edge_identities: None,
        }))
    }

    pub(super) async fn projects(&self) -> Result<Option<Vec<Project>>, SourceError> {
        known(
            self.list("/projects/", "projects", MAX_ITEMS).await,
            ELSEWHERE,
        )
    }

    pub(super) async fn environments(&self, id: &str) -> Result<Vec<Environment>, SourceError> {
        let id = encoded(id);
        let path = format!("/environments/?project={id}");
        let listed = self.list(&path, "environments", MAX_ITEMS).await;
        let failure = match listed {
            Err(SourceError::Refused { status, words }) if ELSEWHERE.contains(&status) => {
                SourceError::Refused { status, words }
            }
            listed => return listed,
        };
        let path = format!("/projects/{id}/environments/");
        // What the first address was refused for says more than that the second one is unknown.
        known(self.list(&path, "environments", MAX_ITEMS).await, &[404])?.ok_or(failure)
    }

    /// The features of a project; `None` where there is no list of them.
    pub(super) async fn features(
        &self,
        id: &str,
        environment: Option<&Environment>,
    ) -> Result<Option<Vec<Feature>>, SourceError> {
        let mut path = features_of(id);
        if let Some(environment) = environment {
            let written = write!(path, "?environment={}", encoded(&environment.id.0));
            written.expect("a text can be written to");
        }
        self.find(&path, "flags").await
    }

    /// How many flags of a project are not archived.
    pub(super) async fn flag_count(&self, id: &str) -> Result<Option<usize>, SourceError> {
        let features = self.find::<Counted>(&features_of(id), "flags").await?;
        let count = |features: Vec<Counted>| {
            let kept = features.iter();
            kept.filter(|feature| feature.is_archived != Some(true))
                .count()
        };
        Ok(features.map(count))
    }

    /// The states of an environment, those for identities and segments among them.
    pub(super) async fn states(
        &self,
        environment: &Environment,
    ) -> Result<Vec<State>, SourceError> {
        let path = format!(
            "/features/featurestates/?environment={}",
            encoded(&environment.id.0)
        );
        match known(self.list(&path, "states", MAX_STATES).await, ELSEWHERE)? {
            Some(states) => Ok(states),
            None => {
                let path = format!("{}featurestates/", path_of(environment));
                self.list(&path, "states", MAX_STATES).await
            }
        }
    }

    pub(super) async fn environment(
        &self,
        environment: Environment,
        is_edge: bool,
    ) -> Result<EnvironmentRead, SourceError> {
        let states = self.states(&environment).await?;
        let are_expected = states.iter().any(|state| state.identity.is_some());
        let overrides = self.overrides(&environment, is_edge).await?;
        let are_missing = are_expected && overrides.as_ref().is_none_or(Vec::is_empty);
        Ok(EnvironmentRead {
            are_overrides_known: overrides.is_some() && !are_missing,
            environment,
            states,
            overrides: overrides.unwrap_or_default(),
        })
    }

    /// What identities of an environment override; `None` where the server does not say.
    pub(super) async fn overrides(
        &self,
        environment: &Environment,
        is_edge: bool,
    ) -> Result<Option<Vec<Override>>, SourceError> {
        super::identities::overrides(self, environment, is_edge).await
    }

    /// Rows of identities, however many.
    pub(super) async fn rows<T>(&self, path: &str) -> Result<Option<Vec<T>>, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        known(
            self.list(path, "identity overrides", MAX_STATES).await,
            ELSEWHERE,
        )
    }
}

/// An environment in paths: by its key, or its id where there is none.
pub(super) fn path_of(environment: &Environment) -> String {
    let key = environment.api_key.as_ref().filter(|key| !key.is_empty());
    format!(
        "/environments/{}/",
        encoded(key.unwrap_or(&environment.id.0))
    )
}

fn features_of(id: &str) -> String {
    format!("/projects/{}/features/", encoded(id))
}

/// `None` where the source refuses with one of these statuses.
pub(super) fn known<T>(
    answer: Result<T, SourceError>,
    unknown: &[u16],
) -> Result<Option<T>, SourceError> {
    match answer {
        Err(SourceError::Refused { status, .. }) if unknown.contains(&status) => Ok(None),
        answer => answer.map(Some),
    }
}
