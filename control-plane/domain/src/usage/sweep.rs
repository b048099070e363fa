//! Deletes usage of removed environments.

use sqlx::PgConnection;

use super::{
    BATCH,
    store::{Removed, counters, series, windows},
};
use base::{
    db::{self, Db},
    ids::OrgId,
};

/// Deletes the series of an organization; there may be millions.
pub async fn forget_organization(conn: &mut PgConnection, org_id: OrgId) -> db::Result<()> {
    while series::delete(conn, org_id, None, BATCH).await? > 0 {}
    Ok(())
}

/// Deletes the counters and series of removed environments, in batches that survive a failure.
pub async fn forget_removed(db: &Db) -> db::Result<()> {
    let removed = counters::removed_environments(&mut *db.acquire().await?).await?;
    for Removed { org_id, env_id } in removed {
        loop {
            let mut tx = db.begin().await?;
            windows::lock(&mut tx, &[org_id]).await?;
            if counters::delete_of_environment(&mut tx, org_id, env_id, BATCH).await? == 0 {
                break;
            }
            windows::recount_unknown(&mut tx, org_id).await?;
            tx.commit().await?;
        }
    }
    let mut conn = db.acquire().await?;
    for Removed { org_id, env_id } in series::removed_environments(&mut conn).await? {
        while series::delete(&mut conn, org_id, Some(env_id), BATCH).await? > 0 {}
    }
    Ok(())
}
