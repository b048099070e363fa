//! `halyard seed`: a demo account to try things with. For development only.
//!
//! The demo is made by the same operations that the API calls, so it obeys every rule. Its password and API keys are derived
//! from `APP_SECRET`: seeding again finds what is there and prints the same, and no fixed credential exists.

mod flags;

use std::net::{IpAddr, Ipv4Addr};

use crate::{config::Settings, service};
use anyhow::{Context, ensure};
use base::{
    config::AppEnv,
    db::{self, Db},
    ids::{EnvId, OrgId, ProjectId},
    input::Name,
    refusal::Refusal,
    sealing,
    waker::Waker,
};
use domain::{
    accounts::{Device, Login, RawRegistration, Registration, email::Email, tokens::TokenType},
    api_keys::{
        input::NewKey,
        issue,
        model::{KeyText, KeyType},
        store as keys,
    },
    environments,
    events::Actor,
    projects,
    unit::{Committed, ProjectChange, Unit},
};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serving::{clock::Clock, page::Page, settings::ProcessVariables};
use tokio_util::task::TaskTracker;

const EMAIL: &str = "demo@halyard.test";
const KEY_NAME: &str = "demo";
/// The seeding user is on this machine.
const HERE: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);
/// The largest page of the API's lists.
const PAGE: Page = Page {
    limit: 100,
    offset: 0,
};

/// The printed result.
#[derive(Serialize)]
struct Demo {
    email: &'static str,
    password: String,
    org_id: OrgId,
    project_id: ProjectId,
    flag_key: &'static str,
    environments: Vec<DemoEnvironment>,
}

#[derive(Serialize)]
struct DemoEnvironment {
    id: EnvId,
    slug: String,
    api_key: String,
}

pub(super) async fn run() -> anyhow::Result<()> {
    let (settings, _) = Settings::load(&ProcessVariables)?;
    ensure!(
        settings.app.env == AppEnv::Development,
        "there is no demo account in production"
    );
    let db = Db::connect(&settings.database, Waker::new()).await?;
    db::migrate(db.pool()).await?;
    let demo = seed(&settings, &db, &Clock::system()).await?;
    println!("{}", serde_json::to_string_pretty(&demo)?);
    Ok(())
}

async fn seed(settings: &Settings, db: &Db, clock: &Clock) -> anyhow::Result<Demo> {
    let secret = &settings.publish.app_secret;
    let password = format!("Demo-{}", hex::encode(derive::<12>(secret, "password")));
    let org_id = sign_in(settings, db, clock, &password).await?;

    let mut unit = Unit::begin(db, org_id, Actor::System, clock.now()).await?;
    let project = projects::store::page(&mut unit, org_id, None, PAGE).await?;
    let project = project.data.first().context("the demo has no project")?;
    let mut change = unit
        .lock_project(clock, project.id)
        .await?
        .context("the project was deleted meanwhile")?;
    let mut listed = environments::store::page(&mut change, org_id, project.id, PAGE).await?;
    let mut environments = Vec::new();
    let mut made = None;
    for env in listed.data.drain(..) {
        let (api_key, issued) = key(&mut change, secret, env.id).await?;
        made = issued.or(made);
        environments.push(DemoEnvironment {
            id: env.id,
            slug: env.slug,
            api_key,
        });
    }
    let env_ids: Vec<EnvId> = environments.iter().map(|env| env.id).collect();
    made = flags::create(&mut change, &env_ids).await?.or(made);
    if let Some(made) = made {
        // Running control planes are notified, but their edges are not awaited.
        let Committed { .. } = unit.commit(made).await?;
    }
    Ok(Demo {
        email: EMAIL,
        password,
        org_id,
        project_id: project.id,
        flag_key: flags::FIRST,
        environments,
    })
}

/// Registers the demo account, unless it is there, and signs it in; returns its organization.
async fn sign_in(
    settings: &Settings,
    db: &Db,
    clock: &Clock,
    password: &str,
) -> anyhow::Result<OrgId> {
    let (accounts, tokens, ..) = service::sign_in(settings, db, TaskTracker::new());
    let registration = RawRegistration {
        email: Some(EMAIL.to_owned()),
        password: Some(password.to_owned()),
        name: Some("Demo Owner".to_owned()),
        org_name: Some("Demo".to_owned()),
        data_region: None,
    };
    let registration = Registration::check(registration, accounts.settings())?;
    let device = Device::new(HERE, None);
    match accounts.register(registration, &device, clock.now()).await {
        Ok(_) | Err(Refusal::Conflict(_)) => {}
        Err(refused) => return Err(refused.into()),
    }
    let login = Login {
        email: Email::parse(Some(EMAIL))?,
        password: password.into(),
        mfa_code: None,
        org_id: None,
    };
    let (_, pair) = accounts
        .login(login, &device, clock.now())
        .await
        .context("the demo account was made with another APP_SECRET")?;
    let claims = tokens.verify(&pair.access_token, TokenType::Access, clock.now())?;
    Ok(claims.org_id)
}

/// The text of the environment's demo key. A revoked one is replaced.
async fn key(
    change: &mut ProjectChange<'_>,
    secret: &SecretString,
    env_id: EnvId,
) -> anyhow::Result<(String, Option<flags::Made>)> {
    let org_id = change.org_id();
    let listed = keys::page(change, org_id, env_id, PAGE).await?;
    for number in 0.. {
        let bits = derive(secret, &format!("key {number} of environment {env_id}"));
        let text = KeyText::new(KeyType::Server, bits);
        let prefix = text.display_prefix();
        let found = listed.data.iter().find(|key| key.key_prefix == prefix);
        match found {
            Some(key) if key.revoked_at.is_none() && key.expires_at.is_none() => {
                return Ok((text.reveal(), None));
            }
            Some(_) => {}
            None => {
                let new = NewKey {
                    name: Name::parse(Some(KEY_NAME.to_owned()))?,
                    key_type: KeyType::Server,
                    lifetime: None,
                };
                let issued = issue::issue(change, env_id, new, &text).await?;
                return Ok((text.reveal(), Some(issued.map(drop))));
            }
        }
    }
    unreachable!("a list of keys has an end")
}

/// Bytes that are the same each time, and known only to holders of the secret.
fn derive<const N: usize>(secret: &SecretString, purpose: &str) -> [u8; N] {
    let purpose = format!("halyard seed: {purpose}");
    let derived = sealing::derive(secret.expose_secret().as_bytes(), &purpose);
    *derived
        .first_chunk()
        .expect("nothing longer than a key is derived")
}
