//! Enrolling and revoking edges by the API, for the operators whom the installation names.

use std::sync::Arc;

use axum::{Json, extract::State, http::StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use serving::{body::Body, error::ApiError, params::Path};
use time::{Duration, OffsetDateTime};
use utoipa::ToSchema;

use crate::{
    config::FleetSettings,
    http::{Manager, Routes, endpoints},
};
use base::{
    ids::UserId,
    input::{Invalid, in_range, required},
    refusal::{Missing, Refusal},
};
use domain::{
    accounts::{model::User, store::users},
    events::{Action, EdgeName, Event, Subject},
    orgs,
    roles::keys::EnvironmentsRead,
    unit::OrgChange,
};
use publish::{
    edges::{self, Enrolled, Enrolment, model::EdgeCertificate, start::Start, store},
    tls::Authority,
};

const MAY_NOT_ENROLL: &str = "only operators of this service may enroll edges (FLEET_OPERATORS): ask one to run `halyard edge enroll --name NAME --out FOLDER`";
const MAY_NOT_REVOKE: &str = "only operators of this service may revoke edges (FLEET_OPERATORS): ask one to run `halyard edge revoke NAME`";

pub(super) fn router() -> Routes {
    endpoints![enroll, revoke]
}

/// Whether an account is one of the operators, and its address is proven.
pub(super) fn is_operator(settings: &FleetSettings, user: &User) -> bool {
    let mut operators = settings.operators.iter();
    user.email_verified && operators.any(|one| one.as_str() == user.email)
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

/// An edge as the audit log shows it.
#[derive(Serialize)]
struct Audited<'a> {
    name: &'a str,
    region: Option<&'a str>,
    #[serde(with = "time::serde::rfc3339")]
    expires_at: OffsetDateTime,
}

impl<'a> From<&'a EdgeCertificate> for Audited<'a> {
    fn from(edge: &'a EdgeCertificate) -> Self {
        Self {
            name: &edge.name,
            region: edge.region.as_deref(),
            expires_at: edge.expires_at,
        }
    }
}

struct Checked {
    name: String,
    region: Option<String>,
    life: Duration,
}

impl NewEdge {
    fn check(self, regions: &[String]) -> Result<Checked, Invalid> {
        let name = required("name", self.name)?;
        if let Some(region) = &self.region
            && !regions.contains(region)
        {
            let known = regions.join(", ");
            return Err(Invalid::new(format!("region must be one of {known}")));
        }
        let days = self.valid_for_days.unwrap_or(730);
        let days = in_range("valid_for_days", days, 1, 3_650)?;
        Ok(Checked {
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
    let Enrolled { edge, identity } = caller
        .write_org(async |org| {
            let account = account(org, &settings, caller.user_id, MAY_NOT_ENROLL).await?;
            let enrolled = issue(org, &authority, &new, &account).await?;
            let subject = Subject::Edge(EdgeName::new(&new.name));
            let event = Event::created(
                Action::EdgeEnrolled,
                subject,
                &Audited::from(&enrolled.edge),
            );
            Ok(org.record(event, enrolled).await?)
        })
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

async fn issue(
    org: &mut OrgChange<'_>,
    authority: &Authority,
    new: &Checked,
    account: &str,
) -> Result<Enrolled, Refusal> {
    let enrolment = Enrolment {
        name: &new.name,
        region: new.region.as_deref(),
        life: new.life,
        is_relay: false,
    };
    let now = org.now();
    Ok(edges::issue(org, authority, enrolment, Some(account), now).await?)
}

/// The address of an operator, in the transaction of what they do.
async fn account(
    org: &mut OrgChange<'_>,
    settings: &FleetSettings,
    user_id: UserId,
    words: &'static str,
) -> Result<String, Refusal> {
    let user = users::get(org, user_id).await?;
    if is_operator(settings, &user) {
        Ok(user.email)
    } else {
        Err(Refusal::Forbidden(words))
    }
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
    caller
        .write_org(async |org| {
            let account = account(org, &settings, caller.user_id, MAY_NOT_REVOKE).await?;
            let now = org.now();
            if !edges::withdraw(org, &name, Some(&account), now).await? {
                return Err(Missing::Edge.into());
            }
            let subject = Subject::Edge(EdgeName::new(&name));
            let event = Event::deleted(Action::EdgeRevoked, subject, &Audited::from(&edge));
            Ok(org.record(event.with(json!({"edge": name})), ()).await?)
        })
        .await?;
    Ok(StatusCode::NO_CONTENT)
}
