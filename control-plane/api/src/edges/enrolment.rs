//! Enrolling and revoking edges by the API, for the operators whom the installation names.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serving::{body::Body, error::ApiError, params::Path};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::{
    config::FleetSettings,
    http::{Access, Manager, Routes, endpoints},
};
use base::{
    input::{Invalid, in_range, required},
    refusal::{Missing, Refusal},
};
use domain::{
    accounts::{model::User, store::users},
    orgs,
    roles::keys::EnvironmentsRead,
};
use publish::edges::{
    Enrolled,
    operated::{self, Acting, MAY_NOT_ENROLL, MAY_NOT_REVOKE},
    start::Start,
    store,
};

pub(super) fn router() -> Routes {
    endpoints![enroll, revoke]
}

/// Whether an account may enroll and revoke edges.
pub(super) fn is_operator(settings: &FleetSettings, user: &User) -> bool {
    operated::is_operator(&settings.operators, user)
}

fn acting<'a>(caller: &Access, settings: &'a FleetSettings) -> Acting<'a> {
    Acting {
        user_id: caller.user_id,
        operators: &settings.operators,
    }
}

/// The body of an enrolment.
#[derive(Debug, Deserialize, ToSchema)]
struct NewEdge {
    /// 1 to 63 letters, digits, dots and hyphens; begins and ends with a letter or digit.
    #[schema(required)]
    name: Option<String>,
    /// The data region whose organizations it may hold; all if absent.
    region: Option<String>,
    /// How long its certificates are valid: 1 to 3650 days, 730 if absent. It renews them.
    valid_for_days: Option<i64>,
}

/// A new edge, the only time with its key.
#[derive(Serialize, ToSchema)]
struct EnrolledEdge {
    name: String,
    #[schema(required)]
    region: Option<String>,
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
    /// `ca.pem`: the authority that control planes and edges trust.
    ca_pem: String,
    /// `edge.pem`: its certificate.
    edge_pem: String,
    /// `edge.key`: its private key. It is not stored and not shown again.
    edge_key: String,
    /// Starts it, with the three files in a folder of its name.
    command: String,
}

impl NewEdge {
    fn check(self, regions: &[String]) -> Result<operated::NewEdge, Invalid> {
        let name = required("name", self.name)?;
        if let Some(region) = &self.region
            && !regions.contains(region)
        {
            let known = regions.join(", ");
            return Err(Invalid::new(format!("region must be one of {known}")));
        }
        let days = self.valid_for_days.unwrap_or(730);
        let days = in_range("valid_for_days", days, 1, 3_650)?;
        Ok(operated::NewEdge {
            name,
            region: self.region,
            life: Duration::days(days),
        })
    }
}

/// Enrolls an edge: issues the certificate with which it joins. Only for operators of the service.
#[utoipa::path(
    post,
    path = "/v1/edges",
    operation_id = "enrollEdge",
    tag = "edges",
    request_body = NewEdge,
    responses(
        (status = 201, description = "enrolled; the key is shown once", body = EnrolledEdge),
        (status = 403, description = "the caller is not an operator of the service, or their address is not proven"),
        (status = 409, description = "an edge of this name is enrolled"),
    )
)]
async fn enroll(
    caller: Manager<EnvironmentsRead>,
    State(settings): State<Arc<FleetSettings>>,
    Body(body): Body<NewEdge>,
) -> Result<(StatusCode, Json<EnrolledEdge>), ApiError> {
    let new = body.check(&settings.regions)?;
    let mut conn = caller.db.acquire().await?;
    if !is_operator(&settings, &users::get(&mut conn, caller.user_id).await?) {
        return Err(Refusal::Forbidden(MAY_NOT_ENROLL).into());
    }
    drop(conn);
    let authority = caller
        .publisher
        .authority()
        .await
        .map_err(|error| Refusal::Fault(error.into()))?;
    let acting = acting(&caller, &settings);
    let Enrolled { edge, identity } = caller
        .write_org(async |org| operated::enroll(org, acting, &authority, &new).await)
        .await?;
    let command = Start {
        edge: &edge,
        folder: &edge.name,
        upstream: &settings.upstream,
        quic_name: &settings.quic_name,
        program: "halyard-edge",
    }
    .command();
    let enrolled = EnrolledEdge {
        name: edge.name,
        region: edge.region,
        expires_at: edge.expires_at,
        ca_pem: authority.certificate_pem().to_owned(),
        edge_pem: identity.certificate_pem.clone(),
        edge_key: identity.key_pem.to_string(),
        command,
    };
    Ok((StatusCode::CREATED, Json(enrolled)))
}

/// Revokes an edge: its link ends within seconds. It answers from what it holds until it is stopped. Only for operators of the
/// service.
#[utoipa::path(
    delete,
    path = "/v1/edges/{edgeName}",
    operation_id = "revokeEdge",
    tag = "edges",
    params(("edgeName" = String, Path, description = "its name")),
    responses(
        (status = 204, description = "revoked"),
        (status = 403, description = "the caller is not an operator of the service, or their address is not proven"),
        (status = 404, description = "no edge of this name is enrolled, or it does not hold the organization's region"),
    )
)]
async fn revoke(
    caller: Manager<EnvironmentsRead>,
    State(settings): State<Arc<FleetSettings>>,
    Path(name): Path<String>,
) -> Result<StatusCode, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let edge = store::find_enrolled(&mut conn, &name).await?;
    let edge = edge.ok_or(Missing::Edge)?;
    if !is_operator(&settings, &users::get(&mut conn, caller.user_id).await?) {
        // The names of others are not disclosed.
        let region = orgs::store::get_data_region(&mut conn, caller.org_id).await?;
        let is_seen = edge.region.as_ref().is_none_or(|only| *only == region);
        return Err(if is_seen {
            Refusal::Forbidden(MAY_NOT_REVOKE).into()
        } else {
            Missing::Edge.into()
        });
    }
    drop(conn);
    let acting = acting(&caller, &settings);
    caller
        .write_org(async |org| operated::revoke(org, acting, &edge).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
