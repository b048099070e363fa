//! Reading a project of LaunchDarkly through its REST API.
//!
//! Rules, targets and prerequisites of a flag come only with its environments, of which three may be asked for at once, and segments
//! belong to one environment each. So a project of five environments is read in two passes over its flags and five over its segments.

use std::collections::{BTreeMap, HashMap};

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use importers::{
    launchdarkly::{
        translate,
        wire::{Environment, Flag, FlagKey, Page, Project, Segment},
    },
    plan::{Choices, Plan, copies::bounded},
};
use secrecy::{ExposeSecret as _, SecretString};
use serde::de::DeserializeOwned;

use super::source::{Api, MAX_ITEMS, SourceError, Totals, encoded, require};
use base::{
    blocking::blocking,
    outbound::{HeaderMap, HeaderName, HeaderValue, header},
};

const API_VERSION: HeaderName = HeaderName::from_static("ld-api-version");
/// The version whose answers `wire` describes.
const VERSION: HeaderValue = HeaderValue::from_static("20240415");
/// Items on a page, as many as may be asked for.
const FLAGS: usize = 100;
const SEGMENTS: usize = 50;
const FEW: usize = 20;
/// Lists that are read at once.
const AT_ONCE: usize = 4;

/// Headers for every request. `None` when the credential cannot be sent in a header.
pub fn headers(credential: &SecretString) -> Option<HeaderMap> {
    let mut value = HeaderValue::from_str(credential.expose_secret()).ok()?;
    value.set_sensitive(true);
    let headers = [(header::AUTHORIZATION, value), (API_VERSION, VERSION)];
    Some(HeaderMap::from_iter(headers))
}

/// Fails when the credential or the project is wrong.
pub async fn connect(api: &Api, project: &str) -> Result<(), SourceError> {
    let source = Source { api, project };
    let first = source.environments_path();
    api.get::<Page<Environment>>(&first).await.map(drop)
}

pub async fn totals(api: &Api, project: &str, choices: &Choices) -> Result<Totals, SourceError> {
    let source = Source { api, project };
    let environments = source.environments().await?;
    require(choices, environments.iter().map(|one| &one.key))?;
    let path = format!("{}?summary=1&limit={FLAGS}", source.path("flags"));
    let first: Page<FlagKey> = api.get(&path).await?;
    let flags = match first.total_count {
        Some(total) if total > first.items.len() => total,
        Some(_) => live(&first.items),
        None => live(&source.keys("").await?),
    };
    if flags > MAX_ITEMS {
        return Err(SourceError::too_many("flags", MAX_ITEMS));
    }
    Ok(Totals {
        flags,
        environments: environments.len(),
    })
}

/// Everything there is, in Halyard's terms.
pub async fn read(api: &Api, project: &str, choices: &Choices) -> Result<Plan, SourceError> {
    let source = Source { api, project };
    let environments = source.environments().await?;
    require(choices, environments.iter().map(|one| &one.key))?;
    let keys: Vec<String> = environments.iter().map(|one| one.key.clone()).collect();
    let flags = source.flags(&keys).await?;
    let archived = source.archived().await?;
    let segments = source.segments(&keys).await?;
    let project = Project {
        environments,
        flags,
        archived,
        segments,
    };
    let choices = choices.clone();
    let plan = blocking(move || bounded(|| translate(project, &choices))).await;
    plan.ok_or(SourceError::TooLarge)
}

/// How many are not archived: a source may list those too.
fn live(flags: &[FlagKey]) -> usize {
    flags.iter().filter(|flag| !flag.archived).count()
}

#[derive(Clone, Copy)]
struct Source<'a> {
    api: &'a Api,
    project: &'a str,
}

impl Source<'_> {
    fn path(self, things: &str) -> String {
        format!("/api/v2/{things}/{}", encoded(self.project))
    }

    fn environments_path(self) -> String {
        format!("{}/environments?limit={FEW}", self.path("projects"))
    }

    async fn environments(self) -> Result<Vec<Environment>, SourceError> {
        self.list(self.environments_path(), FEW, "environments")
            .await
    }

    /// The flags that are not archived, with what these environments say of them.
    async fn flags(self, environments: &[String]) -> Result<Vec<Flag>, SourceError> {
        let mut groups: Vec<Vec<String>> = environments.chunks(3).map(<[String]>::to_vec).collect();
        if groups.is_empty() {
            groups.push(Vec::new());
        }
        let parts = stream::iter(groups.into_iter().map(|group| self.flags_in(group)));
        let parts: Vec<Vec<Flag>> = parts.buffered(AT_ONCE).try_collect().await?;
        let mut flags: Vec<Flag> = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        for flag in parts.into_iter().flatten() {
            match places.get(&flag.key) {
                Some(&place) => flags[place].environments.extend(flag.environments),
                None => {
                    places.insert(flag.key.clone(), flags.len());
                    flags.push(flag);
                }
            }
        }
        Ok(flags)
    }

    /// Asks for the environments one by one where the source refuses several at once.
    async fn flags_in(self, environments: Vec<String>) -> Result<Vec<Flag>, SourceError> {
        let together = self.flags_of(&environments).await;
        let is_refused = matches!(together, Err(SourceError::Refused { status: 400, .. }));
        if !is_refused || environments.len() < 2 {
            return together;
        }
        let mut flags = Vec::new();
        for environment in environments {
            flags.extend(self.flags_of(&[environment]).await?);
        }
        Ok(flags)
    }

    async fn flags_of(self, environments: &[String]) -> Result<Vec<Flag>, SourceError> {
        let mut path = format!("{}?summary=0&limit={FLAGS}", self.path("flags"));
        for environment in environments {
            path.push_str("&env=");
            path.push_str(&encoded(environment));
        }
        self.list(path, FLAGS, "flags").await
    }

    /// The keys of archived flags. None where the source cannot tell them apart.
    async fn archived(self) -> Result<Vec<String>, SourceError> {
        match self.keys("&filter=state:archived").await {
            Err(SourceError::Refused { .. }) => Ok(Vec::new()),
            found => {
                let archived = found?.into_iter().filter(|flag| flag.archived);
                Ok(archived.map(|flag| flag.key).collect())
            }
        }
    }

    async fn keys(self, filter: &str) -> Result<Vec<FlagKey>, SourceError> {
        let path = format!("{}?summary=1&limit={FLAGS}{filter}", self.path("flags"));
        self.list(path, FLAGS, "flags").await
    }

    async fn segments(
        self,
        environments: &[String],
    ) -> Result<BTreeMap<String, Vec<Segment>>, SourceError> {
        let each = environments.iter().map(|environment| {
            let environment = environment.clone();
            async move {
                let path = format!(
                    "{}/{}?limit={SEGMENTS}",
                    self.path("segments"),
                    encoded(&environment)
                );
                let segments = self.list(path, SEGMENTS, "segments").await?;
                Ok((environment, segments))
            }
        });
        let each: Vec<_> = each.collect();
        stream::iter(each).buffered(AT_ONCE).try_collect().await
    }

    /// All pages of a list: by the links to the next one, else by offsets until the total, or while pages are full.
    async fn list<T>(
        self,
        first: String,
        size: usize,
        things: &'static str,
    ) -> Result<Vec<T>, SourceError>
    where
        T: DeserializeOwned + Send + 'static,
    {
        let begin = first.clone();
        let read = |page: Page<T>, items: &mut Vec<T>| {
            let count = page.items.len();
            items.extend(page.items);
            let by_offset = Some(format!("{begin}&offset={}", items.len()));
            match (page.links.next.and_then(|next| next.href), page.total_count) {
                _ if count == 0 => None,
                (Some(next), _) => Some(next),
                (None, Some(total)) if items.len() < total => by_offset,
                (None, None) if count == size => by_offset,
                (None, _) => None,
            }
        };
        self.api.list(first, things, MAX_ITEMS, read).await
    }
}
