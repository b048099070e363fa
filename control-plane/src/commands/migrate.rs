//! `halyard migrate`.

use super::database;

pub(super) async fn run() -> anyhow::Result<()> {
    control_plane::db::migrate(database().await?.pool()).await?;
    Ok(())
}
