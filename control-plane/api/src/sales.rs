//! The endpoint of sales inquiries.

use axum::{Json, extract::State, http::StatusCode};
use serde::Serialize;
use serving::{body::Body, clock::Clock, error::ApiError};
use utoipa::ToSchema;

use crate::http::{Routes, endpoints, rates::Inquirer};
use base::{db::Db, mail::Mailer};
use domain::sales::{model::RawInquiry, settings::SalesSettings};

pub fn router() -> Routes {
    endpoints![inquire]
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = ReceivedInquiry)]
struct Received {
    message: &'static str,
}

/// Takes an inquiry of a person who wants to buy.
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
    State(db): State<Db>,
    State(clock): State<Clock>,
    State(mailer): State<Mailer>,
    State(sales): State<SalesSettings>,
    _client: Inquirer,
    Body(body): Body<RawInquiry>,
) -> Result<(StatusCode, Json<Received>), ApiError> {
    let inquiry = body.check()?;
    let now = clock.now();
    domain::sales::receive(&db, &mailer, &sales, &inquiry, now).await?;
    let received = Received {
        message: "inquiry received",
    };
    Ok((StatusCode::CREATED, Json(received)))
}
