//! `GET /v1/edges/waves`: the last changes, and after how long each edge served them.

use std::collections::HashMap;

use axum::Json;
use serde::{Deserialize, Serialize};
use serving::{error::ApiError, params::Query};
use time::OffsetDateTime;
use utoipa::ToSchema;
use uuid::Uuid;

use super::see;
use crate::http::{Manager, Routes, endpoints};
use base::{
    ids::{EnvId, ProjectId},
    input::in_range,
    refusal::Missing,
};
use domain::{
    audit::origins::{Origin, store as origins},
    roles::keys::{EnvironmentsRead, Needs, needed_to_read},
};
use publish::fleet::RecordedWave;

const MOST: i64 = 100;

pub(super) fn router() -> Routes {
    endpoints![list]
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = WaveList)]
struct Waves {
    data: Vec<Wave>,
    total: usize,
}

/// A change of an environment on its way to the edges.
#[derive(Debug, Serialize, ToSchema)]
struct Wave {
    env_id: EnvId,
    /// `X-Snapshot-Version` of the write, or a later version that contains it.
    version: u64,
    /// Whether it was sent before everything else, because it only switches flags off; `null` if no edge was sent it.
    #[schema(required)]
    priority: Option<bool>,
    /// Whether the kill switch was used.
    killed: bool,
    /// The change, as in the audit log; `null` if that no longer has it, or the caller may not read such things.
    #[schema(required)]
    action: Option<String>,
    #[schema(required)]
    resource_type: Option<String>,
    #[schema(required)]
    resource_id: Option<String>,
    /// The key of a flag or a segment; `null` if it is gone.
    #[schema(required)]
    resource_key: Option<String>,
    #[schema(required)]
    project_id: Option<ProjectId>,
    #[schema(required)]
    actor_id: Option<Uuid>,
    /// When it was there to be sent. The times of the edges count from here, by the clock of the control plane.
    #[serde(with = "time::serde::rfc3339")]
    committed_at: OffsetDateTime,
    /// Milliseconds from the write until then; `null` if the audit log no longer has it.
    #[schema(required)]
    published_ms: Option<u64>,
    /// The size of what edges were sent that held the version before; `null` if none was.
    #[schema(required)]
    bytes: Option<u32>,
    /// The edges that serve it, the fastest first.
    acknowledged: Vec<WaveEdge>,
    /// The edges that were connected and did not serve it within ten seconds, or do not yet.
    lagging: Vec<String>,
}

/// An edge that serves a change.
#[derive(Debug, Serialize, ToSchema)]
struct WaveEdge {
    edge: String,
    /// The data region whose organizations it may hold; `null` for all.
    #[schema(required)]
    region: Option<String>,
    after_ms: u64,
}

/// Which changes to show.
#[derive(Debug, Deserialize)]
struct Asked {
    env_id: Option<String>,
    limit: Option<i64>,
}

/// Lists the last changes of an environment, or of all environments of the organization, and after how long each edge served them.
///
/// The control plane keeps the last 100 of an environment in memory, from its start on. A relay answers for the edges below it.
#[utoipa::path(
    get,
    path = "/v1/edges/waves",
    operation_id = "listWaves",
    tag = "edges",
    params(
        ("env_id" = Option<EnvId>, Query, description = "the environment; all if absent"),
        ("limit" = Option<i64>, Query, description = "1 to 100; default 20"),
    ),
    responses(
        (status = 200, description = "the newest first", body = Waves),
        (status = 400, description = "`limit` is not from 1 to 100"),
        (status = 404, description = "unknown environment"),
    )
)]
async fn list(
    caller: Manager<EnvironmentsRead>,
    Query(asked): Query<Asked>,
) -> Result<Json<Waves>, ApiError> {
    let limit = in_range("limit", asked.limit.unwrap_or(20), 1, MOST)?;
    let limit = usize::try_from(limit).unwrap_or(1);
    // An answer may name 50,000 edges.
    let _permit = caller.long_pages.enter(caller.org_id).await?;
    let seen = see(&caller).await?;
    let env_ids = match asked.env_id.filter(|text| !text.is_empty()) {
        None => seen.env_ids.clone(),
        Some(text) => {
            let env_id = EnvId::parse(&text).filter(|env_id| seen.env_ids.contains(env_id));
            vec![env_id.ok_or(Missing::Environment)?]
        }
    };
    let org_id = caller.org_id;
    let waves = caller.publisher.waves(org_id, &env_ids, limit).await;
    let connected = seen.connected(&caller.publisher, &[]).await;
    let written_in: Vec<_> = waves
        .iter()
        .map(|wave| (wave.transaction, wave.env_id))
        .collect();
    let mut conn = caller.db.acquire().await?;
    let origins = origins::list(&mut conn, org_id, &written_in).await?;
    drop(conn);

    let regions = seen
        .certificates
        .into_iter()
        .map(|certificate| (certificate.name, certificate.region));
    let regions: HashMap<String, Option<String>> = regions
        .chain(connected.into_iter().map(|edge| (edge.name, edge.region)))
        .collect();
    let may_read = |origin: &Origin| {
        let key = needed_to_read(&origin.resource_type);
        key.is_none_or(|key| caller.require(Needs::One(key)).is_ok())
    };
    let data: Vec<Wave> = waves
        .into_iter()
        .map(|wave| {
            let origin = origins.get(&(wave.transaction, wave.env_id));
            shown(wave, origin.filter(|origin| may_read(origin)), &regions)
        })
        .collect();
    Ok(Json(Waves {
        total: data.len(),
        data,
    }))
}

fn shown(
    wave: RecordedWave,
    origin: Option<&Origin>,
    regions: &HashMap<String, Option<String>>,
) -> Wave {
    let acknowledged = wave.acknowledged.into_iter().map(|one| WaveEdge {
        region: regions.get(&one.edge).cloned().flatten(),
        edge: one.edge,
        after_ms: one.after_ms,
    });
    let published_ms = origin.map(|origin| {
        let taken = wave.committed_at - origin.created_at;
        u64::try_from(taken.whole_milliseconds()).unwrap_or(0)
    });
    Wave {
        env_id: wave.env_id,
        version: wave.version,
        priority: wave.priority,
        killed: origin.is_some_and(|origin| origin.action == "flag.killed"),
        action: origin.map(|origin| origin.action.clone()),
        resource_type: origin.map(|origin| origin.resource_type.clone()),
        resource_id: origin.and_then(|origin| origin.resource_id.clone()),
        resource_key: origin.and_then(|origin| origin.resource_key.clone()),
        project_id: origin.and_then(|origin| origin.project_id),
        actor_id: origin.and_then(|origin| origin.actor_id),
        committed_at: wave.committed_at,
        published_ms,
        bytes: wave.bytes,
        acknowledged: acknowledged.collect(),
        lagging: wave.lagging,
    }
}
