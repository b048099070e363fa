//! Which importer reads which platform.

use importers::plan::{Choices, Plan};
use secrecy::SecretString;

use super::{
    flagsmith, launchdarkly,
    model::Provider,
    source::{Api, SourceError, Totals},
    unleash,
};
use base::outbound::HeaderMap;

/// The headers that carry a credential. `None` when no header can.
pub fn headers(provider: Provider, credential: &SecretString) -> Option<HeaderMap> {
    match provider {
        Provider::LaunchDarkly => launchdarkly::headers(credential),
        Provider::Unleash => unleash::headers(credential),
        Provider::Flagsmith => flagsmith::headers(credential),
    }
}

/// A project of a source, whose credential and name may still be wrong.
pub struct Source {
    pub(super) provider: Provider,
    pub api: Api,
    /// Its key there. Only Flagsmith's may be missing.
    pub(super) project: Option<String>,
    pub(super) choices: Choices,
}

impl Source {
    /// Asks whether credential and project are right.
    pub async fn connect(&self) -> Result<(), SourceError> {
        match self.provider {
            Provider::LaunchDarkly => launchdarkly::connect(&self.api, self.named()).await,
            Provider::Unleash => unleash::connect(&self.api, self.named()).await,
            Provider::Flagsmith => flagsmith::connect(&self.api, self.project.as_deref()).await,
        }
    }

    /// How much there is, in few requests.
    pub async fn totals(&self) -> Result<Totals, SourceError> {
        match self.provider {
            Provider::LaunchDarkly => {
                launchdarkly::totals(&self.api, self.named(), &self.choices).await
            }
            Provider::Unleash => unleash::totals(&self.api, self.named(), &self.choices).await,
            Provider::Flagsmith => {
                flagsmith::totals(&self.api, self.project.as_deref(), &self.choices).await
            }
        }
    }

    /// Everything there is, in Halyard's terms.
    pub async fn read(&self) -> Result<Plan, SourceError> {
        match self.provider {
            Provider::LaunchDarkly => {
                launchdarkly::read(&self.api, self.named(), &self.choices).await
            }
            Provider::Unleash => unleash::read(&self.api, self.named(), &self.choices).await,
            Provider::Flagsmith => {
                flagsmith::read(&self.api, self.project.as_deref(), &self.choices).await
            }
        }
    }

    fn named(&self) -> &str {
        self.project.as_deref().unwrap_or_default()
    }
}
