//! The endpoints of environment permissions.

use axum::Json;
use serving::{body::RawBody, error::ApiError, params::Path};

use crate::http::{AnyRole, Manager, Routes, endpoints};
use base::{
    ids::{EnvPermissionId, MemberId},
    refusal::Missing,
};
use domain::{
    members::permissions::{change, input::PermissionsPatch, model::EnvironmentPermission, store},
    roles::keys::{MembersManage, MembersRead},
};

pub fn router() -> Routes {
    endpoints![list, update]
}

/// Lists the environment permissions of a member. In environments without a row, only the role applies.
#[utoipa::path(
    get,
    path = "/v1/members/{memberID}/permissions",
    operation_id = "listMemberPermissions",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    responses(
        (status = 200, description = "in creation order", body = Vec<EnvironmentPermission>),
        (status = 404, description = "unknown"),
    )
)]
async fn list(
    caller: AnyRole<MembersRead>,
    Path(member_id): Path<MemberId>,
) -> Result<Json<Vec<EnvironmentPermission>>, ApiError> {
    caller.member(member_id).await?;
    let mut conn = caller.db.acquire().await?;
    let rows = store::list(&mut conn, caller.org_id, member_id).await?;
    Ok(Json(rows))
}

/// Sets the permissions of a member in the named environments, at once; all of them or none. They limit developers only.
#[utoipa::path(
    put,
    path = "/v1/members/{memberID}/permissions",
    operation_id = "updateMemberPermissions",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    request_body = PermissionsPatch,
    responses(
        (status = 200, description = "all rows of the member now", body = Vec<EnvironmentPermission>),
        (status = 404, description = "unknown member or environment"),
    )
)]
async fn update(
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
    body: RawBody,
) -> Result<Json<Vec<EnvironmentPermission>>, ApiError> {
    caller.member(member_id).await?;
    let wanted = body.parse::<PermissionsPatch>().await?.check()?;
    let now = caller.clock.now();
    let rows: Option<Vec<_>> = wanted
        .into_iter()
        .map(|row| {
            Some(EnvironmentPermission {
                id: EnvPermissionId::new(now),
                member_id,
                env_id: row.env_id?,
                can_toggle: row.can_toggle,
                can_edit_rules: row.can_edit_rules,
            })
        })
        .collect();
    let rows = rows.ok_or(Missing::Environment)?;
    let mut unit = caller.begin().await?;
    let updated = change::update(&mut unit, member_id, &rows).await?;
    let (_, rows) = caller.commit(unit, updated).await?;
    Ok(Json(rows))
}
