//! `GET /v1/edges`: the edges that may hold an organization, and what they hold of it; `/edges` on the admin address:
//! all edges.

mod enrolment;
mod waves;

use axum::{Json, Router, extract::State, routing::get};
use serde::Serialize;
use serving::{clock::Clock, error::ApiError};
use std::sync::Arc;
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    config::FleetSettings,
    http::{Access, Manager, Routes, endpoints},
    state::AppState,
};
use base::{
    db::{self, Db},
    ids::EnvId,
};
use domain::{accounts::store::users, environments, orgs, roles::keys::EnvironmentsRead};
use publish::{
    Publisher,
    edges::{
        fleet::{self, FleetEdge},
        model::EdgeCertificate,
        store,
    },
    fleet::ConnectedEdge,
};

pub fn router() -> Routes {
    endpoints![list]
        .merge(waves::router())
        .merge(enrolment::router())
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EdgeList)]
struct Edges {
    data: Vec<FleetEdge>,
    total: usize,
    /// Whether the caller may enroll and revoke edges here (`FLEET_OPERATORS`). Others ask an operator to run `halyard edge`.
    may_enroll: bool,
    /// The data regions of the installation.
    regions: Vec<String>,
}

/// Lists the edges of the organization's data region, with those of its environments that they hold.
#[utoipa::path(
    get,
    path = "/v1/edges",
    operation_id = "listEdges",
    tag = "edges",
    responses((status = 200, description = "by name", body = Edges))
)]
async fn list(
    caller: Manager<EnvironmentsRead>,
    State(settings): State<Arc<FleetSettings>>,
) -> Result<Json<Edges>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let user = users::get(&mut conn, caller.user_id).await?;
    drop(conn);
    let may_enroll = enrolment::is_operator(&settings, &user);
    let seen = see(&caller).await?;
    let publisher = &caller.publisher;
    // One after the other: a request uses one connection at a time.
    let connected = seen.connected(publisher, &seen.env_ids).await;
    let known = publisher.standing(caller.org_id, &seen.env_ids).await;
    let now = caller.clock.now();
    let mut data = fleet::join(&seen.certificates, connected, now);
    fleet::with_known(&mut data, &known, now);
    Ok(Json(Edges {
        total: data.len(),
        data,
        may_enroll,
        regions: settings.regions.clone(),
    }))
}

/// What an organization may see of edges: those that may hold its data region.
struct Seen {
    region: String,
    env_ids: Vec<EnvId>,
    certificates: Vec<EdgeCertificate>,
}

async fn see(caller: &Access) -> db::Result<Seen> {
    let mut conn = caller.db.acquire().await?;
    let region = orgs::store::get_data_region(&mut conn, caller.org_id).await?;
    let env_ids = environments::store::list_ids(&mut conn, caller.org_id).await?;
    let mut certificates = store::list(&mut conn).await?;
    certificates.retain(|certificate| may_hold(certificate.region.as_deref(), &region));
    Ok(Seen {
        region,
        env_ids,
        certificates,
    })
}

fn may_hold(only: Option<&str>, region: &str) -> bool {
    only.is_none_or(|only| only == region)
}

impl Seen {
    /// Those connected, with what they hold of some environments.
    async fn connected(&self, publisher: &Publisher, of: &[EnvId]) -> Vec<ConnectedEdge> {
        let mut connected = publisher.fleet(Some(of)).await;
        connected.retain(|edge| may_hold(edge.region.as_deref(), &self.region));
        connected
    }
}

/// An edge as operators see it, with more fields than organizations see.
#[derive(Debug, Serialize)]
struct OperatedEdge {
    #[serde(flatten)]
    edge: FleetEdge,
    streams: u32,
    /// When the edge renewed it; `null` if an operator enrolled it.
    #[serde(with = "time::serde::rfc3339::option")]
    certificate_renewed_at: Option<OffsetDateTime>,
    is_relay: bool,
}

/// `/edges` for the admin address: the edges of all replicas, with everything they hold.
pub fn operator(state: AppState) -> Router {
    Router::new()
        .route("/edges", get(everything))
        .with_state(state)
}

async fn everything(
    State(db): State<Db>,
    State(publisher): State<Publisher>,
    State(clock): State<Clock>,
) -> Result<Json<Vec<OperatedEdge>>, ApiError> {
    let certificates = store::list(&mut *db.acquire().await?).await?;
    let connected = publisher.fleet(None).await;
    let edges = fleet::join(&certificates, connected, clock.now());
    let operated = |edge: FleetEdge| OperatedEdge {
        streams: edge.streams,
        certificate_renewed_at: edge
            .certificate
            .and_then(|certificate| certificate.renewed_at),
        is_relay: edge.is_relay(),
        edge,
    };
    Ok(Json(edges.into_iter().map(operated).collect()))
}
