//! The server that tests make their databases on, and how they sign in to it.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use data_encoding::BASE64;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use super::execute;
use crate::places;

/// A server, and a session on it.
pub(super) struct Server {
    pub(super) url: String,
    pub(super) session: PgConnection,
    /// Whether it is a throwaway one, which belongs to the tests alone.
    is_ours: bool,
}

impl Server {
    /// Connects to the one of `TEST_DATABASE_URL`, else to the throwaway one, which is started when it does not run.
    pub(super) async fn connect() -> anyhow::Result<Self> {
        if let Ok(url) = std::env::var("TEST_DATABASE_URL") {
            let session = PgConnection::connect(&url)
                .await
                .context("TEST_DATABASE_URL")?;
            return Ok(Self {
                url,
                session,
                is_ours: false,
            });
        }
        let folder = places::target().join("test-postgres");
        if let Ok(url) = std::fs::read_to_string(folder.join("url"))
            && let Ok(session) = PgConnection::connect(url.trim()).await
        {
            return Ok(Self {
                url: url.trim().to_owned(),
                session,
                is_ours: true,
            });
        }
        let url = start(&folder)?;
        let session = PgConnection::connect(&url)
            .await
            .context("the server just started")?;
        Ok(Self {
            url,
            session,
            is_ours: true,
        })
    }

    /// The address of one of its databases.
    pub(super) fn url_of(&self, database: &str) -> anyhow::Result<String> {
        let mut url = reqwest::Url::parse(&self.url)?;
        url.set_path(database);
        Ok(url.into())
    }

    /// Where databases are made and dropped.
    pub(super) fn options(&self) -> anyhow::Result<PgConnectOptions> {
        Ok(self.url.parse()?)
    }

    /// Has a throwaway server ask for one round of hashing at sign-in, not for thousands. They protect a weak password that was
    /// stolen as its hash; here it is a random one, and a test signs in a dozen times, with a client built without optimisation.
    pub(super) async fn make_sign_in_quick(&mut self) -> anyhow::Result<()> {
        if !self.is_ours {
            return Ok(());
        }
        let url = reqwest::Url::parse(&self.url)?;
        let (user, password) = (url.username(), url.password().unwrap_or_default());
        let secret = scram_secret(password, uuid::Uuid::new_v4().as_bytes())?;
        execute(
            &mut self.session,
            format!("ALTER ROLE {user} PASSWORD '{secret}'"),
        )
        .await
    }
}

/// `./dev postgres` holds a lock, so that all but one of many callers just learn the address.
fn start(folder: &Path) -> anyhow::Result<String> {
    let output = Command::new(places::repository().join("dev"))
        .args(["postgres", "start"])
        .arg(folder)
        .arg("--fast")
        .output()
        .context("running ./dev postgres start")?;
    anyhow::ensure!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// What PostgreSQL stores of a password, made with a single round (RFC 5802, RFC 7677).
fn scram_secret(password: &str, salt: &[u8]) -> anyhow::Result<String> {
    let mac = |key: &[u8], message: &[u8]| -> anyhow::Result<Vec<u8>> {
        let mut mac = Hmac::<Sha256>::new_from_slice(key)?;
        mac.update(message);
        Ok(mac.finalize().into_bytes().to_vec())
    };
    let salted_password = mac(password.as_bytes(), &[salt, &1_u32.to_be_bytes()].concat())?;
    let stored_key = Sha256::digest(mac(&salted_password, b"Client Key")?);
    let server_key = mac(&salted_password, b"Server Key")?;
    Ok(format!(
        "SCRAM-SHA-256$1:{}${}:{}",
        BASE64.encode(salt),
        BASE64.encode(&stored_key),
        BASE64.encode(&server_key)
    ))
}
