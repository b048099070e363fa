//! The audit log as marks on charts, with the fields that Grafana expects of an annotation query.

use axum::Json;
use serde::Serialize;
use serde_json::Value;
use serving::{error::ApiError, page::Page, params::Query};
use time::OffsetDateTime;
use utoipa::ToSchema;

use super::{filter::RawFilter, page_of, user_of};
use crate::http::AnyRole;
use base::ids::AuditEntryId;
use domain::{
    audit::{model::AuditEntry, store::search::Words},
    roles::keys::AuditRead,
};

/// More marks make a chart unreadable.
const MOST: Page = Page {
    limit: 100,
    offset: 0,
};

#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Annotations {
    /// The newest first.
    data: Vec<Annotation>,
}

/// A mark on a chart.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Annotation {
    /// The id of the entry.
    id: AuditEntryId,
    /// When.
    #[serde(with = "time::serde::rfc3339")]
    time: OffsetDateTime,
    /// What happened, such as `flag.killed`.
    title: String,
    /// To what, by whom, and the comment: `new-checkout, by Ada: too many errors`.
    text: String,
    /// The word before the dot of the action, and the kind of actor, separated by a comma: `flag,user`.
    tags: String,
}

impl From<AuditEntry> for Annotation {
    fn from(entry: AuditEntry) -> Self {
        let thing = entry.resource_name.or(entry.resource_id);
        let actor = entry.actor_name.as_ref().unwrap_or(&entry.actor_type);
        let mut text = thing.map_or_else(String::new, |thing| format!("{thing}, "));
        text = text + "by " + actor;
        let comment = entry.metadata.as_ref().and_then(|it| it.get("comment"));
        if let Some(comment) = comment.and_then(Value::as_str) {
            text = text + ": " + comment;
        }
        Self {
            id: entry.id,
            time: entry.created_at,
            title: entry.action,
            text,
            tags: format!("{},{}", entry.resource_type, entry.actor_type),
        }
    }
}

/// Lists the newest 100 changes that fit, as annotations for charts. A filter without a valid value matches none.
#[utoipa::path(
    get,
    path = "/v1/audit/annotations",
    operation_id = "listAuditAnnotations",
    tag = "audit",
    params(RawFilter),
    responses(
        (status = 200, description = "as Grafana reads them", body = Annotations),
        (status = 429, description = "too many slow searches at once: with several filters or words"),
    )
)]
pub(super) async fn list(
    caller: AnyRole<AuditRead>,
    Query(filter): Query<RawFilter>,
) -> Result<Json<Annotations>, ApiError> {
    let words = Words::parse(filter.q.as_deref().unwrap_or_default())?;
    let Some(mut filter) = filter.read()? else {
        return Ok(Json(Annotations { data: Vec::new() }));
    };
    filter.actor_id = user_of(&caller, filter.actor_id).await?;
    let entries = page_of(&caller, filter, &words, MOST).await?;
    Ok(Json(Annotations {
        data: entries.data.into_iter().map(Annotation::from).collect(),
    }))
}
