//! The endpoints of flags themselves; those of their states are in `states::routes`.

use axum::{Json, extract::State, http::StatusCode};
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::Path,
};
use sqlx::PgConnection;
use utoipa_axum::router::OpenApiRouter;

use super::{
    change::LockedFlag,
    input::{FlagPatch, NewFlag},
    model::{Flag, FlagItem},
    store,
};
use crate::{
    audit::{self, model::Entry},
    environments,
    http::{
        access::{AnyRole, Editor},
        endpoints,
        published::Published,
        refusals::{flag_not_found, project_not_found},
    },
    ids::{OrgId, ProjectId},
    input::{Invalid, Key},
    projects,
    publish::version::{self, Growth, Scope},
    roles::keys::{FlagsCreate, FlagsDelete, FlagsRead, FlagsUpdate},
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![create, list, show, update, delete]
}

/// Creates a flag. It has no state in any environment yet, so it is disabled everywhere.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags",
    tag = "flags",
    params(("projectID" = ProjectId, Path)),
    request_body = NewFlag,
    responses(
        (status = 201, description = "created", body = Flag),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the key is taken"),
    )
)]
async fn create(
    State(state): State<AppState>,
    caller: Editor<FlagsCreate>,
    Path(project_id): Path<ProjectId>,
    body: RawBody,
) -> Result<(StatusCode, Published, Json<Flag>), ApiError> {
    let mut tx = state.db.begin().await?;
    projects::store::lock(&mut tx, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let now = state.clock.now();
    let flag = body.parse::<NewFlag>()?.check(now)?;
    refuse_cycle(&mut tx, caller.org_id, project_id, &flag).await?;

    let growth = Growth {
        shared_bytes: flag.compiled_bytes.into(),
        flags: 1,
        ..Growth::default()
    };
    let change = version::draw(&mut tx, caller.org_id, project_id, Scope::Project, growth).await?;
    store::insert(&mut tx, caller.org_id, project_id, &flag, &change).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "flag.created")
        .on(flag.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.after(&flag), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::CREATED, published, Json(flag)))
}

/// Lists the flags of a project, without description, prerequisites and mutual exclusion group.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags",
    tag = "flags",
    params(("projectID" = ProjectId, Path), Page),
    responses(
        (status = 200, description = "in creation order", body = Paged<FlagItem>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<FlagsRead>,
    Path(project_id): Path<ProjectId>,
    page: Page,
) -> Result<Json<Paged<FlagItem>>, ApiError> {
    let mut conn = state.db.acquire().await?;
    projects::store::find(&mut conn, caller.org_id, project_id)
        .await?
        .ok_or_else(project_not_found)?;
    let flags = store::list(&mut conn, caller.org_id, project_id, page).await?;
    let total = store::count(&mut conn, caller.org_id, project_id).await?;
    Ok(Json(Paged::new(flags, total, page)))
}

/// Shows a flag.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path)),
    responses((status = 200, description = "the flag", body = Flag), (status = 404, description = "unknown"))
)]
async fn show(
    State(state): State<AppState>,
    caller: AnyRole<FlagsRead>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
) -> Result<Json<Flag>, ApiError> {
    let mut conn = state.db.acquire().await?;
    store::find(&mut conn, caller.org_id, project_id, &key)
        .await?
        .map(Json)
        .ok_or_else(flag_not_found)
}

/// Changes the given fields of a flag. `key` and `flag_type` stay as they are.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path)),
    request_body = FlagPatch,
    responses((status = 200, description = "the flag now", body = Flag), (status = 404, description = "unknown"))
)]
async fn update(
    State(state): State<AppState>,
    caller: Editor<FlagsUpdate>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
    body: RawBody,
) -> Result<(Published, Json<Flag>), ApiError> {
    let mut tx = state.db.begin().await?;
    let locked = LockedFlag::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    let now = state.clock.now();
    let before = locked.flag;
    let flag = body.parse::<FlagPatch>()?.apply(&before, now)?;
    if flag.prerequisites != before.prerequisites {
        refuse_cycle(&mut tx, caller.org_id, project_id, &flag).await?;
    }

    let shared_bytes = i64::from(flag.compiled_bytes) - i64::from(before.compiled_bytes);
    // Also when nothing that is served changed: clients are told about every update of a flag.
    let change = version::draw(
        &mut tx,
        caller.org_id,
        project_id,
        Scope::Project,
        Growth {
            shared_bytes,
            ..Growth::default()
        },
    )
    .await?;
    store::update(&mut tx, caller.org_id, &flag, &change).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "flag.updated")
        .on(flag.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&before).after(&flag), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((published, Json(flag)))
}

/// Deletes a flag and its states. Flags that require it fail closed.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    tag = "flags",
    params(("projectID" = ProjectId, Path), ("flagKey" = String, Path)),
    responses((status = 204, description = "deleted"), (status = 404, description = "unknown"))
)]
async fn delete(
    State(state): State<AppState>,
    caller: Editor<FlagsDelete>,
    Path((project_id, key)): Path<(ProjectId, Key)>,
) -> Result<(StatusCode, Published), ApiError> {
    let mut tx = state.db.begin().await?;
    let locked = LockedFlag::find(&mut tx, caller.org_id, project_id, &key)
        .await?
        .ok_or_else(flag_not_found)?;
    let now = state.clock.now();
    let flag = locked.flag;

    let growth = Growth {
        shared_bytes: -i64::from(flag.compiled_bytes),
        flags: -1,
        ..Growth::default()
    };
    let change = version::draw(&mut tx, caller.org_id, project_id, Scope::Project, growth).await?;
    environments::store::shrink_by_states_of(&mut tx, caller.org_id, flag.id).await?;
    store::delete(&mut tx, caller.org_id, flag.id, &change, now).await?;
    let entry = Entry::new(caller.org_id, caller.actor(), "flag.deleted")
        .on(flag.id)
        .in_project(project_id);
    audit::store::record(&mut tx, entry.before(&flag), now).await?;
    tx.commit().await?;

    let published = state.published(caller.wait, &change).await;
    Ok((StatusCode::NO_CONTENT, published))
}

/// Refuses prerequisites that lead back to the flag. Call it with the project locked: of two updates that would close a cycle
/// together, the second sees the first.
async fn refuse_cycle(
    conn: &mut PgConnection,
    org_id: OrgId,
    project_id: ProjectId,
    flag: &Flag,
) -> Result<(), ApiError> {
    if flag.prerequisites.is_empty() {
        return Ok(());
    }
    if store::leads_to(conn, org_id, project_id, &flag.prerequisites, &flag.key).await? {
        return Err(Invalid::new("prerequisites must not form a cycle").into());
    }
    Ok(())
}

impl From<store::InsertError> for ApiError {
    fn from(error: store::InsertError) -> Self {
        match error {
            store::InsertError::KeyTaken => Self::conflict("flag key already exists"),
            store::InsertError::Database(source) => source.into(),
        }
    }
}
