//! `/jobs`, for the admin address: how the background work of this replica goes.

use axum::{Json, Router, routing::get};

use base::jobs::Jobs;

/// Answers with the report of each job.
pub fn operator(jobs: Jobs) -> Router {
    Router::new().route("/jobs", get(move || async move { Json(jobs.reports()) }))
}
