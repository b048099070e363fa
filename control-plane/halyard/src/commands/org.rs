//! `halyard org`: organizations, as operators see and change them.

use crate::orgs::{self, CommandSettings, OrgCommand};
use domain::{lifecycle::settings::LifecycleSettings, orgs::settings::trial_length};
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

pub(super) async fn run(command: OrgCommand) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let settings = CommandSettings {
        trial_length: trial_length(&mut reader),
        lifecycle: LifecycleSettings::load(&mut reader),
    };
    reader.finish()?;
    let db = database().await?;
    let text = orgs::run(command, &db, &settings, &Clock::system()).await?;
    print!("{text}");
    Ok(())
}
