//! Deletes what was counted in environments that are gone.

use super::{
    BATCH,
    store::{counters, windows},
};
use crate::db::{self, Db};

/// Deletes the counters of environments that are gone. What is deleted stays so if this fails.
pub async fn forget_removed(db: &Db) -> db::Result<()> {
    let removed = {
        let mut conn = db.acquire().await?;
        counters::removed_environments(&mut conn).await?
    };
    for (org_id, env_id) in removed {
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
    Ok(())
}
