//! Who we are, and at which services.

use serde_json::{Value, json};

use super::session::Session;
use crate::{
    api::{Error, Request, operations},
    arguments::{ContextCommand, Global},
    contexts::Contexts,
    output::{Column, Format, Printer, cell, escape, message},
};

const CONTEXTS: &[Column] = &[
    Column::new("CURRENT", "/current"),
    Column::new("NAME", "/name"),
    Column::new("URL", "/url"),
    Column::new("LOGGED IN", "/logged_in"),
];

pub(super) async fn whoami(session: &Session) -> Result<(), Error> {
    let me = session.get(&Request::new(&operations::ME, &[])).await?;
    if session.printer.format() != Format::Table {
        return session.printer.value(&me);
    }
    let projects = me["projects"].as_array().into_iter().flatten();
    let projects: Vec<_> = projects.map(|project| cell(&project["slug"])).collect();
    let mut shown = json!({
        "name": me["user"]["name"],
        "email": me["user"]["email"],
        "organization": me["organization"]["name"],
        "role": me["role"],
        "projects": projects,
        "service": session.client.settings().address.as_str(),
    });
    let token = &me["access_token"];
    if !token.is_null() {
        shown["token"] = token["name"].clone();
        shown["token ends"] = token["expires_at"].clone();
        shown["token only reads"] = token["read_only"].clone();
    }
    session.printer.item(&shown)
}

pub(super) fn logout(global: &Global) -> Result<(), Error> {
    let mut contexts = Contexts::load()?;
    let name = global.context.clone().or_else(|| contexts.current.clone());
    let name = name.ok_or_else(|| Error::Usage("there is no context".to_owned()))?;
    let unknown = contexts.unknown(&name);
    let context = contexts.contexts.get_mut(&name).ok_or(unknown)?;
    context.token = None;
    let page = format!("{}{}", context.url, super::login::PAGE);
    contexts.store()?;
    message(&escape(&format!(
        "forgot the token of {name}; it is valid until it is revoked at {page}"
    )));
    Ok(())
}

pub(super) fn contexts(global: &Global, command: &ContextCommand) -> Result<(), Error> {
    let mut contexts = Contexts::load()?;
    match command {
        ContextCommand::List => {
            let list: Vec<_> = contexts
                .contexts
                .iter()
                .map(|(name, context)| {
                    json!({
                        "name": name,
                        "url": context.url,
                        "logged_in": context.token.is_some(),
                        "current": contexts.current.as_ref() == Some(name),
                    })
                })
                .collect();
            return Printer::new(global.output).list(&Value::from(list), CONTEXTS);
        }
        ContextCommand::Use { name } => {
            if !contexts.contexts.contains_key(name) {
                return Err(contexts.unknown(name));
            }
            contexts.current = Some(name.clone());
            contexts.store()?;
            message(&escape(&format!("using {name}")));
        }
        ContextCommand::Remove { name } => {
            if contexts.contexts.remove(name).is_none() {
                return Err(contexts.unknown(name));
            }
            if contexts.current.as_ref() == Some(name) {
                contexts.current = None;
            }
            contexts.store()?;
            message(&escape(&format!("removed {name}")));
        }
    }
    Ok(())
}
