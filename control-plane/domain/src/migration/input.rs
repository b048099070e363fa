//! What a client may say about a source, and the rules for it.

use std::{collections::BTreeMap, fmt};

use importers::plan::{Buckets, Choices};
use secrecy::{ExposeSecret, SecretString};
use serde::Deserialize;
use utoipa::ToSchema;

use super::{model::Provider, settings::MigrationSettings};
use crate::members::caller::Caller;
use base::{
    input::{Invalid, Slug, is_longer_than, required},
    named::ProjectRef,
    outbound::guard::{Guard, UserUrl},
};

/// As many environments as a project has at most.
const MAX_ENVIRONMENTS: usize = 200;

/// The fields that name a source, and where to import to.
#[derive(Default, Deserialize, ToSchema)]
#[schema(as = MigrationSource)]
pub struct SourceInput {
    /// `provider_a` (LaunchDarkly), `provider_b` (Unleash) or `provider_c` (Flagsmith).
    #[schema(value_type = String)]
    provider: Option<String>,
    /// A credential of the source. It is kept in memory, for as long as the request or the import runs.
    #[schema(value_type = String)]
    api_key: Option<SecretString>,
    /// Where the source is. Required for `provider_b`.
    base_url: Option<String>,
    /// The project's key there. Required for `provider_a` and `provider_b`.
    project_key: Option<String>,
    /// The project to import into, by id or slug. Not used by `connect`.
    target_project_id: Option<String>,
    /// The environment's number at the source. Used by `identities` alone.
    env_id: Option<i64>,
    /// Slugs here for environments there, by their keys (Unleash, Flagsmith: names): `{"development": "dev"}`. An environment of
    /// the target with that slug is used, otherwise it is created. Environments that are not named keep their own.
    environments: Option<BTreeMap<String, String>>,
    /// `keep`: percentages reach the same users as at the source, where a state can draw as it does. `own`, or left out: they have
    /// the same shares. Flagsmith's cannot be kept.
    buckets: Option<String>,
}

/// A source that was checked by its form.
#[derive(Debug)]
pub struct CheckedSource {
    pub provider: Provider,
    pub(super) credential: SecretString,
    pub(super) base: UserUrl,
    pub(super) project: Option<String>,
    pub(super) choices: Choices,
}

impl CheckedSource {
    /// Says who is about to call where.
    pub(super) fn log(&self, caller: &Caller) {
        tracing::info!(
            org.id = %caller.org_id,
            user.id = %caller.user_id,
            provider = self.provider.as_str(),
            source = self.origin(),
            "a source of imports is read"
        );
    }

    /// Without path and query, which may be secret.
    pub(super) fn origin(&self) -> String {
        self.base.url().origin().ascii_serialization()
    }
}

impl SourceInput {
    /// The project to import into.
    pub fn target(&self) -> Result<ProjectRef, Invalid> {
        let text = required("target_project_id", self.target_project_id.clone())?;
        Ok(ProjectRef::parse(&text))
    }

    /// The environment whose identities are asked for.
    pub fn env_id(&self) -> Result<i64, Invalid> {
        let id = self.env_id;
        id.ok_or_else(|| Invalid::new("env_id is required"))
    }

    pub fn check(
        self,
        guard: &Guard,
        settings: &MigrationSettings,
    ) -> Result<CheckedSource, Invalid> {
        let provider = required("provider", self.provider)?;
        let provider = Provider::ALL
            .into_iter()
            .find(|known| known.as_str() == provider)
            .ok_or_else(|| {
                Invalid::new("provider must be one of provider_a, provider_b, provider_c")
            })?;
        let credential = self
            .api_key
            .filter(|key| !key.expose_secret().trim().is_empty())
            .ok_or_else(|| Invalid::new("api_key is required"))?;
        if is_longer_than(credential.expose_secret(), 1_024) {
            return Err(Invalid::new("api_key must have at most 1024 characters"));
        }
        let default = match provider {
            Provider::LaunchDarkly => Some(&settings.launchdarkly_url),
            Provider::Unleash => None,
            Provider::Flagsmith => Some(&settings.flagsmith_url),
        };
        let base = self.base_url.filter(|url| !url.trim().is_empty());
        let base = required("base_url", base.or_else(|| default.cloned()))?;
        let base = guard.parse("base_url", &base)?;
        if base.url().query().is_some() || base.url().fragment().is_some() {
            return Err(Invalid::new("base_url must have no query and no fragment"));
        }
        let project = self.project_key.filter(|key| !key.trim().is_empty());
        if provider != Provider::Flagsmith && project.is_none() {
            return Err(Invalid::new("project_key is required"));
        }
        if project
            .as_ref()
            .is_some_and(|key| is_longer_than(key, 1_024))
        {
            return Err(Invalid::new(
                "project_key must have at most 1024 characters",
            ));
        }
        Ok(CheckedSource {
            provider,
            credential,
            base,
            project,
            choices: Choices {
                environments: environments(self.environments)?,
                buckets: buckets(self.buckets.as_deref(), provider)?,
            },
        })
    }
}

fn buckets(chosen: Option<&str>, provider: Provider) -> Result<Buckets, Invalid> {
    match chosen {
        None | Some("own") => Ok(Buckets::Own),
        Some("keep") if provider == Provider::Flagsmith => Err(Invalid::new(
            "buckets can be kept of provider_a and provider_b alone",
        )),
        Some("keep") => Ok(Buckets::Keep),
        Some(_) => Err(Invalid::new("buckets must be one of keep, own")),
    }
}

/// The slugs that are chosen, each once. The source's names are compared with the source later.
fn environments(
    chosen: Option<BTreeMap<String, String>>,
) -> Result<BTreeMap<String, String>, Invalid> {
    let chosen = chosen.unwrap_or_default();
    if chosen.len() > MAX_ENVIRONMENTS {
        return Err(Invalid::new(format!(
            "environments must have at most {MAX_ENVIRONMENTS} members"
        )));
    }
    let mut by_slug: BTreeMap<&str, &str> = BTreeMap::new();
    for (source, slug) in &chosen {
        if is_longer_than(source, 255) {
            let words = "environments must have names of at most 255 characters";
            return Err(Invalid::new(words));
        }
        if let Err(wrong) = Slug::parse(slug.clone()) {
            return Err(Invalid::new(format!("environments.{source}: {wrong}")));
        }
        if let Some(other) = by_slug.insert(slug, source) {
            return Err(Invalid::new(format!(
                "environments: {other:?} and {source:?} would both become {slug}"
            )));
        }
    }
    Ok(chosen)
}

/// Without the credential.
impl fmt::Debug for SourceInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SourceInput")
            .field("provider", &self.provider)
            .finish_non_exhaustive()
    }
}
