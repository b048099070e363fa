//! The endpoints of environment permissions.

use axum::{Json, extract::State};
use serving::{body::RawBody, error::ApiError, params::Path};
use utoipa_axum::router::OpenApiRouter;

use super::{CheckError, input::PermissionsPatch, model::EnvironmentPermission, store};
use crate::{
    audit::{self, model::Entry},
    environments,
    http::{
        access::{AnyRole, Manager},
        endpoints,
        refusals::env_not_found,
    },
    ids::{EnvId, EnvPermissionId, MemberId},
    members::{self, routes::not_found},
    projects,
    roles::keys::{MembersManage, MembersRead},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![list, update]
}

/// Lists the environment permissions of a member. Where they have no row, their role alone counts.
#[utoipa::path(
    get,
    path = "/v1/members/{memberID}/permissions",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    responses(
        (status = 200, description = "in creation order", body = Vec<EnvironmentPermission>),
        (status = 404, description = "unknown"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<MembersRead>,
    Path(member_id): Path<MemberId>,
) -> Result<Json<Vec<EnvironmentPermission>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    members::store::find(&mut conn, caller.org_id, member_id)
        .await?
        .ok_or_else(not_found)?;
    let rows = store::list(&mut conn, caller.org_id, member_id).await?;
    Ok(Json(rows))
}

/// Sets what a member may do in the named environments, at once; all of it or nothing. Rows hold developers alone.
#[utoipa::path(
    put,
    path = "/v1/members/{memberID}/permissions",
    tag = "members",
    params(("memberID" = MemberId, Path)),
    request_body = PermissionsPatch,
    responses(
        (status = 200, description = "all rows of the member now", body = Vec<EnvironmentPermission>),
        (status = 404, description = "unknown member or environment"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Manager<MembersManage>,
    Path(member_id): Path<MemberId>,
    body: RawBody,
) -> Result<Json<Vec<EnvironmentPermission>>, ApiError> {
    let org_id = caller.org_id;
    let mut tx = state.db.begin().await?;
    members::store::find(&mut tx, org_id, member_id)
        .await?
        .ok_or_else(not_found)?;
    let wanted = body.parse::<PermissionsPatch>()?.check()?;
    let now = state.clock.now();
    let rows: Vec<_> = wanted
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
        .collect::<Option<_>>()
        .ok_or_else(env_not_found)?;

    // Projects before the member, in the order of changes of flag states.
    let env_ids: Vec<EnvId> = rows.iter().map(|row| row.env_id).collect();
    projects::store::lock_of_environments(&mut tx, org_id, &env_ids).await?;
    if !members::store::lock(&mut tx, org_id, member_id).await? {
        return Err(not_found());
    }
    let known = environments::store::count_among(&mut tx, org_id, &env_ids).await?;
    if usize::try_from(known) != Ok(env_ids.len()) {
        return Err(env_not_found());
    }
    let before = store::list(&mut tx, org_id, member_id).await?;
    store::upsert(&mut tx, org_id, &rows, now).await?;
    let after = store::list(&mut tx, org_id, member_id).await?;
    let entry = Entry::new(org_id, caller.actor(), "member.permissions_updated").on(member_id);
    audit::store::record(&mut tx, entry.before(&before).after(&after), now).await?;
    tx.commit().await?;
    Ok(Json(after))
}

impl From<CheckError> for ApiError {
    fn from(error: CheckError) -> Self {
        match error {
            CheckError::Denied => Self::forbidden(error.to_string()),
            CheckError::Database(source) => source.into(),
        }
    }
}
