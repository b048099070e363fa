//! The server that tests make their databases on, and how they sign in to it.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use sqlx::Connection;
use sqlx::postgres::{PgConnectOptions, PgConnection};

use crate::places;

/// A server, and a session on it.
pub(super) struct Server {
    pub(super) url: String,
    pub(super) session: PgConnection,
}

impl Server {
    /// Connects to the one of `TEST_DATABASE_URL`, else to the throwaway one, which is started when it does not run.
    pub(super) async fn connect() -> anyhow::Result<Self> {
        if let Ok(url) = std::env::var("TEST_DATABASE_URL") {
            let session = PgConnection::connect(&url)
                .await
                .context("TEST_DATABASE_URL")?;
            return Ok(Self { url, session });
        }
        let folder = places::target().join("test-postgres");
        if let Ok(url) = std::fs::read_to_string(folder.join("url"))
            && let Ok(session) = PgConnection::connect(url.trim()).await
        {
            return Ok(Self {
                url: url.trim().to_owned(),
                session,
            });
        }
        let url = start(&folder)?;
        let session = PgConnection::connect(&url)
            .await
            .context("the server just started")?;
        Ok(Self { url, session })
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
