//! `/jobs`, for the admin address: the state of this replica's background jobs.

use axum::{Json, Router, routing::get};

use base::jobs::Jobs;

pub fn operator(jobs: Jobs) -> Router {
    Router::new().route("/jobs", get(move || async move { Json(jobs.reports()) }))
}
