//! The endpoints of migration.

use std::sync::Arc;

use std::time::Duration;

use axum::{Json, extract::State, http::StatusCode};
use serde::Deserialize;
use serving::{
    body::Body,
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};

use crate::http::{
    AnyPlan, DryRunQuery, Manager, Outcome, Routes, Warned, endpoints,
    rates::{
        MigrationAnalyze, MigrationConnect, MigrationExecute, MigrationIdentities,
        MigrationProviders, MigrationStatus,
    },
};
use base::{
    blocking::blocking,
    ids::MigrationId,
    named::ProjectRef,
    refusal::{Missing, Refusal},
};
use domain::{
    migration::{
        Migrations, PlanTotals, Prepared,
        answers::{
            Analysis, Connected, Details, Identities, ProviderInfo, Providers, Started, Summary,
        },
        flagsmith,
        input::SourceInput,
        model::{Counts, Migration, MigrationSummary, Provider, Report, Verdict},
        store,
    },
    roles::keys::MigrationRun,
};

/// Time limit of a short request to a source.
const BRIEFLY: Duration = Duration::from_secs(30);
/// Time limit of an analysis, which reads everything.
const ANALYSIS: Duration = Duration::from_secs(120);

pub fn router() -> Routes {
    endpoints![
        providers, connect, analyze, execute, status, identities, list, report, end
    ]
}

/// An optional body without fields.
#[derive(Deserialize)]
struct NoFields {}

/// Lists the platforms that flags are imported from.
#[utoipa::path(
    post,
    path = "/v1/migration/providers",
    operation_id = "listMigrationProviders",
    tag = "migration",
    responses((status = 200, description = "the platforms", body = Providers))
)]
async fn providers(
    _caller: Manager<MigrationRun, AnyPlan, MigrationProviders>,
    Body(NoFields {}): Body<NoFields>,
) -> Json<Providers> {
    let providers = Provider::ALL.map(|provider| ProviderInfo {
        name: provider.as_str(),
        display_name: provider.display_name(),
        capabilities: provider.capabilities(),
    });
    Json(Providers { providers })
}

/// Checks that a source can be read: its address, the credential and the project.
#[utoipa::path(
    post,
    path = "/v1/migration/connect",
    operation_id = "connectMigrationSource",
    tag = "migration",
    request_body = SourceInput,
    responses(
        (status = 200, description = "the source can be read", body = Connected),
        (status = 502, description = "the source cannot be reached, fails, or sends an unreadable answer"),
        (status = 503, description = "too many sources are being read"),
    )
)]
async fn connect(
    State(migrations): State<Arc<Migrations>>,
    caller: Manager<MigrationRun, AnyPlan, MigrationConnect>,
    Body(body): Body<SourceInput>,
) -> Result<Json<Connected>, ApiError> {
    let checked = body.check(&migrations.guard, &migrations.settings)?;
    migrations
        .with_source(&caller, &checked, BRIEFLY, async |source| {
            Ok(source.connect().await?)
        })
        .await?;
    Ok(Json(Connected {
        status: "connected",
        provider: checked.provider,
    }))
}

/// Reads a source and reports, item by item, the result of an import. Imports nothing.
#[utoipa::path(
    post,
    path = "/v1/migration/analyze",
    operation_id = "analyzeMigration",
    tag = "migration",
    request_body = SourceInput,
    responses(
        (status = 200, description = "the outcome of an import", body = Analysis),
        (status = 404, description = "unknown project"),
        (status = 502, description = "the source cannot be reached, fails, or sends an unreadable answer"),
        (status = 503, description = "too many sources are being read"),
    )
)]
async fn analyze(
    State(migrations): State<Arc<Migrations>>,
    caller: Manager<MigrationRun, AnyPlan, MigrationAnalyze>,
    Body(body): Body<SourceInput>,
) -> Result<Json<Analysis>, ApiError> {
    let project_id = caller.project_id(&body.target()?).await?;
    caller.project(project_id).await?;
    let checked = body.check(&migrations.guard, &migrations.settings)?;
    let analysis = migrations
        .with_source(&caller, &checked, ANALYSIS, async |source| {
            let prepared = migrations.prepare(caller.org_id, project_id, &source);
            Ok(analysis(prepared.await?, checked.provider))
        })
        .await?;
    Ok(Json(analysis))
}

fn analysis(prepared: Prepared, provider: Provider) -> Analysis {
    let Prepared { totals, compared } = prepared;
    let PlanTotals {
        counts,
        segments,
        environments,
        flags,
        chosen,
    } = totals;
    let items: Vec<_> = compared.items().collect();
    Analysis {
        status: "analyzed",
        summary: Summary {
            total_flags: flags,
            total_environments: environments.len(),
            total_segments: segments,
            source_system: provider,
        },
        details: Details {
            counts,
            environments,
            mapped_environments: chosen,
            verdicts: Counts::of(&items),
            items,
        },
    }
}

/// Begins to import from a source, in the background.
#[utoipa::path(
    post,
    path = "/v1/migration/execute",
    operation_id = "startMigration",
    tag = "migration",
    request_body = SourceInput,
    responses(
        (status = 200, description = "the import has begun", body = Started),
        (status = 404, description = "unknown project"),
        (status = 409, description = "an import into the project is running, or two of the organization"),
        (status = 502, description = "the source cannot be reached, fails, or sends an unreadable answer"),
        (status = 503, description = "too many sources are being read, or too many imports are running"),
    )
)]
async fn execute(
    State(migrations): State<Arc<Migrations>>,
    caller: Manager<MigrationRun, AnyPlan, MigrationExecute>,
    dry_run: DryRunQuery,
    Body(body): Body<SourceInput>,
) -> Result<Outcome<Json<Started>>, ApiError> {
    let is_dry_run = dry_run.read()?;
    let project_id = caller.project_id(&body.target()?).await?;
    caller.project(project_id).await?;
    let checked = body.check(&migrations.guard, &migrations.settings)?;
    migrations.refuse_second(&caller, project_id).await?;
    if is_dry_run {
        let planned = migrations
            .with_source(&caller, &checked, ANALYSIS, async |source| {
                let prepared = migrations.prepare(caller.org_id, project_id, &source);
                let Prepared { compared, .. } = prepared.await?;
                Ok(blocking(move || compared.dry_run()).await)
            })
            .await?;
        return Ok(Outcome::Planned(planned, Warned(Vec::new())));
    }
    let totals = migrations
        .with_source(&caller, &checked, BRIEFLY, async |source| {
            Ok(source.totals().await?)
        })
        .await?;
    let id = migrations
        .start(&caller, project_id, checked, totals.flags)
        .await?;
    Ok(Outcome::Done(Json(Started {
        status: "started",
        migration_id: id,
        total_flags: totals.flags,
        total_environments: totals.environments,
    })))
}

/// Shows the progress of an import.
#[utoipa::path(
    get,
    path = "/v1/migration/status/{id}",
    operation_id = "getMigration",
    tag = "migration",
    params(("id" = MigrationId, Path)),
    responses(
        (status = 200, description = "the import", body = Migration),
        (status = 404, description = "unknown"),
    )
)]
async fn status(
    caller: Manager<MigrationRun, AnyPlan, MigrationStatus>,
    Path(id): Path<MigrationId>,
) -> Result<Json<Migration>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    let found = store::find(&mut conn, caller.org_id, id).await?;
    Ok(Json(found.ok_or(Missing::Migration)?))
}

/// Ends a running import. Imported items stay.
#[utoipa::path(
    delete,
    path = "/v1/migration/{id}",
    operation_id = "endMigration",
    tag = "migration",
    params(("id" = MigrationId, Path)),
    responses(
        (status = 204, description = "the import has been ended; its status is `failed`"),
        (status = 404, description = "unknown"),
        (status = 409, description = "the import has ended by itself"),
    )
)]
async fn end(
    State(migrations): State<Arc<Migrations>>,
    caller: Manager<MigrationRun>,
    Path(id): Path<MigrationId>,
) -> Result<StatusCode, ApiError> {
    migrations.end_early(&caller, id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Lists the identities of an environment of Flagsmith that have values of their own. `execute` imports them as rules.
#[utoipa::path(
    post,
    path = "/v1/migration/identities",
    operation_id = "listMigrationIdentities",
    tag = "migration",
    request_body = SourceInput,
    responses(
        (status = 200, description = "the identities", body = Identities),
        (status = 502, description = "the source cannot be reached, fails, or sends an unreadable answer"),
        (status = 503, description = "too many sources are being read"),
    )
)]
async fn identities(
    State(migrations): State<Arc<Migrations>>,
    caller: Manager<MigrationRun, AnyPlan, MigrationIdentities>,
    Body(body): Body<SourceInput>,
) -> Result<Json<Identities>, ApiError> {
    let env_id = body.env_id();
    let checked = body.check(&migrations.guard, &migrations.settings)?;
    if checked.provider != Provider::Flagsmith {
        return Err(
            Refusal::invalid("provider must be provider_c, which alone has identities").into(),
        );
    }
    let env_id = env_id?;
    let identities = migrations
        .with_source(&caller, &checked, BRIEFLY, async |source| {
            Ok(flagsmith::identities(&source.api, env_id).await?)
        })
        .await?;
    Ok(Json(Identities {
        provider: checked.provider,
        env_id,
        total: identities.len(),
        identities,
    }))
}

/// Which imports are listed.
#[derive(Deserialize, utoipa::IntoParams)]
struct Listed {
    /// Only those into this project, by id or slug.
    target_project_id: Option<String>,
}

/// Lists the imports of the organization.
#[utoipa::path(
    get,
    path = "/v1/migration",
    operation_id = "listMigrations",
    tag = "migration",
    params(Listed, Page),
    responses((status = 200, description = "a page, the newest first", body = Paged<MigrationSummary>))
)]
async fn list(
    caller: Manager<MigrationRun>,
    Query(listed): Query<Listed>,
    page: Page,
) -> Result<Json<Paged<MigrationSummary>>, ApiError> {
    let project_id = match listed.target_project_id {
        None => None,
        Some(text) => Some(caller.project_id(&ProjectRef::parse(&text)).await?),
    };
    let mut conn = caller.db.acquire().await?;
    let listed = store::page(&mut conn, caller.org_id, project_id, page).await?;
    Ok(Json(listed))
}

/// Which items are shown.
#[derive(Deserialize, utoipa::IntoParams)]
struct Shown {
    /// Only those of this verdict: `exact`, `approximated` or `skipped`.
    verdict: Option<String>,
}

/// Shows the outcome of each item of an import.
#[utoipa::path(
    get,
    path = "/v1/migration/{id}/report",
    operation_id = "getMigrationReport",
    tag = "migration",
    params(("id" = MigrationId, Path), Shown, Page),
    responses(
        (status = 200, description = "a page, in the order in which items were decided", body = Report),
        (status = 404, description = "unknown"),
    )
)]
async fn report(
    caller: Manager<MigrationRun>,
    Path(id): Path<MigrationId>,
    Query(shown): Query<Shown>,
    page: Page,
) -> Result<Json<Report>, ApiError> {
    let mut conn = caller.db.acquire().await?;
    if !store::exists(&mut conn, caller.org_id, id).await? {
        return Err(Missing::Migration.into());
    }
    let verdict = shown.verdict.as_deref().map(Verdict::parse).transpose()?;
    let (counts, items) = store::report(&mut conn, caller.org_id, id, verdict, page).await?;
    Ok(Json(Report {
        migration_id: id,
        counts,
        items,
    }))
}
