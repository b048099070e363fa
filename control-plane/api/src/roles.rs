//! The endpoints of custom roles.

use axum::{Json, http::StatusCode};
use serde::Serialize;
use serving::{
    body::{Body, RawBody},
    error::ApiError,
    params::Path,
};
use utoipa::ToSchema;

use crate::http::{CustomRoles, IfMatch, Manager, Routes, Tagged, endpoints};
use base::ids::CustomRoleId;
use domain::roles::{
    change,
    input::RoleInput,
    keys::RolesManage,
    model::{BuiltIn, CustomRole},
    store,
};

pub fn router() -> Routes {
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
async fn list(caller: Manager<RolesManage, CustomRoles>) -> Result<Json<Roles>, ApiError> {
    let mut conn = caller.db.acquire().await?;
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
    caller: Manager<RolesManage, CustomRoles>,
    Body(body): Body<RoleInput>,
) -> Result<(StatusCode, Tagged<CustomRole>), ApiError> {
    let role = body.check()?.create(caller.clock.now());
    let role = caller
        .write_org(async |org| change::create(org, role).await)
        .await?;
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
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
) -> Result<Tagged<CustomRole>, ApiError> {
    Ok(Tagged(caller.custom_role(role_id).await?))
}

/// Replaces name and permissions of a role. They apply from the next request of each member with it.
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
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<Tagged<CustomRole>, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be changed")?;
    caller.custom_role(role_id).await?;
    let expected = if_match.read()?;
    let wish = body.parse::<RoleInput>().await?.check()?;
    let role = caller
        .write_org(async |org| change::update(org, role_id, wish, &expected).await)
        .await?;
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
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
    if_match: IfMatch,
) -> Result<StatusCode, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be deleted")?;
    caller.custom_role(role_id).await?;
    let expected = if_match.read()?;
    caller
        .write_org(async |org| change::delete(org, role_id, &expected).await)
        .await?;
    Ok(StatusCode::NO_CONTENT)
}

fn refuse_built_in(id: CustomRoleId, message: &'static str) -> Result<(), ApiError> {
    match BuiltIn::find(id) {
        Some(_) => Err(ApiError::forbidden(message)),
        None => Ok(()),
    }
}
