//! What single identities override.

use std::collections::HashMap;

use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use importers::flagsmith::{
    Override as Read,
    wire::{Choice, EdgeOverride, Environment, Feature, Id, Identity as SentIdentity, State},
};
use serde::{Serialize, de::IgnoredAny};
use serde_json::Value;
use utoipa::ToSchema;

use super::fetch::{Source, encoded, path_of};
use crate::migration::source::{Api, MAX_ITEMS, SourceError};

/// An identity of the source, with what it overrides.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = MigrationIdentity)]
pub struct Identity {
    /// Its identifier there, which is its context key here.
    pub identifier: String,
    /// What it has for flags, in the order of their keys.
    pub overrides: Vec<Override>,
}

/// What an identity has for a flag.
#[derive(Debug, PartialEq, Serialize, ToSchema)]
#[schema(as = IdentityOverride)]
pub struct Override {
    /// The flag.
    pub flag_key: String,
    /// Whether the flag is on for it.
    pub enabled: bool,
    /// Its value, `null` for none.
    pub value: Value,
}

/// Identity overrides of one environment, by its integer id.
pub async fn identities(api: &Api, env_id: i64) -> Result<Vec<Identity>, SourceError> {
    let source = Source::new(api);
    let wanted = Id(env_id.to_string());
    let mut found = None;
    for project in source.projects().await?.unwrap_or_default() {
        let environments = source.environments(&project.id.0).await?;
        let environment = environments.into_iter().find(|one| one.id == wanted);
        if let Some(environment) = environment {
            found = Some((project, environment));
            break;
        }
    }
    let unknown = || SourceError::Unfit(format!("the source has no environment {env_id}"));
    let (overrides, features) = match found {
        Some((project, environment)) => {
            let is_edge = project.use_edge_identities.unwrap_or(false);
            let overrides = source.overrides(&environment, is_edge).await?;
            let features = source.features(&project.id.0, Some(&environment)).await?;
            (overrides.unwrap_or_default(), features.unwrap_or_default())
        }
        // Servers that list no projects may know it all the same.
        None => {
            let environment = Environment {
                id: wanted,
                name: String::new(),
                api_key: None,
            };
            let path = format!("{}identities/", path_of(&environment));
            let identities = source.rows::<IgnoredAny>(&path).await?;
            identities.ok_or_else(unknown)?;
            let overrides = source.overrides(&environment, false).await?;
            let features = match source.project(None).await {
                Ok(project) => source.features(&project.id.0, Some(&environment)).await?,
                // Then flags are named as the rows name them.
                Err(SourceError::Unfit(_)) => None,
                Err(error) => return Err(error),
            };
            (overrides.unwrap_or_default(), features.unwrap_or_default())
        }
    };
    Ok(by_identity(overrides, &features))
}

fn by_identity(overrides: Vec<Read>, features: &[Feature]) -> Vec<Identity> {
    let features: HashMap<&Id, &Feature> = features.iter().map(|one| (&one.id, one)).collect();
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut identities: Vec<Identity> = Vec::new();
    for Read { identifier, state } in overrides {
        let feature = features.get(state.feature.id()).copied();
        let feature = feature.or(state.feature.whole());
        let name = feature.map(|feature| feature.name.clone());
        let made = Override {
            flag_key: name.unwrap_or_else(|| state.feature.id().0.clone()),
            enabled: state.enabled,
            value: value(&state, feature),
        };
        let place = *places.entry(identifier.clone()).or_insert_with(|| {
            identities.push(Identity {
                identifier,
                overrides: Vec::new(),
            });
            identities.len() - 1
        });
        identities[place].overrides.push(made);
    }
    for identity in &mut identities {
        identity
            .overrides
            .sort_by(|a, b| a.flag_key.cmp(&b.flag_key));
    }
    identities
}

/// The value of the choice that the identity certainly gets, or else the override's own.
fn value(state: &State, feature: Option<&Feature>) -> Value {
    let allocations = state.multivariate_feature_state_values.iter().flatten();
    let mut certain = allocations.filter(|one| one.percentage_allocation >= Some(100.0));
    let chosen = certain.next().and_then(|one| {
        let sent = &one.multivariate_feature_option;
        let choices = feature.map(|feature| feature.multivariate_options.as_slice());
        let known = choices.unwrap_or_default().iter();
        known
            .chain(sent.whole())
            .find(|choice| choice.id == *sent.id())
            .map(Choice::value)
    });
    let own = || state.feature_state_value.clone();
    chosen.or_else(own).map_or(Value::Null, Value::from)
}

/// `None` where the server does not say.
pub(super) async fn overrides(
    source: &Source<'_>,
    environment: &Environment,
    is_edge: bool,
) -> Result<Option<Vec<Read>>, SourceError> {
    if is_edge {
        let path = format!("{}edge-identity-overrides", path_of(environment));
        return match source.rows::<EdgeOverride>(&path).await {
            Ok(rows) => Ok(rows.map(|rows| rows.into_iter().map(Read::from).collect())),
            // Servers without identities at the edge fail where they are asked for them.
            Err(SourceError::Failing(_)) => Ok(None),
            Err(error) => Err(error),
        };
    }
    let path = format!("{}featurestates/?anyIdentity=1", path_of(environment));
    let rows = source.rows::<State>(&path).await?;
    match rows.map(of_identities) {
        Some(Some(overrides)) => Ok(Some(overrides)),
        // An address that is not known, or a parameter.
        Some(None) | None => one_by_one(source, environment).await,
    }
}

/// `None` if there is a row that does not name an identity.
fn of_identities(rows: Vec<State>) -> Option<Vec<Read>> {
    let named = rows.into_iter().map(|state| {
        let identifier = state.identity.as_ref()?.whole()?.identifier.clone();
        Some(Read { identifier, state })
    });
    named.collect()
}

async fn one_by_one(
    source: &Source<'_>,
    environment: &Environment,
) -> Result<Option<Vec<Read>>, SourceError> {
    let path = format!("{}identities/", path_of(environment));
    let identities = source
        .list::<SentIdentity>(&path, "identities", MAX_ITEMS)
        .await;
    let identities = match identities {
        // Where no address for identities is known, there are none.
        Err(SourceError::Refused { status: 404, .. }) => Vec::new(),
        Err(SourceError::Refused { .. }) => return Ok(None),
        identities => identities?,
    };
    let read = stream::iter(identities).map(|identity| {
        let id = identity
            .id
            .unwrap_or_else(|| Id(identity.identifier.clone()));
        let path = format!("{path}{}/featurestates/", encoded(&id.0));
        let identifier = identity.identifier;
        async move {
            let rows = source.rows::<State>(&path).await?.unwrap_or_default();
            Ok::<_, SourceError>(own_rows(&identifier, rows))
        }
    });
    let read: Vec<Vec<Read>> = read.buffered(4).try_collect().await?;
    Ok(Some(read.into_iter().flatten().collect()))
}

/// The rows of the identity itself, where it is also told what the environment has.
fn own_rows(identifier: &str, mut rows: Vec<State>) -> Vec<Read> {
    if rows.iter().any(|state| state.identity.is_some()) {
        rows.retain(|state| state.identity.is_some());
    }
    rows.retain(|state| state.feature_segment.is_none());
    let own = rows.into_iter().map(|state| Read {
        identifier: identifier.to_owned(),
        state,
    });
    own.collect()
}
