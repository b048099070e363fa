//! The endpoints of custom roles.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    params::Path,
};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{
        access::{CustomRoles, Manager},
        endpoints,
        tags::{IfMatch, Tagged},
    },
    state::AppState,
};
use base::ids::CustomRoleId;
use domain::roles::{
    change,
    input::RoleInput,
    keys::RolesManage,
    model::{BuiltIn, CustomRole},
    store,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

#[derive(Serialize, ToSchema)]
#[schema(as = RoleList)]
struct Roles {
    data: Vec<CustomRole>,
    total: usize,
}

/// Lists all roles, built-in ones first.
#[utoipa::path(
    get,
    path = "/v1/roles",
    operation_id = "listRoles",
    tag = "roles",
    responses(
        (status = 200, description = "in creation order", body = Roles),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
) -> Result<Json<Roles>, ApiError> {
    let mut conn = state.db.acquire().await?;
    let mut data = BuiltIn::ALL.map(BuiltIn::role).to_vec();
    data.extend(store::list(&mut conn, caller.org_id).await?);
    let total = data.len();
    Ok(Json(Roles { data, total }))
}

/// Creates a role.
#[utoipa::path(
    post,
    path = "/v1/roles",
    operation_id = "createRole",
    tag = "roles",
    request_body = RoleInput,
    responses(
        (status = 201, description = "created", body = CustomRole),
        (status = 409, description = "the name is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Body(body): Body<RoleInput>,
) -> Result<(StatusCode, Tagged<CustomRole>), ApiError> {
    let role = body.check()?.create(state.clock.now());
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let created = change::create(&mut org, role).await?;
    let (_, role) = state.commit(caller.wait, unit, created).await?;
    Ok((StatusCode::CREATED, Tagged(role)))
}

/// Shows a role, built-in or not.
#[utoipa::path(
    get,
    path = "/v1/roles/{roleID}",
    operation_id = "getRole",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    responses(
        (status = 200, description = "the role", body = CustomRole),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
) -> Result<Tagged<CustomRole>, ApiError> {
    Ok(Tagged(state.custom_role(&caller, role_id).await?))
}

/// Replaces name and permissions of a role. It counts from the next request of each of its members on.
#[utoipa::path(
    put,
    path = "/v1/roles/{roleID}",
    operation_id = "updateRole",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    request_body = RoleInput,
    responses(
        (status = 200, description = "the role now", body = CustomRole),
        (status = 403, description = "a built-in role"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the name is taken"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<CustomRole>, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be changed")?;
    state.custom_role(&caller, role_id).await?;
    let expected = if_match.read()?;
    let wish = body.parse::<RoleInput>().await?.check()?;
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let updated = change::update(&mut org, role_id, wish, &expected).await?;
    let (_, role) = state.commit(caller.wait, unit, updated).await?;
    Ok(Tagged(role))
}

/// Deletes a role that no member has.
#[utoipa::path(
    delete,
    path = "/v1/roles/{roleID}",
    operation_id = "deleteRole",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 403, description = "a built-in role"),
        (status = 404, description = "unknown"),
        (status = 409, description = "a member has it"),
    )
)]
async fn delete(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be deleted")?;
    state.custom_role(&caller, role_id).await?;
    let expected = if_match.read()?;
    let mut unit = state.begin(&caller).await?;
    let mut org = unit.lock_org(&state.clock).await?;
    let deleted = change::delete(&mut org, role_id, &expected).await?;
    state.commit(caller.wait, unit, deleted).await?;
    Ok(StatusCode::NO_CONTENT)
}

fn refuse_built_in(id: CustomRoleId, message: &'static str) -> Result<(), ApiError> {
    match BuiltIn::find(id) {
        Some(_) => Err(ApiError::forbidden(message)),
        None => Ok(()),
    }
}
