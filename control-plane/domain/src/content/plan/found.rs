//! What is stored of the things that a change names, in one view of the database.

use std::collections::{HashMap, HashSet};

use crate::{
    content::{
        input::ContentChange,
        store::{self, Required},
    },
    environments::model::Environment,
    flags::{
        self,
        model::Flag,
        states::{model::FlagState, store::find_of_flags},
    },
    segments::{self, model::Segment},
};
use base::{
    db::Db,
    ids::{EnvId, FlagId, OrgId, ProjectId},
    refusal::{Missing, Refusal},
};

/// The stored things, by their slugs and keys.
pub struct Found {
    pub(in crate::content) version: i64,
    pub(in crate::content) environments: HashMap<String, Environment>,
    pub(in crate::content) segments: HashMap<String, Segment>,
    pub(in crate::content) flags: HashMap<String, Flag>,
    pub(in crate::content) states: HashMap<(FlagId, EnvId), FlagState>,
    /// All flags of the project, where some are named.
    pub(in crate::content) required: Vec<Required>,
    /// The keys of all segments of the project.
    pub(in crate::content) segment_keys: HashSet<String>,
}

impl Found {
    /// The project's version.
    pub const fn version(&self) -> i64 {
        self.version
    }
}

/// Reads what a change names.
pub async fn find(
    db: &Db,
    org_id: OrgId,
    project_id: ProjectId,
    given: &ContentChange,
) -> Result<Found, Refusal> {
    let mut reading = db.begin_reading().await?;
    let version = store::find_version(&mut reading, org_id, project_id).await?;
    let version = version.ok_or(Missing::Project)?;
    let environments = store::list_environments(&mut reading, org_id, project_id).await?;
    let keys = given.segment_keys();
    let segments = segments::store::find_among(&mut reading, org_id, project_id, &keys).await?;
    let segment_keys = store::list_segment_keys(&mut reading, org_id, project_id).await?;
    let keys = given.flag_keys();
    let mut flags = Vec::new();
    let mut states = Vec::new();
    let mut required = Vec::new();
    if !keys.is_empty() {
        flags = flags::store::find_among(&mut reading, org_id, project_id, &keys).await?;
        let ids: Vec<_> = flags.iter().map(|flag| flag.id).collect();
        states = find_of_flags(&mut reading, org_id, &ids).await?;
        required = store::list_required(&mut reading, org_id, project_id).await?;
    }
    let states = states.into_iter();
    Ok(Found {
        version,
        environments: by(environments, |env| env.slug.clone()),
        segments: by(segments, |segment| segment.key.clone()),
        flags: by(flags, |flag| flag.key.clone()),
        states: states
            .map(|one| ((one.flag_id, one.env_id), one.state))
            .collect(),
        required,
        segment_keys: segment_keys.into_iter().collect(),
    })
}

fn by<T>(things: Vec<T>, name: impl Fn(&T) -> String) -> HashMap<String, T> {
    things.into_iter().map(|one| (name(&one), one)).collect()
}
