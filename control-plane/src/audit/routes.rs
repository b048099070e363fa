//! Reading the audit trail.

use axum::{Json, extract::State};
use serde::Deserialize;
use serving::{
    error::ApiError,
    page::{Page, Paged},
    params::Query,
};
use utoipa_axum::router::OpenApiRouter;

use super::{
    model::{AuditEntry, Filter},
    paging,
};
use crate::{
    http::{access::AnyRole, endpoints},
    ids::{AuditEntryId, ProjectId, UserId},
    roles::keys::AuditRead,
    state::AppState,
};

pub fn router() -> OpenApiRouter<AppState> {
    endpoints![list]
}

/// Filters as sent. An empty one counts as absent.
#[derive(Debug, Deserialize)]
struct RawFilter {
    project_id: Option<String>,
    action: Option<String>,
    resource_type: Option<String>,
    resource_id: Option<String>,
    actor_id: Option<String>,
    before: Option<String>,
}

impl RawFilter {
    /// `None` if nothing can match, because a text is not an id.
    fn read(self) -> Option<Filter> {
        let given = |text: Option<String>| text.filter(|text| !text.is_empty());
        Some(Filter {
            project_id: match given(self.project_id) {
                Some(text) => Some(ProjectId::parse(&text)?),
                None => None,
            },
            action: given(self.action),
            resource_type: given(self.resource_type),
            // Ids are stored in lower case and may be given in either.
            resource_id: given(self.resource_id).map(|text| text.to_ascii_lowercase()),
            actor_id: match given(self.actor_id) {
                Some(text) => Some(UserId::parse(&text)?),
                None => None,
            },
            before: match given(self.before) {
                Some(text) => Some(AuditEntryId::parse(&text)?),
                None => None,
            },
        })
    }
}

/// Lists what was changed in the organization, and by whom. A filter that names nothing, such as an id that is no UUID, is met by
/// no entry. `total` is counted up to 10,000; where there are more, it is the number of those that are known.
#[utoipa::path(
    get,
    path = "/v1/audit",
    tag = "audit",
    params(
        ("project_id" = Option<String>, Query, description = "entries of a project, deleted or not"),
        ("action" = Option<String>, Query, description = "entries with this action, such as `flag.killed`"),
        ("resource_type" = Option<String>, Query, description = "entries whose action begins with this word, such as `flag`"),
        ("resource_id" = Option<String>, Query, description = "entries about a thing"),
        ("actor_id" = Option<String>, Query, description = "entries of a user"),
        ("before" = Option<String>, Query, description = "entries older than this one, by its id; far back this is much quicker than an offset"),
        Page,
    ),
    responses(
        (status = 200, description = "newest first", body = Paged<AuditEntry>),
        (status = 429, description = "too many pages at once that take long: beyond an offset of 100,000, or of several filters"),
    )
)]
async fn list(
    State(state): State<AppState>,
    caller: AnyRole<AuditRead>,
    Query(filter): Query<RawFilter>,
    page: Page,
) -> Result<Json<Paged<AuditEntry>>, ApiError> {
    let Some(filter) = filter.read() else {
        return Ok(Json(Paged::new(Vec::new(), 0, page)));
    };
    let entries = paging::page(&state.db, &state.far_pages, caller.org_id, &filter, page).await?;
    Ok(Json(entries))
}
