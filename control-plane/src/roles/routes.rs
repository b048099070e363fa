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

use super::{
    input::RoleInput,
    model::{BuiltIn, CustomRole, MAX_ROLES},
    store,
};
use crate::{
    audit::{self, model::Entry},
    http::{
        access::{CustomRoles, Manager},
        endpoints,
    },
    ids::CustomRoleId,
    orgs,
    roles::keys::RolesManage,
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

#[derive(Serialize, ToSchema)]
struct Roles {
    data: Vec<CustomRole>,
    total: usize,
}

/// Lists all roles, built-in ones first.
#[utoipa::path(
    get,
    path = "/v1/roles",
    tag = "roles",
    responses(
        (status = 200, description = "in creation order", body = Roles),
        (status = 402, description = "the plan has no custom roles"),
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
    tag = "roles",
    request_body = RoleInput,
    responses(
        (status = 201, description = "created", body = CustomRole),
        (status = 402, description = "the plan has no custom roles"),
        (status = 409, description = "the name is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Body(body): Body<RoleInput>,
) -> Result<(StatusCode, Json<CustomRole>), ApiError> {
    let now = state.clock.now();
    let role = body.check(now)?;
    refuse_built_in_name(&role)?;

    let mut tx = state.db.begin().await?;
    // The lock on the organization makes the count hold until commit.
    orgs::store::lock(&mut tx, caller.org_id).await?;
    if store::count(&mut tx, caller.org_id).await? >= MAX_ROLES {
        return Err(ApiError::bad_request(format!(
            "an organization has at most {MAX_ROLES} custom roles"
        )));
    }
    store::insert(&mut tx, caller.org_id, &role).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "role.created").on(role.id);
    audit::store::record(&mut tx, entry.after(&role), now).await?;
    tx.commit().await?;

    Ok((StatusCode::CREATED, Json(role)))
}

/// Shows a role, built-in or not.
#[utoipa::path(
    get,
    path = "/v1/roles/{roleID}",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    responses(
        (status = 200, description = "the role", body = CustomRole),
        (status = 402, description = "the plan has no custom roles"),
        (status = 404, description = "unknown"),
    )
)]
async fn show(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
) -> Result<Json<CustomRole>, ApiError> {
    let mut conn = state.db.acquire().await?;
    store::find(&mut conn, caller.org_id, role_id)
        .await?
        .map(Json)
        .ok_or_else(not_found)
}

/// Replaces name and permissions of a role. It counts from the next request of each of its members on.
#[utoipa::path(
    put,
    path = "/v1/roles/{roleID}",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    request_body = RoleInput,
    responses(
        (status = 200, description = "the role now", body = CustomRole),
        (status = 402, description = "the plan has no custom roles"),
        (status = 403, description = "a built-in role"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the name is taken"),
    )
)]
async fn update(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
    body: RawBody,
) -> Result<Json<CustomRole>, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be changed")?;
    let now = state.clock.now();
    let mut tx = state.db.begin().await?;
    let before = store::find_for_update(&mut tx, caller.org_id, role_id)
        .await?
        .ok_or_else(not_found)?;
    let role = body.parse::<RoleInput>()?.replace(&before)?;
    refuse_built_in_name(&role)?;

    store::update(&mut tx, caller.org_id, &role, now).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "role.updated").on(role.id);
    audit::store::record(&mut tx, entry.before(&before).after(&role), now).await?;
    tx.commit().await?;

    Ok(Json(role))
}

/// Deletes a role that no member has.
#[utoipa::path(
    delete,
    path = "/v1/roles/{roleID}",
    tag = "roles",
    params(("roleID" = CustomRoleId, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 402, description = "the plan has no custom roles"),
        (status = 403, description = "a built-in role"),
        (status = 404, description = "unknown"),
        (status = 409, description = "a member has it"),
    )
)]
async fn delete(
    State(state): State<AppState>,
    caller: Manager<RolesManage, CustomRoles>,
    Path(role_id): Path<CustomRoleId>,
) -> Result<StatusCode, ApiError> {
    refuse_built_in(role_id, "built-in roles cannot be deleted")?;
    let now = state.clock.now();
    let mut tx = state.db.begin().await?;
    let role = store::find_for_update(&mut tx, caller.org_id, role_id)
        .await?
        .ok_or_else(not_found)?;

    store::delete(&mut tx, caller.org_id, role_id).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "role.deleted").on(role_id);
    audit::store::record(&mut tx, entry.before(&role), now).await?;
    tx.commit().await?;

    Ok(StatusCode::NO_CONTENT)
}

fn refuse_built_in(id: CustomRoleId, message: &'static str) -> Result<(), ApiError> {
    match BuiltIn::find(id) {
        Some(_) => Err(ApiError::forbidden(message)),
        None => Ok(()),
    }
}

fn refuse_built_in_name(role: &CustomRole) -> Result<(), store::WriteError> {
    if BuiltIn::is_named(&role.name) {
        Err(store::WriteError::NameTaken)
    } else {
        Ok(())
    }
}

fn not_found() -> ApiError {
    ApiError::not_found("role not found")
}

impl From<store::WriteError> for ApiError {
    fn from(error: store::WriteError) -> Self {
        match error {
            store::WriteError::NameTaken => Self::conflict("role name already exists"),
            store::WriteError::Database(source) => source.into(),
        }
    }
}

impl From<store::DeleteError> for ApiError {
    fn from(error: store::DeleteError) -> Self {
        match error {
            store::DeleteError::Assigned => Self::conflict("role is assigned to members"),
            store::DeleteError::Database(source) => source.into(),
        }
    }
}
