//! The endpoints of flags themselves; those of their states are in `states`.

pub mod archive;
pub mod bulk;
pub mod compare;
pub mod explain;
pub mod history;
pub mod overview;
pub mod states;
pub mod uses;

use axum::{Json, http::StatusCode};
use serde::Deserialize;
use serving::{
    body::RawBody,
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};

use crate::http::{
    Access, AnyRole, DryRunQuery, Editor, IfMatch, IfNoneMatch, Outcome, Published, Routes, Tagged,
    Warned, endpoints,
};
use base::{
    ids::ProjectId,
    input::Key,
    named::ProjectRef,
    refusal::{Guarded, Missing, Refusal},
    warning::Warning,
};
use domain::{
    flags::{
        edit,
        input::{FlagPatch, NewFlag, archived},
        model::{Flag, FlagItem},
        store,
        uses::{model::Unusable, store as uses_store},
    },
    roles::keys::{FlagsCreate, FlagsDelete, FlagsRead, FlagsUpdate, Permission},
    unit::{Draft, Wish as _},
};

pub fn router() -> Routes {
    endpoints![create, list, show, update, delete]
}

/// Creates a flag. It has no state in any environment yet, so it is disabled everywhere.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags",
    operation_id = "createFlag",
    tag = "flags",
    params(("projectID" = String, Path)),
    request_body = NewFlag,
    responses(
        (status = 201, description = "created", body = Flag),
        (status = 404, description = "unknown project"),
        (status = 409, description = "the key is taken"),
    )
)]
async fn create(
    caller: Editor<FlagsCreate>,
    Path(project): Path<ProjectRef>,
    body: RawBody,
) -> Result<(StatusCode, Published, Warned, Tagged<Flag>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    caller.project(project_id).await?;
    let new = body.parse::<NewFlag>().await?.by(caller.member_id);
    let flag = new.check(caller.clock.now())?;
    let warnings = unusable(&caller, project_id, &flag.prerequisites).await?;
    let (published, flag) = caller
        .write(project_id, async |project| {
            project.warn(&warnings);
            edit::create(project, flag).await
        })
        .await?;
    let warned = Warned(warnings);
    Ok((StatusCode::CREATED, published, warned, Tagged(flag)))
}

#[derive(Debug, Deserialize)]
struct Filter {
    archived: Option<String>,
}

/// Lists the flags of a project, without description, prerequisites and mutual exclusion group: those that are archived, or the
/// others.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags",
    operation_id = "listFlags",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("archived" = Option<bool>, Query, description = "the archived flags, the latest first, instead of the others"),
        Page,
    ),
    responses(
        (status = 200, description = "in creation order", body = Paged<FlagItem>),
        (status = 404, description = "unknown project"),
    )
)]
async fn list(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(filter): Query<Filter>,
    page: Page,
) -> Result<Json<Paged<FlagItem>>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let archived = archived(filter.archived)?;
    let mut conn = caller.db.acquire().await?;
    let listed = if archived {
        store::page_of_archived(&mut conn, caller.org_id, project_id, page).await?
    } else {
        store::page(&mut conn, caller.org_id, project_id, page).await?
    };
    Ok(Json(listed.ok_or(Refusal::from(Missing::Project))?))
}

/// Shows a flag.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    operation_id = "getFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses((status = 200, description = "the flag", body = Flag), (status = 404, description = "unknown"))
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path((project, key)): Path<(ProjectRef, Key)>,
) -> Result<Tagged<Flag>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    Ok(Tagged(caller.flag(project_id, &key).await?))
}

/// Changes the given fields of a flag. `key` and `flag_type` stay as they are. A change of `default_value`, `prerequisites` or
/// `mutual_exclusion_group` needs the permission to edit rules in the environments where it has an effect.
/// With `If-None-Match: *` it creates the flag, which also needs `flags.create`; the body is then that of a creation.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    operation_id = "updateFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    request_body = FlagPatch,
    responses(
        (status = 200, description = "the flag now", body = Flag),
        (status = 201, description = "created", body = Flag),
        (status = 403, description = "it has an effect where the caller may not change flags, or which is protected", body = Guarded),
        (status = 404, description = "unknown"),
        (status = 409, description = "archived"),
    )
)]
async fn update(
    caller: Editor<FlagsUpdate>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
    if_none_match: IfNoneMatch,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(StatusCode, Published, Warned, Tagged<Flag>)>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    if if_none_match.creates(&if_match)? {
        return create_at(&caller, project_id, &key, dry_run.read()?, &body).await;
    }
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let is_dry_run = dry_run.read()?;
    let patch = body.parse::<FlagPatch>().await?.by(caller.member_id);
    let wish = patch.check(&flag)?;
    let wished = wish.apply(&flag);
    let mut warnings = Vec::new();
    if !wished.answers_like(&flag) {
        warnings = required(&caller, project_id, &flag.key).await?;
    }
    if wished.prerequisites != flag.prerequisites {
        warnings.extend(unusable(&caller, project_id, &wished.prerequisites).await?);
    }
    let (id, draft) = (flag.id, Draft::new(wish, flag));
    let outcome = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            project.warn(&warnings);
            edit::update(project, id, draft, &caller, &expected).await
        })
        .await?;
    Ok(
        outcome
            .map(|(published, flag)| (StatusCode::OK, published, Warned(warnings), Tagged(flag))),
    )
}

/// Creates a flag with this key, unless there is one.
async fn create_at(
    caller: &Access,
    project_id: ProjectId,
    key: &Key,
    is_dry_run: bool,
    body: &RawBody,
) -> Result<Outcome<(StatusCode, Published, Warned, Tagged<Flag>)>, ApiError> {
    caller.require(FlagsCreate::NEEDS)?;
    caller.project(project_id).await?;
    let new = body.parse::<NewFlag>().await?.at(key)?;
    let flag = new.by(caller.member_id).check(caller.clock.now())?;
    let exists = async || {
        let found = caller.flag(project_id, key).await.ok();
        found.map(|flag| Refusal::Exists {
            version: flag.version,
        })
    };
    if let Some(refusal) = exists().await {
        return Err(refusal.into());
    }
    let warnings = unusable(caller, project_id, &flag.prerequisites).await?;
    let created = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            project.warn(&warnings);
            edit::create(project, flag).await
        })
        .await;
    match created {
        Ok(outcome) => Ok(outcome.map(|(published, flag)| {
            (
                StatusCode::CREATED,
                published,
                Warned(warnings),
                Tagged(flag),
            )
        })),
        // Created by somebody else meanwhile.
        Err(taken @ Refusal::Conflict(_)) => Err(exists().await.unwrap_or(taken).into()),
        Err(refusal) => Err(refusal.into()),
    }
}

/// Deletes a flag and its states for good, with the permissions to toggle and to edit rules where it has some. Flags that require it
/// fail closed. A flag that is switched on somewhere must be archived or switched off first.
#[utoipa::path(
    delete,
    path = "/v1/projects/{projectID}/flags/{flagKey}",
    operation_id = "deleteFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    responses(
        (status = 204, description = "deleted"),
        (status = 403, description = "it has states where the caller may not change flags, or is on in a protected environment", body = Guarded),
        (status = 404, description = "unknown"),
        (status = 409, description = "not archived, and switched on in an environment"),
    )
)]
async fn delete(
    caller: Editor<FlagsDelete>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
) -> Result<(StatusCode, Warned, Published), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let warnings = required(&caller, project_id, &flag.key).await?;
    let (published, ()) = caller
        .write(project_id, async |project| {
            project.warn(&warnings);
            edit::delete(project, flag.id, &caller, &expected).await
        })
        .await?;
    Ok((StatusCode::NO_CONTENT, Warned(warnings), published))
}

/// Warns about the flags that require one.
async fn required(
    caller: &Access,
    project_id: ProjectId,
    key: &str,
) -> Result<Vec<Warning>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let uses = uses_store::dependants(&mut conn, caller.org_id, project_id, key).await?;
    Ok(uses.warning().into_iter().collect())
}

/// Warns about prerequisites that are met for nobody.
async fn unusable(
    caller: &Access,
    project_id: ProjectId,
    keys: &[String],
) -> Result<Vec<Warning>, ApiError> {
    if keys.is_empty() {
        return Ok(Vec::new());
    }
    let mut conn = caller.db.acquire().await?;
    let found = uses_store::unusable(&mut conn, caller.org_id, project_id, keys).await?;
    Ok(found.iter().map(Unusable::warning).collect())
}
