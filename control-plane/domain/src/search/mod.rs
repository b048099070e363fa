//! Finding things by their names, whatever they are.

pub mod model;
mod store;

use self::model::{Kind, SearchResults};
use crate::members::caller::Caller;
use base::{
    db::{self, Db},
    ids::ProjectId,
};

/// Finds what the caller may read. Of each kind so many are looked at as are asked for, and all are counted.
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
