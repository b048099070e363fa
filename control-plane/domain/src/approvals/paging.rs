//! Pages of requests, which may be many and large.

use serving::{
    error::ApiError,
    page::{COUNTED, MAX_BYTES, Page, Paged},
};

use super::{
    model::{Approval, Filter},
    store,
};
use base::{
    db::Db,
    ids::OrgId,
    limits::{FAR, Limiter},
};

/// A page of requests, newest first. It ends early if payloads are large.
pub async fn page(
    db: &Db,
    long_pages: &Limiter,
    org_id: OrgId,
    filter: Filter,
    page: Page,
) -> Result<Paged<Approval>, ApiError> {
    let mut conn = db.acquire().await?;
    let counted = store::count(&mut conn, org_id, filter, COUNTED + 1).await?;
    if counted <= COUNTED && page.offset >= counted {
        return Ok(Paged::new(Vec::new(), counted, page));
    }
    if page.offset > FAR {
        drop(conn);
        let place = long_pages.enter(org_id).await?;
        conn = db.acquire().await?;
        conn.hold(place);
    }
    let listed = store::ids(&mut conn, org_id, filter, page).await?;
    let mut bytes = 0;
    let fits = listed.iter().take_while(|request| {
        let begins = bytes;
        bytes += i64::from(request.bytes);
        begins < MAX_BYTES
    });
    let limit = usize::try_from(page.limit).unwrap_or(usize::MAX);
    let ids: Vec<_> = fits.take(limit).map(|request| request.id).collect();
    let requests = store::list(&mut conn, org_id, &ids).await?;
    Ok(Paged::counted(requests, listed.len(), counted, page))
}
