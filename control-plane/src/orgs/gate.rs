//! Features that a plan has or lacks: the gate that endpoints ask after the role and before they look for anything.

use sqlx::PgConnection;
use time::OffsetDateTime;

use super::{model::Plan, store};
use crate::{db, ids::OrgId};

/// Why a feature is closed.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// The plan lacks it, in the words of the feature.
    #[error("{0}")]
    Lacking(&'static str),
    /// The database failed.
    #[error(transparent)]
    Database(#[from] db::Error),
}

/// Passes the plans that have the features of Pro, the trial included; `refusal` tells the others what they lack.
///
/// # Errors
/// [`GateError`].
pub async fn require_pro(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
    refusal: &'static str,
) -> Result<(), GateError> {
    require(conn, org_id, now, refusal, Plan::is_pro).await
}

/// Passes Enterprise alone; `refusal` tells the others what they lack.
///
/// # Errors
/// [`GateError`].
pub async fn require_enterprise(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
    refusal: &'static str,
) -> Result<(), GateError> {
    require(conn, org_id, now, refusal, Plan::is_enterprise).await
}

async fn require(
    conn: &mut PgConnection,
    org_id: OrgId,
    now: OffsetDateTime,
    refusal: &'static str,
    is_enough: fn(Plan) -> bool,
) -> Result<(), GateError> {
    let plan = store::current_plan(conn, org_id, now).await?;
    if is_enough(plan) {
        Ok(())
    } else {
        Err(GateError::Lacking(refusal))
    }
}
