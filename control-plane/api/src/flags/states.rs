//! The endpoints of flag states: show, update, promote, kill.

use serde::{Deserialize, Serialize};
use serving::{body::RawBody, error::ApiError, params::Path};
use utoipa::ToSchema;

use crate::http::{
    Access, AnyRole, DryRunQuery, Editor, IfMatch, Outcome, Published, Routes, Tagged, Versioned,
    Warned, endpoints,
};
use base::{
    blocking::blocking,
    ids::ProjectId,
    input::{Invalid, Key, all_given, has_text, required},
    named::{EnvRef, ProjectRef},
    refusal::{Guarded, Missing},
};
use domain::{
    flags::{
        change::{self, Authority, Place, Promotion},
        states::{input::StatePatch, model::FlagState, store::Located},
    },
    roles::keys::{FlagsKill, FlagsPromote, FlagsRead, FlagsToggleOrEditRules},
    unit::Draft,
};

pub fn router() -> Routes {
    endpoints![show, update, promote, kill]
}

/// A flag's state in an environment: the stored one, or the fact that there is none.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FlagStateOrNone)]
#[serde(untagged)]
enum ShownState {
    Stored(Box<FlagState>),
    Never { enabled: bool },
}

impl Versioned for ShownState {
    fn version(&self) -> i64 {
        match self {
            Self::Stored(state) => state.version,
            Self::Never { .. } => 0,
        }
    }
}

/// Shows the state of a flag in an environment; `{"enabled": false}` when none was ever stored.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
    operation_id = "getFlagState",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path), ("envID" = String, Path)),
    responses((status = 200, description = "the state", body = ShownState), (status = 404, description = "unknown"))
)]
async fn show(
    caller: AnyRole<FlagsRead>,
    Path((project, key, env)): Path<(ProjectRef, Key, EnvRef)>,
) -> Result<Tagged<ShownState>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    let located = caller.located(project_id, &key, env_id).await?;
    let never = ShownState::Never { enabled: false };
    let stored = located.state.map(Box::new).map(ShownState::Stored);
    Ok(Tagged(stored.unwrap_or(never)))
}

/// Changes the given fields of a state; creates it when there is none. All is checked before anything is stored. In a protected
/// environment the answer is 403 with the request for approval that leads to the same change.
#[utoipa::path(
    put,
    path = "/v1/projects/{projectID}/flags/{flagKey}/environments/{envID}",
    operation_id = "updateFlagState",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path), ("envID" = String, Path)),
    request_body = StatePatch,
    responses(
        (status = 200, description = "the state now", body = FlagState),
        (status = 403, description = "the environment is protected: `approval_required`", body = Guarded),
        (status = 404, description = "unknown"),
        (status = 409, description = "the flag is archived"),
    )
)]
async fn update(
    caller: Editor<FlagsToggleOrEditRules>,
    Path((project, key, env)): Path<(ProjectRef, Key, EnvRef)>,
    if_match: IfMatch,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(Published, Warned, Tagged<FlagState>)>, ApiError> {
    let (project_id, env_id) = caller.ids(&project, &env).await?;
    let Located {
        flag_id,
        flag_type,
        read_at,
        state: stored,
        ..
    } = caller.located(project_id, &key, env_id).await?;
    let expected = if_match.read()?;
    let is_dry_run = dry_run.read()?;
    let place = Place { flag_id, env_id };
    let now = caller.clock.now();
    // Parse only after admission: the parsed body is many times larger.
    let check = move || {
        let wish = body.parse_here::<StatePatch>()?.check(flag_type, now)?;
        Ok::<_, ApiError>(Draft::new(wish, stored).read_at(read_at))
    };
    let draft = caller.checks.run(caller.org_id, check).await??;
    let authority = Authority::Member(&caller);
    let outcome = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            change::update(project, place, draft, authority, &expected).await
        })
        .await?;
    Ok(outcome
        .map(|(published, (updated, warnings))| (published, Warned(warnings), Tagged(updated))))
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FlagPromotion)]
struct Promote {
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    source_env_id: Option<String>,
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    target_env_id: Option<String>,
    /// Whether the variants are copied too; `false` when absent.
    variants: Option<bool>,
}

/// Copies toggle, default value, rules and rollout of a state into another environment, and its variants if asked to.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/promote",
    operation_id = "promoteFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    request_body = Promote,
    responses(
        (status = 200, description = "the target's state now", body = FlagState),
        (status = 403, description = "the target is protected: `approval_required`", body = Guarded),
        (status = 404, description = "unknown, or nothing stored in the source"),
        (status = 409, description = "the flag is archived"),
    )
)]
async fn promote(
    caller: Editor<FlagsPromote>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
    dry_run: DryRunQuery,
    body: RawBody,
) -> Result<Outcome<(Published, Warned, Tagged<FlagState>)>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let is_dry_run = dry_run.read()?;
    let body: Promote = body.parse().await?;
    all_given([
        ("source_env_id", has_text(&body.source_env_id)),
        ("target_env_id", has_text(&body.target_env_id)),
    ])?;
    let place = async |text: String| {
        let env_id = caller.env_id(project_id, &EnvRef::parse(&text)).await;
        let flag_id = flag.id;
        env_id.map(|env_id| Place { flag_id, env_id })
    };
    let source_id = required("source_env_id", body.source_env_id)?;
    let target_id = required("target_env_id", body.target_env_id)?;
    let is_same = source_id.eq_ignore_ascii_case(&target_id);
    let must_differ = || Invalid::new("source_env_id and target_env_id must differ");
    if is_same {
        return Err(must_differ().into());
    }
    let source = place(source_id).await?;
    let target = place(target_id).await?;
    if source == target {
        return Err(must_differ().into());
    }
    let promotion = Promotion {
        variants: body.variants.unwrap_or(false),
    };
    let draft = promoted(&caller, project_id, &key, (source, target), promotion).await?;
    let authority = Authority::Member(&caller);
    let outcome = caller
        .write_or_try(is_dry_run, project_id, async |project| {
            change::promote(project, source.env_id, target, draft, authority, &expected).await
        })
        .await?;
    Ok(outcome
        .map(|(published, (promoted, warnings))| (published, Warned(warnings), Tagged(promoted))))
}

/// The copy of a flag's state in one place for another.
pub(super) async fn promoted(
    caller: &Access,
    project_id: ProjectId,
    key: &Key,
    (source, target): (Place, Place),
    promotion: Promotion,
) -> Result<Draft<Promotion>, ApiError> {
    let located = async |place: Place| {
        let found = caller.located(project_id, key, place.env_id).await;
        found.map(|located| located.state)
    };
    let copied = located(source).await?;
    let stored = located(target).await?;
    let copied = copied.ok_or(Missing::SourceState)?;
    Ok(blocking(move || Draft::new(promotion, (copied, stored))).await)
}

#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = FlagKill)]
struct Kill {
    /// Required: an id or a slug.
    #[schema(value_type = String)]
    env_id: Option<String>,
}

/// Switches a flag off in an environment, now, protected or not. May be repeated.
#[utoipa::path(
    post,
    path = "/v1/projects/{projectID}/flags/{flagKey}/kill",
    operation_id = "killFlag",
    tag = "flags",
    params(("projectID" = String, Path), ("flagKey" = String, Path)),
    request_body = Kill,
    responses(
        (status = 200, description = "the state now", body = FlagState),
        (status = 404, description = "unknown"),
        (status = 409, description = "the flag is archived"),
    )
)]
async fn kill(
    caller: Editor<FlagsKill>,
    Path((project, key)): Path<(ProjectRef, Key)>,
    if_match: IfMatch,
    body: RawBody,
) -> Result<(Published, Tagged<FlagState>), ApiError> {
    let project_id = caller.project_id(&project).await?;
    let flag = caller.flag(project_id, &key).await?;
    let expected = if_match.read()?;
    let env_id = required("env_id", body.parse::<Kill>().await?.env_id)?;
    let env_id = caller.env_id(project_id, &EnvRef::parse(&env_id)).await?;
    let place = Place {
        flag_id: flag.id,
        env_id,
    };
    let authority = Authority::Member(&caller);
    let (published, killed) = caller
        .write(project_id, async |project| {
            change::kill(project, place, authority, &expected).await
        })
        .await?;
    Ok((published, Tagged(killed)))
}
