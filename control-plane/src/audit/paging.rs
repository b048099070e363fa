//! Pages of the trail, without counting all of it.

use std::{sync::Arc, time::Duration};

use serving::{
    error::ApiError,
    page::{Page, Paged},
};
use sqlx::PgConnection;

use super::{
    model::{AuditEntry, Filter},
    store,
};
use crate::{
    db,
    ids::OrgId,
    shares::{Place, Shares},
};

/// Entries are counted up to this number. A larger total is what is known to be there.
const COUNTED: i64 = 10_000;

/// Offsets up to this one take some 20 ms. Ten million entries take two seconds.
const FAR: i64 = 100_000;
/// Pages beyond that are made so many at a time, and one for each organization.
const FAR_AT_A_TIME: usize = 2;
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// Places for pages that are far back.
#[derive(Clone, Debug)]
pub struct FarPages(Arc<Shares>);

impl Default for FarPages {
    fn default() -> Self {
        Self(Arc::new(Shares::new(FAR_AT_A_TIME, 1)))
    }
}

impl FarPages {
    /// A place for the page, if it needs one.
    ///
    /// # Errors
    /// When there is none right now.
    pub(super) fn place_for(&self, org_id: OrgId, page: Page) -> Result<Option<Place>, ApiError> {
        if page.offset <= FAR {
            return Ok(None);
        }
        let place = self.0.try_take(org_id);
        place.map(Some).map_err(|_| {
            ApiError::too_many(
                "pages this far back are made one at a time; the parameter before is quicker",
                RETRY_AFTER,
            )
        })
    }
}

/// A page of the entries that fit.
pub(super) async fn page(
    conn: &mut PgConnection,
    org_id: OrgId,
    filter: &Filter,
    page: Page,
) -> db::Result<Paged<AuditEntry>> {
    let mut ids = store::ids(conn, org_id, filter, page).await?;
    let found = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    let has_more = found > page.limit;
    let total = match store::count(conn, org_id, filter, COUNTED + 1).await? {
        all @ ..=COUNTED => all,
        _ if ids.is_empty() => COUNTED,
        _ => COUNTED.max(page.offset.saturating_add(found)),
    };
    if has_more {
        ids.pop();
    }
    let entries = store::list(conn, org_id, &ids).await?;
    Ok(Paged::with_more(entries, total, has_more, page))
}

#[cfg(test)]
mod tests {
    use time::OffsetDateTime;

    use super::*;

    #[test]
    fn pages_far_back_are_made_one_at_a_time_for_an_organization() {
        let [one, other] = [(); 2].map(|()| OrgId::new(OffsetDateTime::UNIX_EPOCH));
        let page = |offset| Page { limit: 100, offset };
        let pages = FarPages::default();
        let first = pages.place_for(one, page(FAR + 1)).unwrap();
        assert!(first.is_some());
        let refused = pages.place_for(one, page(i64::MAX)).unwrap_err();
        assert_eq!(refused.status().as_u16(), 429);
        assert!(pages.place_for(one, page(FAR)).unwrap().is_none());
        assert!(pages.place_for(other, page(FAR + 1)).is_ok());
        drop(first);
        assert!(pages.place_for(one, page(FAR + 1)).is_ok());
    }
}
