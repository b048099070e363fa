//! `GET /v1/edges`: the edges that may hold an organization, and what they hold of it; `/edges` on the admin address:
//! all edges.

use axum::{Json, Router, extract::State, routing::get};
use serde::Serialize;
use serving::{clock::Clock, error::ApiError};
use time::OffsetDateTime;
use utoipa::ToSchema;

use crate::{
    http::{Manager, Routes, endpoints},
    state::AppState,
};
use base::db::Db;
use domain::{environments, orgs, roles::keys::EnvironmentsRead};
use publish::{
    Publisher,
    edges::{
        fleet::{self, FleetEdge},
        store,
    },
};

pub fn router() -> Routes {
    endpoints![list]
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = EdgeList)]
struct Edges {
    data: Vec<FleetEdge>,
    total: usize,
}

/// Lists the edges of the organization's data region, with those of its environments that they hold.
#[utoipa::path(
    get,
    path = "/v1/edges",
    operation_id = "listEdges",
    tag = "edges",
    responses((status = 200, description = "by name", body = Edges))
)]
async fn list(caller: Manager<EnvironmentsRead>) -> Result<Json<Edges>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let region = orgs::store::get_data_region(&mut conn, caller.org_id).await?;
    let environments = environments::store::list_ids(&mut conn, caller.org_id).await?;
    let mut certificates = store::list(&mut conn).await?;
    drop(conn);

    let may_hold = |only: &Option<String>| only.as_ref().is_none_or(|only| *only == region);
    certificates.retain(|certificate| may_hold(&certificate.region));
    let mut connected = caller.publisher.fleet(Some(&environments)).await;
    connected.retain(|edge| may_hold(&edge.region));
    let data = fleet::join(&certificates, connected, caller.clock.now());
    Ok(Json(Edges {
        total: data.len(),
        data,
    }))
}

/// An edge as operators see it, with more fields than organizations see.
#[derive(Debug, Serialize)]
struct OperatedEdge {
    #[serde(flatten)]
    edge: FleetEdge,
    streams: u32,
    #[serde(with = "time::serde::rfc3339::option")]
    certificate_expires_at: Option<OffsetDateTime>,
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
        certificate_expires_at: edge.certificate.map(|certificate| certificate.expires_at),
        certificate_renewed_at: edge
            .certificate
            .and_then(|certificate| certificate.renewed_at),
        is_relay: edge.is_relay(),
        edge,
    };
    Ok(Json(edges.into_iter().map(operated).collect()))
}
