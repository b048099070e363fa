//! The endpoint of searches.

use axum::Json;
use serde::Deserialize;
use serving::{error::ApiError, page::Page, params::Query};

use crate::http::{AnyRole, Routes, endpoints};
use base::{input::Invalid, named::ProjectRef};
use domain::{roles::keys::NoKey, search::model::SearchResults};

/// Longer texts occur in no name that a person would search for.
const MAX_TEXT: usize = 200;

pub fn router() -> Routes {
    endpoints![search]
}

#[derive(Debug, Deserialize)]
struct Asked {
    q: Option<String>,
    project_id: Option<String>,
}

impl Asked {
    fn text(&mut self) -> Result<String, Invalid> {
        let text = self.q.take().unwrap_or_default();
        let text = text.trim();
        if text.is_empty() {
            return Err(Invalid::new("q is required"));
        }
        if text.chars().count() > MAX_TEXT {
            return Err(Invalid::new(format!(
                "q must be at most {MAX_TEXT} characters"
            )));
        }
        Ok(text.to_owned())
    }
}

/// Finds flags, segments, environments, projects and members by words in their key or name, flags also in their description and tags;
/// all words must occur, in any order and case. Those that the caller may not read are left out.
#[utoipa::path(
    get,
    path = "/v1/search",
    operation_id = "findByName",
    tag = "projects",
    params(
        ("q" = String, Query, description = "words, each a part of a key, slug, address or name; at most 200 characters"),
        ("project_id" = Option<String>, Query, description = "only matches in this project, by id or slug"),
        ("limit" = Option<i64>, Query, description = "how many at most: 1 to 100, 50 when absent"),
    ),
    responses((status = 200, description = "the matches", body = SearchResults), (status = 404, description = "unknown project"))
)]
async fn search(
    caller: AnyRole<NoKey>,
    Query(mut asked): Query<Asked>,
    page: Page,
) -> Result<Json<SearchResults>, ApiError> {
    let text = asked.text()?;
    let project_id = match asked.project_id.filter(|text| !text.is_empty()) {
        Some(text) => {
            let id = caller.project_id(&ProjectRef::parse(&text)).await?;
            Some(caller.project(id).await?.id)
        }
        None => None,
    };
    // Reads every name of the organization.
    let _place = caller.long_pages.enter(caller.org_id).await?;
    Ok(Json(
        domain::search::find(&caller.db, &caller, &text, project_id, page.limit).await?,
    ))
}
