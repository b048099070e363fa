//! Programs of others: how they are started, and told where the database is without a password in the list of processes.

use std::process::Stdio;

use anyhow::{Context, anyhow, ensure};
use percent_encoding::percent_decode_str;
use secrecy::{ExposeSecret, SecretString};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use url::Url;

/// Where the database is.
pub(super) struct Connection {
    /// Without the password.
    url: String,
    password: Option<SecretString>,
}

impl Connection {
    pub(super) fn to(database: &SecretString) -> anyhow::Result<Self> {
        const PASSWORD: &str = "password";
        let mut url = Url::parse(database.expose_secret()).context("DATABASE_URL")?;
        let pairs: Vec<(String, String)> = url.query_pairs().into_owned().collect();
        let named = pairs.iter().find(|(name, _)| name == PASSWORD);
        let password = match (url.password(), named) {
            (Some(password), _) => Some(percent_decode_str(password).decode_utf8()?.into_owned()),
            (None, Some((_, password))) => Some(password.clone()),
            (None, None) => None,
        };
        url.set_password(None)
            .map_err(|()| anyhow!("DATABASE_URL names no database"))?;
        url.set_query(None);
        let kept = pairs.iter().filter(|(name, _)| name != PASSWORD);
        for (name, value) in kept {
            url.query_pairs_mut().append_pair(name, value);
        }
        Ok(Self {
            url: url.into(),
            password: password.map(SecretString::from),
        })
    }

    /// Has a program of PostgreSQL connect there.
    pub(super) fn give<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.arg("--no-password").arg("--dbname").arg(&self.url);
        match &self.password {
            Some(password) => command.env("PGPASSWORD", password.expose_secret()),
            None => command,
        }
    }
}

/// A program in `PATH`, which ends when it is dropped.
pub(super) fn program(name: &'static str) -> Command {
    let mut command = Command::new(name);
    command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .kill_on_drop(true);
    command
}

/// A program that runs.
pub(super) struct Running {
    name: String,
    child: Child,
}

impl Running {
    pub(super) fn start(command: &mut Command) -> anyhow::Result<Self> {
        let name = command
            .as_std()
            .get_program()
            .to_string_lossy()
            .into_owned();
        let child = command
            .spawn()
            .with_context(|| format!("cannot run {name}, which has to be in PATH"))?;
        Ok(Self { name, child })
    }

    /// Where it reads; once.
    pub(super) fn input(&mut self) -> anyhow::Result<ChildStdin> {
        self.child.stdin.take().context("its input is taken")
    }

    /// What it writes; once.
    pub(super) fn output(&mut self) -> anyhow::Result<ChildStdout> {
        self.child.stdout.take().context("its output is taken")
    }

    /// The same as what another program reads.
    pub(super) fn output_for_another(&mut self) -> anyhow::Result<Stdio> {
        Ok(self.output()?.try_into()?)
    }

    /// Waits for its end.
    pub(super) async fn end(mut self) -> anyhow::Result<()> {
        drop(self.child.stdin.take());
        let status = self.child.wait().await?;
        ensure!(status.success(), "{} failed: {status}", self.name);
        Ok(())
    }

    pub(super) async fn kill(mut self) {
        if let Err(error) = self.child.kill().await {
            tracing::debug!(%error, program = self.name, "it has ended already");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_password_is_not_an_argument() {
        for (url, left) in [
            (
                "postgres://ada:p%40ss@db:5433/flags?sslmode=require",
                "postgres://ada@db:5433/flags?sslmode=require",
            ),
            (
                "postgres://ada@db/flags?password=p%40ss&sslmode=require",
                "postgres://ada@db/flags?sslmode=require",
            ),
            ("postgres://ada:p%40ss@db/flags", "postgres://ada@db/flags"),
        ] {
            let connection = Connection::to(&SecretString::from(url)).unwrap();
            assert_eq!(connection.url, left);
            assert_eq!(connection.password.unwrap().expose_secret(), "p@ss");
        }
        let without = Connection::to(&SecretString::from("postgres://localhost/flags")).unwrap();
        assert_eq!(without.url, "postgres://localhost/flags");
        assert!(without.password.is_none());
    }
}
