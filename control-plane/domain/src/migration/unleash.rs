//! Reading an Unleash installation through its admin API.
//!
//! What an environment's flags do comes in one export for each environment. A source that has no exports is asked for its flags one by
//! one, unless their list says it all.

use std::collections::HashMap;

use futures_util::{FutureExt as _, StreamExt as _, TryStreamExt as _, stream, try_join};
use importers::{
    plan::{Choices, Plan, copies::bounded},
    unleash::{
        Source,
        exports::{has_payloads, is_unordered, merge},
        translate,
        wire::{
            Environment, Environments, Export, Feature, FeatureEnvironment, Features, Overview,
            Projects, Segment, Segments,
        },
    },
};
use secrecy::{ExposeSecret, SecretString};
use serde::de::DeserializeOwned;
use serde_json::json;

use super::source::{Api, MAX_ITEMS, MAX_PAGES, SourceError, Totals, encoded, require};
use base::{
    blocking::blocking,
    outbound::{HeaderMap, HeaderValue, header},
};

/// Flags on a page of a search, which is as many as Unleash gives.
const PAGE: usize = 100;

/// Headers for every request. `None` when the credential cannot be sent in a header.
pub fn headers(credential: &SecretString) -> Option<HeaderMap> {
    let mut value = HeaderValue::from_str(credential.expose_secret()).ok()?;
    value.set_sensitive(true);
    Some(HeaderMap::from_iter([(header::AUTHORIZATION, value)]))
}

pub async fn connect(api: &Api, project: &str) -> Result<(), SourceError> {
    Admin { api, project }.require_project().await
}

pub async fn totals(api: &Api, project: &str, choices: &Choices) -> Result<Totals, SourceError> {
    let admin = Admin { api, project };
    admin.require_project().await?;
    let (environments, features) = try_join!(admin.environments(), admin.features())?;
    require(choices, environments.iter().map(|one| &one.name))?;
    Ok(Totals {
        flags: features.iter().filter(|feature| !feature.archived).count(),
        environments: environments.len(),
    })
}

pub async fn read(api: &Api, project: &str, choices: &Choices) -> Result<Plan, SourceError> {
    let admin = Admin { api, project };
    admin.require_project().await?;
    let (environments, segments, listed) =
        try_join!(admin.environments(), admin.segments(), admin.features())?;
    require(choices, environments.iter().map(|one| &one.name))?;
    let features = match admin.exported(&environments, &listed).await? {
        Some(features) => features,
        None => admin.one_by_one(listed).await?,
    };
    let source = Source {
        environments,
        segments,
        features,
    };
    let choices = choices.clone();
    let plan = blocking(move || bounded(|| translate(source, &choices))).await;
    plan.ok_or(SourceError::TooLarge)
}

struct Admin<'a> {
    api: &'a Api,
    project: &'a str,
}

impl Admin<'_> {
    /// The address may be that of the installation, or lead to `/api` or `/api/admin` already.
    fn path(&self, below: &str) -> String {
        let base = self.api.base();
        let prefix = if base.ends_with("/api/admin") {
            ""
        } else if base.ends_with("/api") {
            "/admin"
        } else {
            "/api/admin"
        };
        format!("{prefix}{below}")
    }

    fn of_project(&self, below: &str) -> String {
        format!("/projects/{}/{below}", encoded(self.project))
    }

    async fn get<T: DeserializeOwned + Send + 'static>(
        &self,
        below: &str,
    ) -> Result<T, SourceError> {
        self.api.get(&self.path(below)).await
    }

    /// `None` where the source does not know the path, or what it names.
    async fn find<T: DeserializeOwned + Send + 'static>(
        &self,
        below: &str,
    ) -> Result<Option<T>, SourceError> {
        self.api.find(&self.path(below), &[404]).await
    }

    /// Of a project that it does not have, Unleash lists no flags and no environments, as of an empty one.
    async fn require_project(&self) -> Result<(), SourceError> {
        let overview = self.of_project("overview");
        if self.find::<Overview>(&overview).await?.is_some() {
            return Ok(());
        }
        let Projects { projects } = self.get("/projects").await?;
        if projects.iter().any(|found| found.id == self.project) {
            return Ok(());
        }
        let words = "project_key does not name a project of the source";
        Err(SourceError::Unfit(words.to_owned()))
    }

    async fn environments(&self) -> Result<Vec<Environment>, SourceError> {
        let of_project = format!("/environments/project/{}", encoded(self.project));
        let Environments { mut environments } = match self.find(&of_project).await? {
            Some(environments) => environments,
            None => self.get("/environments").await?,
        };
        environments.retain(|environment| environment.visible != Some(false));
        if environments.len() > MAX_PAGES {
            return Err(SourceError::too_many("environments", MAX_PAGES));
        }
        Ok(environments)
    }

    async fn segments(&self) -> Result<Vec<Segment>, SourceError> {
        let Segments { mut segments } = self.find("/segments").await?.unwrap_or_default();
        segments.retain(|segment| {
            segment
                .project
                .as_deref()
                .is_none_or(|project| project == self.project)
        });
        Ok(segments)
    }

    async fn features(&self) -> Result<Vec<Feature>, SourceError> {
        let Features { features, .. } = self.get(&self.of_project("features")).await?;
        if features.len() > MAX_ITEMS {
            return Err(SourceError::too_many("flags", MAX_ITEMS));
        }
        Ok(features)
    }

    /// The flags with what the export of each environment says of them. `None` where the source does not export.
    async fn exported(
        &self,
        environments: &[Environment],
        listed: &[Feature],
    ) -> Result<Option<Vec<Feature>>, SourceError> {
        let mut features = listed.to_vec();
        for feature in &mut features {
            feature.environments.clear();
        }
        let places: HashMap<String, usize> = (0..)
            .zip(listed)
            .map(|(place, feature)| (feature.name.clone(), place))
            .collect();
        let mut has_tags = false;
        for environment in environments {
            let Some(export) = self.export(&environment.name).await? else {
                return Ok(None);
            };
            has_tags |= export.feature_tags.is_some();
            merge(export, &environment.name, &places, &mut features);
        }
        self.order(&mut features).await?;
        if !has_tags && features.iter().all(|feature| feature.tags.is_empty()) {
            self.tags(&places, &mut features).await?;
        }
        Ok(Some(features))
    }

    /// An export does not tell the order of strategies. It matters where the first one that is met decides what is served; elsewhere
    /// it only numbers them for people, and is asked for as long as at most 300 flags need it.
    async fn order(&self, features: &mut [Feature]) -> Result<(), SourceError> {
        let unordered = (0..)
            .zip(&*features)
            .filter(|(_, feature)| is_unordered(feature));
        let mut asked: Vec<(usize, &Feature)> = unordered.collect();
        if asked.len() > 300 {
            asked.retain(|(_, feature)| has_payloads(feature));
        }
        let (places, names): (Vec<usize>, Vec<String>) = asked
            .into_iter()
            .map(|(place, feature)| (place, feature.name.clone()))
            .unzip();
        for (place, described) in places.into_iter().zip(self.described(names).await?) {
            let described = match described {
                Ok(described) => described,
                // Which variant somebody gets depends on the order.
                Err(reason) if has_payloads(&features[place]) => {
                    features[place].not_given = Some(reason);
                    continue;
                }
                Err(_) => continue,
            };
            for state in described.environments {
                let same = |known: &&mut FeatureEnvironment| known.name == state.name;
                let known = features[place].environments.iter_mut().find(same);
                if let (Some(known), Some(strategies)) = (known, state.strategies) {
                    known.strategies = Some(strategies);
                }
            }
        }
        Ok(())
    }

    /// `None` where the source refuses; whether it is the credential will show with the next request.
    async fn export(&self, environment: &str) -> Result<Option<Export>, SourceError> {
        let body =
            json!({"environment": environment, "project": self.project, "downloadFile": false});
        match self
            .api
            .post(&self.path("/features-batch/export"), &body)
            .await
        {
            Err(SourceError::Refused { .. }) => Ok(None),
            export => export.map(Some),
        }
    }

    /// Adds the tags that a search over all flags finds, where the source can search.
    async fn tags(
        &self,
        places: &HashMap<String, usize>,
        features: &mut [Feature],
    ) -> Result<(), SourceError> {
        for page in 0..MAX_PAGES {
            let offset = page * PAGE;
            let query = format!(
                "/search/features?project=IS:{}&limit={PAGE}&offset={offset}",
                encoded(self.project)
            );
            let Some(found) = self.find::<Features>(&query).await? else {
                return Ok(());
            };
            let count = found.features.len();
            for feature in found.features {
                if let Some(&place) = places.get(&feature.name) {
                    features[place].tags = feature.tags;
                }
            }
            let seen = offset + count;
            if count < PAGE || seen >= MAX_ITEMS || found.total.is_some_and(|total| seen >= total) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The flags as their list describes them, or each by itself where the list does not tell their strategies.
    async fn one_by_one(&self, listed: Vec<Feature>) -> Result<Vec<Feature>, SourceError> {
        let is_told = |environment: &FeatureEnvironment| environment.strategies.is_some();
        let is_complete = |feature: &Feature| feature.environments.iter().any(is_told);
        if listed.iter().any(is_complete) {
            return Ok(listed);
        }
        let (archived, present): (Vec<_>, Vec<_>) =
            listed.into_iter().partition(|feature| feature.archived);
        let names = present.iter().map(|feature| feature.name.clone()).collect();
        let described = self.described(names).await?;
        let merged = present
            .into_iter()
            .zip(described)
            .map(|(mut listed, described)| match described {
                Ok(mut feature) => {
                    if feature.tags.is_empty() {
                        feature.tags = listed.tags;
                    }
                    feature
                }
                Err(reason) => {
                    listed.not_given = Some(reason);
                    listed
                }
            });
        Ok(archived.into_iter().chain(merged).collect())
    }

    /// Flags by their names; the reason for what is listed and not given.
    async fn described(
        &self,
        names: Vec<String>,
    ) -> Result<Vec<Result<Feature, String>>, SourceError> {
        let each: Vec<_> = names
            .into_iter()
            .map(|name| self.feature(name).boxed())
            .collect();
        stream::iter(each).buffered(8).try_collect().await
    }

    async fn feature(&self, name: String) -> Result<Result<Feature, String>, SourceError> {
        let path = self.of_project(&format!("features/{}", encoded(&name)));
        match self.get(&path).await {
            Err(SourceError::Refused { status: 404, .. }) => {
                Ok(Err("the source lists it and does not give it".to_owned()))
            }
            Err(
                error @ SourceError::Refused {
                    status: 400 | 403, ..
                },
            ) => Ok(Err(format!(
                "the source lists it and does not give it: {error}"
            ))),
            given => given.map(Ok),
        }
    }
}
