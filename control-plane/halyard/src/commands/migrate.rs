//! `halyard migrate`.

use std::process::ExitCode;

use base::db::{self, Schema};

use super::database;

#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only say whether it is up to date: exit status 0 if so, 3 if migrations are missing, 4 if a newer release migrated it
    #[arg(long)]
    check: bool,
}

pub(super) async fn run(args: Args) -> anyhow::Result<ExitCode> {
    let db = database().await?;
    if !args.check {
        db::migrate(db.pool()).await?;
        return Ok(ExitCode::SUCCESS);
    }
    Ok(match Schema::of(db.pool()).await? {
        Schema::UpToDate => {
            println!("the schema is up to date");
            ExitCode::SUCCESS
        }
        Schema::Missing(missing) => {
            println!("migrations that are missing: {missing}");
            ExitCode::from(3)
        }
        Schema::Newer(unknown) => {
            println!("the schema is newer: migrations that this build does not know: {unknown}");
            ExitCode::from(4)
        }
    })
}
