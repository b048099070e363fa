//! `halyard seed`: a demo account to try things with. For development only.
//!
//! Everything is made through the management API, called in process, so the demo obeys every rule. Its password and API keys
//! are derived from `APP_SECRET`: seeding again finds what is there and prints the same, and no fixed credential exists.

mod api;
mod flags;

use anyhow::{Context, ensure};
use control_plane::{
    accounts::tokens::TokenType,
    api_keys::{
        issue::LockedEnv,
        model::{ApiKey, KeyText, KeyType},
    },
    app,
    audit::model::Actor,
    background::Waker,
    config::{AppEnv, Settings},
    db::{self, Db},
    ids::{EnvId, OrgId},
    insights::Collector,
    publish, sealing,
    state::AppState,
};
use secrecy::{ExposeSecret, SecretString};
use serde::Serialize;
use serde_json::{Value, json};
use serving::{clock::Clock, layers, settings::Environment};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

use self::api::Api;

const EMAIL: &str = "demo@halyard.test";
const KEY_NAME: &str = "demo";

/// What is printed.
#[derive(Serialize)]
struct Demo {
    email: &'static str,
    password: String,
    org_id: OrgId,
    project_id: String,
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
    let (settings, _) = Settings::load(&Environment)?;
    ensure!(
        settings.app.env == AppEnv::Development,
        "there is no demo account in production"
    );
    let pool = db::connect(&settings.database_url).await?;
    db::migrate(&pool).await?;

    let db = Db::new(pool, Waker::new());
    let clock = Clock::system();
    let stop = CancellationToken::new();
    let tasks = TaskTracker::new();
    let usage = Collector::start(db.clone(), clock.clone(), settings.usage, &stop, &tasks);
    let publisher = publish::Handle::start(
        db.clone(),
        clock.clone(),
        &settings.publish,
        usage,
        &stop,
        &tasks,
    );
    let state = AppState::new(&settings, db, clock, publisher);
    let router = layers::common(app::router(state.clone(), &settings.app));

    let demo = seed(&state, Api::new(router), &settings.publish.app_secret).await?;
    stop.cancel();
    println!("{}", serde_json::to_string_pretty(&demo)?);
    Ok(())
}

async fn seed(state: &AppState, mut api: Api, secret: &SecretString) -> anyhow::Result<Demo> {
    let password = format!("Demo-{}", hex::encode(derive::<12>(secret, "password")));
    let token = sign_in(&api, &password).await?;
    let org_id = state
        .tokens
        .verify(&token, TokenType::Access, state.clock.now())?
        .org_id;
    api.authorize(token);

    let projects = api.get("/v1/projects").await?;
    let project_id = text(&projects, "/data/0/id")?;
    let listed = api
        .get(&format!("/v1/projects/{project_id}/environments"))
        .await?;
    let mut environments = Vec::new();
    for env in listed["data"]
        .as_array()
        .context("a list of environments")?
    {
        let id: EnvId = serde_json::from_value(env["id"].clone())?;
        let api_key = key(state, &api, secret, org_id, id).await?;
        environments.push(DemoEnvironment {
            id,
            slug: text(env, "/slug")?,
            api_key,
        });
    }
    flags::create(&api, &project_id, environments.iter().map(|env| env.id)).await?;
    Ok(Demo {
        email: EMAIL,
        password,
        org_id,
        project_id,
        flag_key: flags::FIRST,
        environments,
    })
}

/// Registers the demo account, unless it is there, and signs it in.
async fn sign_in(api: &Api, password: &str) -> anyhow::Result<String> {
    let account =
        json!({"email": EMAIL, "password": password, "name": "Demo Owner", "org_name": "Demo"});
    api.create("/v1/auth/register", account).await?;
    let answer = api
        .post(
            "/v1/auth/login",
            json!({"email": EMAIL, "password": password}),
        )
        .await
        .context("the demo account was made with another APP_SECRET")?;
    text(&answer, "/tokens/access_token")
}

/// The text of the environment's demo key. A revoked one is followed by another.
async fn key(
    state: &AppState,
    api: &Api,
    secret: &SecretString,
    org_id: OrgId,
    env_id: EnvId,
) -> anyhow::Result<String> {
    let listed = api
        .get(&format!("/v1/environments/{env_id}/api-keys?limit=100"))
        .await?;
    let listed = listed["data"].as_array().context("a list of keys")?;
    for number in 0.. {
        let bits = derive(secret, &format!("key {number} of environment {env_id}"));
        let key = KeyText::new(KeyType::Server, bits);
        match listed
            .iter()
            .find(|listed| listed["key_prefix"] == key.display_prefix())
        {
            Some(found) if found["revoked_at"].is_null() && found["expires_at"].is_null() => {
                return Ok(key.reveal());
            }
            Some(_) => {}
            None => {
                issue(state, org_id, env_id, &key).await?;
                return Ok(key.reveal());
            }
        }
    }
    unreachable!("a list of keys has an end")
}

async fn issue(
    state: &AppState,
    org_id: OrgId,
    env_id: EnvId,
    text: &KeyText,
) -> anyhow::Result<()> {
    let mut tx = state.db.begin().await?;
    let env = LockedEnv::find(&mut tx, org_id, env_id)
        .await?
        .context("the environment was deleted meanwhile")?;
    let key = ApiKey::new(
        text,
        KEY_NAME.to_owned(),
        KeyType::Server,
        None,
        state.clock.now(),
    );
    let change = env.issue(&mut tx, &key, text, Actor::System).await?;
    tx.commit().await?;
    state.publisher.reached(&change).await;
    Ok(())
}

/// Bytes that only holders of the secret can tell, the same each time.
fn derive<const N: usize>(secret: &SecretString, purpose: &str) -> [u8; N] {
    let purpose = format!("halyard seed: {purpose}");
    let derived = sealing::derive(secret.expose_secret().as_bytes(), &purpose);
    *derived
        .first_chunk()
        .expect("nothing longer than a key is derived")
}

fn text(value: &Value, pointer: &str) -> anyhow::Result<String> {
    let found = value.pointer(pointer).and_then(Value::as_str);
    found
        .map(str::to_owned)
        .with_context(|| format!("the answer has no text at {pointer}"))
}
