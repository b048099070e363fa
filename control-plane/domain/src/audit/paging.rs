//! Pages of the audit log, without counting all of it.

use serving::{
    error::ApiError,
    page::{COUNTED, Page, Paged},
};

use super::{
    export::{self, Part},
    model::{AuditEntry, Filter},
    store,
    store::search::Words,
};
use base::{
    db::Db,
    ids::OrgId,
    limits::{FAR, Limiter},
};

/// A page of entries that fit the filter and all words.
pub async fn page(
    db: &Db,
    places: &Limiter,
    org_id: OrgId,
    mut filter: Filter,
    words: &Words,
    page: Page,
) -> Result<Paged<AuditEntry>, ApiError> {
    let mut conn = db.acquire().await?;
    if !words.is_empty() {
        drop(conn);
        // Reads every name of the organization.
        let place = places.enter(org_id).await?;
        conn = db.acquire().await?;
        conn.hold(place);
        filter.meant = words.look_up(&mut conn, org_id).await?;
    }
    let filter = &filter;
    // Each filter has an index. Several are matched by scanning the entries of one of them.
    let has_several = filter.has_several();
    let period = filter.period();
    let searched = if has_several { &period } else { filter };
    let searched = store::count(&mut conn, org_id, searched, COUNTED + 1).await?;
    if words.is_empty() && takes_long(searched, has_several, page) {
        drop(conn);
        let place = places.enter(org_id).await?;
        conn = db.acquire().await?;
        conn.hold(place);
    }
    let counted = if has_several {
        store::count(&mut conn, org_id, filter, COUNTED + 1).await?
    } else {
        searched
    };
    let mut ids = if page.offset < counted || counted > COUNTED {
        store::ids(&mut conn, org_id, filter, page).await?
    } else {
        Vec::new()
    };
    let found = ids.len();
    ids.truncate(usize::try_from(page.limit).unwrap_or(usize::MAX));
    let entries = store::list(&mut conn, org_id, &ids).await?;
    Ok(Paged::counted(entries, found, counted, page))
}

/// A part of the entries that fit as CSV, the newest first, and whether there are more.
pub async fn export(
    db: &Db,
    places: &Limiter,
    org_id: OrgId,
    mut filter: Filter,
    words: &Words,
) -> Result<(Part, bool), ApiError> {
    let place = places.enter(org_id).await?;
    let mut conn = db.acquire().await?;
    conn.hold(place);
    filter.meant = words.look_up(&mut conn, org_id).await?;
    let page = Page {
        limit: export::MOST,
        offset: 0,
    };
    let ids = store::ids(&mut conn, org_id, &filter, page).await?;
    let mut part = Part::default();
    let mut written = 0;
    let most = usize::try_from(export::MOST).unwrap_or(usize::MAX);
    let wanted = &ids[..ids.len().min(most)];
    // Few at a time: an entry may have 32 KiB.
    'parts: for ids in wanted.chunks(50) {
        for entry in store::list(&mut conn, org_id, ids).await? {
            if part.is_full() {
                break 'parts;
            }
            part.push(&entry);
            written += 1;
        }
    }
    Ok((part, written < ids.len()))
}

/// Whether reading a page may take long when `searched` entries are scanned, counted up to [`COUNTED`] plus one.
const fn takes_long(searched: i64, has_several_filters: bool, page: Page) -> bool {
    searched > COUNTED && (has_several_filters || page.offset > FAR)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_trail_takes_no_place() {
        let page = |offset| Page { limit: 100, offset };
        for has_several_filters in [false, true] {
            for searched in [0, COUNTED] {
                assert!(!takes_long(searched, has_several_filters, page(i64::MAX)));
            }
            assert!(takes_long(COUNTED + 1, has_several_filters, page(FAR + 1)));
        }
        assert!(!takes_long(COUNTED + 1, false, page(FAR)));
        assert!(takes_long(COUNTED + 1, true, page(0)));
    }
}
