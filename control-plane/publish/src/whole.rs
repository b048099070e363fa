//! An environment as it is served, for those who inspect it instead of serving it.

use super::{
    Publisher,
    compile::{self, load},
};
use base::{
    blocking::blocking,
    db,
    ids::{EnvId, OrgId},
    limits::Permit,
    refusal::Refusal,
};
use protocol::snapshot::Snapshot;

/// An environment compiled from the database just now. Others wait for its permit: drop it soon.
#[derive(Debug)]
pub struct Whole {
    /// Its contents.
    pub snapshot: Snapshot,
    _permit: Permit,
}

impl Publisher {
    /// Compiles an environment; waits while others of the organization are being compiled. `None` if it is gone. Not
    /// tenant-scoped: the caller has found the environment in its organization.
    pub async fn compile(&self, org_id: OrgId, env_id: EnvId) -> Result<Option<Whole>, Refusal> {
        let permit = self.0.explanations.enter(org_id).await?;
        let db = self.0.db.clone();
        // In a task of its own. It uses connections of publishing: the organization may have none free, and would keep its permit
        // while it waits for one. And it counts until it has ended, if nobody waits for it any more.
        let compiling = tokio::spawn(async move {
            let Some(rows) = db.unless_moved(load::whole(&db, env_id)).await?? else {
                return Ok(None);
            };
            let snapshot = blocking(move || compile::snapshot(env_id, rows)).await;
            Ok::<_, db::Error>(Some(Whole {
                snapshot,
                _permit: permit,
            }))
        });
        match compiling.await {
            Ok(compiled) => Ok(compiled?),
            Err(ended) => Err(Refusal::Fault(ended.into())),
        }
    }
}
