//! What the endpoints of migration answer.

use std::collections::BTreeMap;

use serde::Serialize;
use utoipa::ToSchema;

use super::{
    flagsmith::Identity,
    model::{Counts, Item, Provider},
};
use base::ids::MigrationId;

/// The platforms that flags are imported from.
#[derive(Serialize, ToSchema)]
#[schema(as = MigrationProviders)]
pub struct Providers {
    pub providers: [ProviderInfo; 3],
}

/// A platform.
#[derive(Serialize, ToSchema)]
#[schema(as = MigrationProviderInfo)]
pub struct ProviderInfo {
    /// Its name in requests.
    pub name: &'static str,
    /// What people call it.
    pub display_name: &'static str,
    /// What can be taken over: some of `flags`, `environments`, `segments`, `identities`.
    pub capabilities: &'static [&'static str],
}

/// A source that can be read.
#[derive(Serialize, ToSchema)]
#[schema(as = MigrationConnection)]
pub struct Connected {
    /// `connected`
    pub status: &'static str,
    /// The platform.
    pub provider: Provider,
}

/// What an import would do.
#[derive(Serialize, ToSchema)]
pub struct Analysis {
    /// `analyzed`
    pub status: &'static str,
    /// How much the source holds.
    pub summary: Summary,
    /// What is in it, and what becomes of each item.
    pub details: Details,
}

/// How much a source holds.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalysisSummary)]
pub struct Summary {
    /// Flags that are not archived.
    pub total_flags: usize,
    /// Environments.
    pub total_environments: usize,
    /// Distinct segments.
    pub total_segments: usize,
    /// The platform.
    pub source_system: Provider,
}

/// What is in a source, and what becomes of each item.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalysisDetails)]
pub struct Details {
    /// Numbers of flags by kind, such as `boolean_flags`; which kinds there are depends on the platform.
    #[serde(flatten)]
    pub counts: BTreeMap<&'static str, usize>,
    /// The keys of the environments there.
    pub environments: Vec<String>,
    /// The slugs that `environments` of the request chose for them. Left out if it chose none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub mapped_environments: BTreeMap<String, String>,
    /// How the items would fare.
    pub verdicts: Counts,
    /// The items, each with its verdict.
    pub items: Vec<Item>,
}

/// An import that has begun.
#[derive(Serialize, ToSchema)]
#[schema(as = StartedMigration)]
pub struct Started {
    /// `started`
    pub status: &'static str,
    /// The import.
    pub migration_id: MigrationId,
    /// Flags of the source.
    pub total_flags: usize,
    /// Environments of the source.
    pub total_environments: usize,
}

/// Identities of a source with values of their own.
#[derive(Serialize, ToSchema)]
#[schema(as = MigrationIdentities)]
pub struct Identities {
    /// `provider_c`
    pub provider: Provider,
    /// The environment's number there.
    pub env_id: i64,
    /// The identities, with what they get instead of what everybody gets.
    pub identities: Vec<Identity>,
    /// How many there are.
    pub total: usize,
}
