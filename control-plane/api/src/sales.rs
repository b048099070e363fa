//! The endpoint of sales inquiries.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{body::Body, error::ApiError};
use utoipa::ToSchema;
use utoipa_axum::router::OpenApiRouter;

use crate::{
    http::{endpoints, rates::Inquirer},
    state::AppState,
};
use domain::sales::model::RawInquiry;

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![inquire]
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReceivedInquiry)]
struct Received {
    message: &'static str,
}

/// Takes an inquiry of somebody who wants to buy.
#[utoipa::path(
    post,
    path = "/v1/sales/inquiry",
    operation_id = "createSalesInquiry",
    tag = "sales",
    security(()),
    request_body = RawInquiry,
    responses((status = 201, description = "it will be answered by mail", body = Received))
)]
async fn inquire(
    State(state): State<AppState>,
    _client: Inquirer,
    Body(body): Body<RawInquiry>,
) -> Result<(StatusCode, Json<Received>), ApiError> {
    let inquiry = body.check()?;
    let now = state.clock.now();
    domain::sales::receive(&state.db, &state.mailer, &state.sales, &inquiry, now).await?;
    let received = Received {
        message: "inquiry received",
    };
    Ok((StatusCode::CREATED, Json(received)))
}
