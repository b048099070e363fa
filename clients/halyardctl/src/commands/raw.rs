//! Any request, for what no command does.

use serde_json::Value;

use super::{input, session::Session};
use crate::{
    api::{Error, Request},
    arguments::Api,
    output,
};

pub(super) async fn send(session: &Session, wanted: &Api) -> Result<(), Error> {
    let method = wanted.method.to_uppercase();
    if !["GET", "POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str()) {
        let what = "the method is GET, POST, PUT, PATCH or DELETE";
        return Err(Error::Usage(what.to_owned()));
    }
    let is_path = wanted.path.starts_with('/') && !wanted.path.starts_with("//");
    if !is_path
        || !wanted
            .path
            .chars()
            .all(|character| character.is_ascii_graphic())
    {
        let what = "the path begins with /, like /v1/projects, and is encoded as in an address";
        return Err(Error::Usage(what.to_owned()));
    }
    let text = |value: &str| Ok(Value::from(value));
    let mut fields = input::pairs("-f", &wanted.fields, text)?;
    let json = |value: &str| {
        serde_json::from_str(value).map_err(|why| Error::Usage(format!("-F is not JSON: {why}")))
    };
    fields.extend(input::pairs("-F", &wanted.json_fields, json)?);
    let mut request = Request::raw(&method, &wanted.path)
        .body(input::body(wanted.input.as_deref())?)
        .if_match(wanted.if_match.as_deref());
    for (name, value) in fields {
        request = if method == "GET" {
            let value = value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned);
            request.query(&name, Some(value))
        } else {
            request.field(&name, Some(value))
        };
    }
    let answer = session.send(&request).await?;
    match serde_json::from_str::<Value>(&answer.text) {
        Ok(value) => session.printer.value(&value),
        Err(_) => output::write_lines(&answer.text),
    }
}
