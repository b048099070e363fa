//! The endpoints of usage. Before they read, the connected edges of all replicas are asked to report.

use axum::{
    Json,
    body::Body,
    http::{HeaderValue, header},
    response::{IntoResponse, Response},
};
use serde::{Deserialize, Serialize};
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::{Path, Query},
};
use utoipa::ToSchema;

use crate::http::{Access, AnyRole, AskedPart, Manager, NextPart, PartQuery, Routes, endpoints};
use base::{
    db::Reading,
    ids::{EnvId, ProjectId},
    named::ProjectRef,
    refusal::Missing,
};
use domain::{
    roles::keys::{FlagsRead, MetricsManage, MetricsRead},
    usage::{
        change, defaults, handout,
        input::{DefaultsQuery, FilterQuery, SpanQuery},
        model::{
            AggregatedImpression, DefaultsReport, Evaluations, RawImpression, SeriesReport,
            UnknownFlag,
        },
        series,
        stale::{self, input::StaleQuery, model::StaleFlags},
        store::{counters, impressions, windows},
    },
};
use publish::Publisher;

pub fn router() -> Routes {
    endpoints![
        evaluations,
        reset,
        aggregated,
        flush,
        unknown_flags,
        stale_flags,
        told_defaults,
        series_of_flags
    ]
}

/// Requests usage reports from the connected edges.
async fn refresh(publisher: &Publisher) {
    let patience = publisher.usage().flush_wait();
    publisher.flush_usage(patience).await;
}

/// Begins to read counters under a permit of the organization: there may be tens of thousands.
async fn begin(caller: &Access) -> Result<Reading, ApiError> {
    let permit = caller.heavy_pages.enter(caller.org_id).await?;
    let mut tx = caller.db.begin_reading().await?;
    tx.hold(permit);
    Ok(tx)
}

/// Shows how often each flag was evaluated, with which reason, in the current window. Where there are more counters than an
/// answer has, `Link` leads to the next part. A filter without a valid value, such as an id that is not a UUID, matches no counter.
#[utoipa::path(
    get,
    path = "/v1/metrics/evaluations",
    operation_id = "getEvaluationCounts",
    tag = "metrics",
    params(FilterQuery, PartQuery),
    responses((status = 200, description = "the counters of the organization", body = Evaluations))
)]
async fn evaluations(
    caller: Manager<MetricsRead>,
    Query(query): Query<FilterQuery>,
    AskedPart(part): AskedPart,
) -> Result<(NextPart, Json<Evaluations>), ApiError> {
    refresh(&caller.publisher).await;
    let org_id = caller.org_id;
    let mut tx = begin(&caller).await?;
    let window_start = windows::get_start(&mut tx, org_id).await?;
    let ((total, total_evaluations), counters) = match query.read() {
        Some(filter) => (
            counters::total(&mut tx, org_id, &filter).await?,
            counters::list(&mut tx, org_id, &filter, part).await?,
        ),
        None => ((0, 0), Vec::new()),
    };
    let (path, filters) = ("/v1/metrics/evaluations", query.sent());
    let next = NextPart::after(path, filters, part, counters.len(), total);
    let answer = Evaluations {
        total_evaluations,
        window_start,
        counters,
    };
    Ok((next, Json(answer)))
}

/// The answer to a reset.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ResetEvaluations)]
struct Reset {
    /// Always `reset`.
    status: &'static str,
}

/// Clears all counters and starts a new window. Where there are more than 10,000 counters, the audit log has an entry for each
/// 10,000 of them.
#[utoipa::path(
    post,
    path = "/v1/metrics/evaluations/reset",
    operation_id = "resetEvaluationCounts",
    tag = "metrics",
    responses((status = 200, description = "a new window has begun", body = Reset))
)]
async fn reset(caller: Manager<MetricsManage>) -> Result<Json<Reset>, ApiError> {
    refresh(&caller.publisher).await;
    loop {
        let mut unit = caller.begin().await?;
        let recorded = change::reset(&mut unit).await?;
        let (_, reset) = caller.commit(unit, recorded).await?;
        if reset == change::Reset::Done {
            return Ok(Json(Reset { status: "reset" }));
        }
    }
}

/// Shows how often each variant was shown, in the impressions that are kept. Where there are more variants than an answer
/// has, `Link` leads to the next part. A filter without a valid value matches no impression.
#[utoipa::path(
    get,
    path = "/v1/metrics/impressions",
    operation_id = "listImpressions",
    tag = "metrics",
    params(FilterQuery, PartQuery),
    responses((status = 200, description = "by flag key and variant key", body = [AggregatedImpression]))
)]
async fn aggregated(
    caller: Manager<MetricsRead>,
    Query(query): Query<FilterQuery>,
    AskedPart(part): AskedPart,
) -> Result<(NextPart, Json<Vec<AggregatedImpression>>), ApiError> {
    refresh(&caller.publisher).await;
    let (total, listed) = match query.read() {
        Some(filter) => {
            let mut tx = begin(&caller).await?;
            (
                impressions::count_aggregated(&mut tx, caller.org_id, &filter).await?,
                impressions::aggregate(&mut tx, caller.org_id, &filter, part).await?,
            )
        }
        None => (0, Vec::new()),
    };
    let (path, filters) = ("/v1/metrics/impressions", query.sent());
    let next = NextPart::after(path, filters, part, listed.len(), total);
    Ok((next, Json(listed)))
}

/// Returns the stored impressions and deletes them: each is returned once. An interrupted answer deletes none: a minute later they
/// are returned again. While one flush is being answered, others get none.
#[utoipa::path(
    post,
    path = "/v1/metrics/impressions/flush",
    operation_id = "flushImpressions",
    tag = "metrics",
    responses((status = 200, description = "in the order of receipt", body = [RawImpression]))
)]
async fn flush(caller: Manager<MetricsManage>) -> Result<Response, ApiError> {
    refresh(&caller.publisher).await;
    let mut unit = caller.begin().await?;
    let recorded = handout::claim(&mut unit).await?;
    let (_, claim) = caller.commit(unit, recorded).await?;
    let pieces = handout::body(
        caller.db.clone(),
        caller.clock.clone(),
        caller.org_id,
        claim,
    );
    let json = HeaderValue::from_static("application/json");
    Ok(([(header::CONTENT_TYPE, json)], Body::from_stream(pieces)).into_response())
}

/// Which environment to report on, or the project of all that are.
#[derive(Debug, Deserialize)]
struct Place {
    env_id: Option<String>,
    project_id: Option<String>,
}

impl Place {
    /// The project, and the environment if only one is meant.
    async fn find(self, caller: &Access) -> Result<(ProjectId, Option<EnvId>), ApiError> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        if let Some(text) = given(self.env_id) {
            let env_id = EnvId::parse(&text).ok_or(Missing::Environment)?;
            return Ok((caller.project_of_env(env_id).await?, Some(env_id)));
        }
        let text = given(self.project_id)
            .ok_or_else(|| ApiError::bad_request("env_id or project_id is required"))?;
        let project_id = caller.project_id(&ProjectRef::parse(&text)).await?;
        Ok((caller.project(project_id).await?.id, None))
    }
}

/// Lists the keys without a flag that SDKs evaluated in an environment, or in all of a project, in the current window.
#[utoipa::path(
    get,
    path = "/v1/metrics/unknown-flags",
    operation_id = "listUnknownFlags",
    tag = "metrics",
    params(
        ("env_id" = Option<EnvId>, Query, description = "the environment"),
        ("project_id" = Option<String>, Query, description = "without `env_id`: the project, by id or slug"),
        Page,
    ),
    responses(
        (status = 200, description = "by key and environment", body = Paged<UnknownFlag>),
        (status = 400, description = "neither `env_id` nor `project_id`"),
        (status = 404, description = "unknown environment or project"),
    )
)]
async fn unknown_flags(
    caller: Manager<MetricsRead>,
    Query(place): Query<Place>,
    page: Page,
) -> Result<Json<Paged<UnknownFlag>>, ApiError> {
    let (project_id, env_id) = place.find(&caller).await?;
    let org_id = caller.org_id;

    refresh(&caller.publisher).await;
    let mut tx = begin(&caller).await?;
    let listed = counters::list_unknown(&mut tx, org_id, project_id, env_id, page).await?;
    let total = counters::count_unknown(&mut tx, org_id, project_id, env_id).await?;
    Ok(Json(Paged::new(listed, total, page)))
}

/// Lists flags that may go, with the reasons: for 30 days, or as long as is asked for, nothing evaluated them, they served one value,
/// or they have been on for everyone or off everywhere. Permanent flags and those that are no older are left out.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/stale-flags",
    operation_id = "listStaleFlags",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("reason" = Option<String>, Query, description = "`not_evaluated`, `one_value`, `fully_on` or `fully_off`; any when absent"),
        ("env_id" = Option<String>, Query, description = "reasons that hold in this environment, by id or slug"),
        ("days" = Option<i64>, Query, description = "how long a reason has to have held: 7 to 365, 30 when absent"),
        Page,
    ),
    responses(
        (status = 200, description = "those with a reason that holds everywhere first, by key", body = StaleFlags),
        (status = 404, description = "unknown project, or an environment that it does not have"),
    )
)]
async fn stale_flags(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(query): Query<StaleQuery>,
    page: Page,
) -> Result<Json<StaleFlags>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let env_id = caller.filtered_env(project_id, query.environment()).await?;
    let filter = query.read(env_id)?;
    let (org_id, now) = (caller.org_id, caller.clock.now());
    let mut tx = begin(&caller).await?;
    let listed = stale::read(&mut tx, org_id, project_id, &filter, page, now).await?;
    Ok(Json(listed))
}

/// Shows what callers would use without answers, as far as they told it: for each flag and service the default, how many answers it was
/// told with, how many of these had another value, and where defaults disagree.
#[utoipa::path(
    get,
    path = "/v1/projects/{projectID}/defaults",
    operation_id = "listDefaults",
    tag = "flags",
    params(
        ("projectID" = String, Path),
        ("env_id" = Option<String>, Query, description = "in this environment, by id or slug"),
        ("flag_key" = Option<String>, Query, description = "of this flag"),
        ("days" = Option<i64>, Query, description = "1 to 31, 7 when absent; days of UTC, with today"),
    ),
    responses(
        (status = 200, description = "those with the most answers that differ first", body = DefaultsReport),
        (status = 404, description = "unknown project, or an environment that it does not have"),
    )
)]
async fn told_defaults(
    caller: AnyRole<FlagsRead>,
    Path(project): Path<ProjectRef>,
    Query(query): Query<DefaultsQuery>,
) -> Result<Json<DefaultsReport>, ApiError> {
    let project_id = caller.project_id(&project).await?;
    let env_id = caller.filtered_env(project_id, query.environment()).await?;
    let project_id = caller.project(project_id).await?.id;
    let filter = query.read(env_id)?;
    let (org_id, now) = (caller.org_id, caller.clock.now());
    let mut tx = begin(&caller).await?;
    let report = defaults::read(&mut tx, org_id, project_id, &filter, now).await?;
    Ok(Json(report))
}

/// Shows how often flags served which value, for which reason, over time. Without `flag_key` there are at most 300 points, else
/// 2,000; at most 50 series. A reset of the counters does not change it. A filter without a valid value matches no series.
#[utoipa::path(
    get,
    path = "/v1/metrics/series",
    operation_id = "getEvaluationSeries",
    tag = "metrics",
    params(FilterQuery, SpanQuery),
    responses(
        (status = 200, description = "those with the most evaluations first", body = SeriesReport),
        (status = 400, description = "no such step, no times, or times too far apart"),
    )
)]
async fn series_of_flags(
    caller: Manager<MetricsRead>,
    Query(filters): Query<FilterQuery>,
    Query(span): Query<SpanQuery>,
) -> Result<Json<SeriesReport>, ApiError> {
    let span = span.check(filters.names_flag(), caller.clock.now())?;
    refresh(&caller.publisher).await;
    let Some(filter) = filters.read() else {
        return Ok(Json(SeriesReport::empty(span.step)));
    };
    let mut tx = begin(&caller).await?;
    Ok(Json(
        series::read(&mut tx, caller.org_id, &filter, &span).await?,
    ))
}
