//! Logging in: a token is made in the dashboard, tried, and stored.

use std::{
    io::{self, IsTerminal},
    process::{Command, Stdio},
};

use serde_json::Value;

use super::input;
use crate::{
    api::{Address, Client, Error, Request, Settings, TokenFrom, operations},
    arguments::{Global, Login},
    contexts::{Context, Contexts, DEFAULT},
    environment,
    output::{cell, escape, message},
};

/// The dashboard's page where access tokens are made and revoked.
pub(super) const PAGE: &str = "/settings/security";

pub(super) async fn login(global: &Global, login: &Login) -> Result<(), Error> {
    let mut contexts = Contexts::load()?;
    let current = contexts.current.clone();
    let name = global
        .context
        .clone()
        .or(current)
        .unwrap_or_else(|| DEFAULT.to_owned());
    let address = address(login, contexts.contexts.get(&name))?;
    if address.is_readable_on_the_way() {
        message("warning: without https the token can be read on the way");
    }
    let token = token(&address, login.with_token)?;
    let settings = Settings {
        address: address.clone(),
        token: Some(token.clone()),
        token_from: TokenFrom::Input,
        verbose: global.verbose,
    };
    let client = Client::new(settings)?;
    let me: Value = client.get(&Request::new(&operations::ME, &[])).await?;
    let context = Context {
        url: address.as_str().to_owned(),
        token: Some(token),
    };
    contexts.contexts.insert(name.clone(), context);
    contexts.current = Some(name.clone());
    contexts.store()?;
    let (who, of) = (cell(&me["user"]["name"]), cell(&me["organization"]["name"]));
    let name = escape(&name);
    message(&format!("logged in as {who} of {of} (context {name})"));
    Ok(())
}

fn address(login: &Login, known: Option<&Context>) -> Result<Address, Error> {
    let given = login
        .url
        .clone()
        .or_else(|| environment::text(environment::URL));
    let given = given.or_else(|| known.map(|known| known.url.clone()));
    let given = given.ok_or_else(|| Error::Usage("say which service with --url".to_owned()))?;
    Address::parse(&given)
}

fn token(address: &Address, piped: bool) -> Result<secrecy::SecretString, Error> {
    let terminal = io::stdin().is_terminal();
    if !piped && !terminal {
        return Err(Error::Usage(
            "say --with-token to read the token from a pipe or a file".to_owned(),
        ));
    }
    if !piped {
        let page = format!("{}{PAGE}", address.as_str());
        message(&format!(
            "Make an access token at {page} and paste it here."
        ));
        open(&page);
    }
    input::secret(None, "Token: ")
}

/// Opens a page in a browser, if there is one; the address was told anyway.
fn open(page: &str) {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    let mut command = Command::new(program);
    command.arg(page);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    drop(command.spawn());
}
