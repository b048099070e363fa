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
    permits: &Limiter,
    org_id: OrgId,
    mut filter: Filter,
    words: &Words,
    page: Page,
) -> Result<Paged<AuditEntry>, ApiError> {
    let mut conn = db.acquire().await?;
    if !words.is_empty() {
        drop(conn);
        // Reads every name of the organization.
        let permit = permits.enter(org_id).await?;
        conn = db.acquire().await?;
        conn.hold(permit);
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
        let permit = permits.enter(org_id).await?;
        conn = db.acquire().await?;
        conn.hold(permit);
    }
    let counted = if has_several {
        store::count(&mut conn, org_id, filter, COUNTED + 1).await?
    } else {
        searched
    };
    let mut places = if page.offset < counted || counted > COUNTED {
        store::places(&mut conn, org_id, filter, page).await?
    } else {
        Vec::new()
    };
    let found = places.len();
    places.truncate(usize::try_from(page.limit).unwrap_or(usize::MAX));
    let entries = store::list(&mut conn, org_id, &places).await?;
    Ok(Paged::counted(entries, found, counted, page))
}

/// A part of the entries that fit as CSV, the newest first, and whether there are more.
pub async fn export(
    db: &Db,
    permits: &Limiter,
    org_id: OrgId,
    mut filter: Filter,
    words: &Words,
) -> Result<(Part, bool), ApiError> {
    let permit = permits.enter(org_id).await?;
    let mut conn = db.acquire().await?;
    conn.hold(permit);
    filter.meant = words.look_up(&mut conn, org_id).await?;
    let page = Page {
        limit: export::MOST,
        offset: 0,
    };
    let places = store::places(&mut conn, org_id, &filter, page).await?;
    let mut part = Part::default();
    let mut written = 0;
    let most = usize::try_from(export::MOST).unwrap_or(usize::MAX);
    let wanted = &places[..places.len().min(most)];
    // Few at a time: an entry may have 32 KiB.
    'parts: for places in wanted.chunks(50) {
        for entry in store::list(&mut conn, org_id, places).await? {
            if part.is_full() {
                break 'parts;
            }
            part.push(&entry);
            written += 1;
        }
    }
    Ok((part, written < places.len()))
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
