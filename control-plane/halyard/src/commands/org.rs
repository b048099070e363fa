//! `halyard org`: organizations, as operators see and change them.

use std::sync::Arc;

use crate::orgs::{self, CommandSettings, Mailing, OrgCommand};
use base::{
    config::{AppEnv, ListenSettings, MailSettings, UrlSettings},
    mail::Mailer,
};
use domain::{lifecycle::settings::LifecycleSettings, orgs::settings::trial_length};
use publish::config::PublishSettings;
use serving::{
    clock::Clock,
    settings::{ProcessVariables, Reader},
};

use super::database;

pub(super) async fn run(command: OrgCommand) -> anyhow::Result<()> {
    let mut reader = Reader::new(&ProcessVariables);
    let is_deletion = matches!(command, OrgCommand::Delete { .. });
    let settings = CommandSettings {
        trial_length: trial_length(&mut reader),
        lifecycle: LifecycleSettings::load(&mut reader),
        mailing: is_deletion.then(|| mailing(&mut reader)),
    };
    reader.finish()?;
    let db = database().await?;
    let text = orgs::run(command, &db, &settings, &Clock::system()).await?;
    print!("{text}");
    Ok(())
}

fn mailing(reader: &mut Reader<'_>) -> Mailing {
    let env = reader.parse("APP_ENV", AppEnv::Development);
    let listen = ListenSettings::load(reader);
    let mail = MailSettings::load(reader, env);
    let secret = PublishSettings::load(reader, env).app_secret;
    Mailing {
        mailer: Mailer::new(&secret, mail.rates),
        urls: Arc::new(UrlSettings::load(reader, &listen)),
        address: mail.from.email.to_string(),
    }
}
