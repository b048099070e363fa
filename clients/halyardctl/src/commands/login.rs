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
    let known = global.context.as_ref().or(contexts.current.as_ref());
    let known = known.and_then(|name| contexts.contexts.get(name));
    let address = address(login, known)?;
    let name = global.context.clone();
    let name = name.unwrap_or_else(|| name_of(&contexts, &address));
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

/// The name of the context for a service where none is given: the one that it has, else one that no other service has.
fn name_of(contexts: &Contexts, address: &Address) -> String {
    let mut all = contexts.contexts.iter();
    let same = all.find(|(_, context)| context.url == address.as_str());
    match same {
        Some((name, _)) => name.clone(),
        None if contexts.contexts.contains_key(DEFAULT) => address.host().to_owned(),
        None => DEFAULT.to_owned(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_tokens_is_one_of_the_dashboard() {
        let paths = include_str!("../../../../control-plane/dashboard/src/routes/paths.json");
        let paths: Value = serde_json::from_str(paths).unwrap();
        let mut paths = paths.as_array().unwrap().iter();
        assert!(paths.any(|path| path == PAGE));
    }

    #[test]
    fn another_service_does_not_take_the_place_of_a_context() {
        let mut contexts = Contexts::default();
        let address = |text| Address::parse(text).unwrap();
        assert_eq!(name_of(&contexts, &address("https://a.test")), "default");
        let context = Context {
            url: "https://a.test".to_owned(),
            token: None,
        };
        contexts
            .contexts
            .insert("default".to_owned(), context.clone());
        assert_eq!(name_of(&contexts, &address("https://a.test/")), "default");
        assert_eq!(name_of(&contexts, &address("https://b.test/x")), "b.test");
        contexts.contexts.insert("work".to_owned(), context);
        contexts.contexts.remove("default");
        assert_eq!(name_of(&contexts, &address("https://a.test")), "work");
    }
}
