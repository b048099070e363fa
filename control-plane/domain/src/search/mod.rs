//! Search by name across all kinds of objects.

pub mod model;
mod store;

use self::model::{Kind, SearchResults};
pub(crate) use self::store::words::{FLAG_TEXT, push_has_words, words};
use crate::members::caller::Caller;
use base::{
    db::{self, Db},
    ids::ProjectId,
};

/// Finds objects that the caller may read. Returns at most `limit` of each kind, and counts all.
pub async fn find(
    db: &Db,
    caller: &Caller,
    text: &str,
    project_id: Option<ProjectId>,
    limit: i64,
) -> db::Result<SearchResults> {
    let mut tx = db.begin_reading().await?;
    let mut found = SearchResults::default();
    for kind in Kind::ALL {
        if caller.require(kind.needs()).is_err() {
            continue;
        }
        let (items, total) =
            store::find(&mut tx, caller.org_id, kind, text, project_id, limit).await?;
        found.add(items, total);
    }
    found.cut(limit);
    Ok(found)
}
