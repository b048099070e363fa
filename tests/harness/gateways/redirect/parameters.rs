//! Parameters of calls: form fields with brackets, checked as the gateway checks them, and its refusals.

use serde_json::{Map, Value, json};

use super::api::Answer;

/// The fields of a call.
pub(super) struct Parameters<'a>(pub(super) &'a [(String, String)]);

impl<'a> Parameters<'a> {
    /// The value of a field; empty counts as absent.
    pub(super) fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().find(|(field, _)| field == name);
        found
            .map(|(_, value)| value.as_str())
            .filter(|value| !value.is_empty())
    }

    pub(super) fn owned(&self, name: &str) -> Option<String> {
        self.get(name).map(str::to_owned)
    }

    /// The value of a field that must be there.
    pub(super) fn required(&self, name: &'static str) -> Result<&'a str, Answer> {
        self.get(name).ok_or_else(|| {
            invalid(400)
                .code("parameter_missing")
                .about(name, &format!("Missing required param: {name}."))
        })
    }

    /// An absolute address.
    pub(super) fn address(&self, name: &'static str) -> Result<Option<String>, Answer> {
        let is_address = |text: &&str| {
            text.parse::<axum::http::Uri>()
                .is_ok_and(|uri| uri.scheme().is_some())
        };
        match self.get(name) {
            Some(text) if !is_address(&text) => Err(invalid(400)
                .code("url_invalid")
                .about(name, "Not a valid URL")),
            text => Ok(text.map(str::to_owned)),
        }
    }

    pub(super) fn boolean(&self, name: &'static str) -> Result<Option<bool>, Answer> {
        match self.get(name) {
            None => Ok(None),
            Some("true") => Ok(Some(true)),
            Some("false") => Ok(Some(false)),
            Some(other) => Err(invalid(400).about(name, &format!("Invalid boolean: {other}"))),
        }
    }

    /// The fields `prefix[key]`, with the bounds of metadata.
    pub(super) fn metadata(&self, prefix: &'static str) -> Result<Map<String, Value>, Answer> {
        let mut metadata = Map::new();
        for (name, value) in self.0 {
            let key = name
                .strip_prefix(prefix)
                .and_then(|rest| rest.strip_prefix('[')?.strip_suffix(']'));
            let Some(key) = key else { continue };
            if key.chars().count() > 40 || value.chars().count() > 500 || metadata.len() == 50 {
                return Err(invalid(400).about(
                    prefix,
                    "Metadata is limited to 50 keys of 40 characters with values of 500.",
                ));
            }
            metadata.insert(key.to_owned(), json!(value));
        }
        Ok(metadata)
    }

    /// Refuses fields whose name, up to the first bracket, is none of these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), Answer> {
        let top = |name: &'a str| name.split_once('[').map_or(name, |(top, _)| top);
        let unknown = self.0.iter().find(|(name, _)| !known.contains(&top(name)));
        match unknown {
            Some((name, _)) => {
                let message = format!("Received unknown parameter: {name}");
                Err(invalid(400).code("parameter_unknown").about(name, &message))
            }
            None => Ok(()),
        }
    }
}

/// The beginning of a refusal.
pub(super) const fn invalid(status: u16) -> Refusal {
    Refusal { status, code: None }
}

/// A refusal without its words.
pub(super) struct Refusal {
    status: u16,
    code: Option<&'static str>,
}

impl Refusal {
    pub(super) const fn code(self, code: &'static str) -> Self {
        Self {
            status: self.status,
            code: Some(code),
        }
    }

    /// With words about a parameter.
    pub(super) fn about(self, parameter: &str, message: &str) -> Answer {
        let mut answer = self.says("invalid_request_error", message);
        answer.body["error"]["param"] = json!(parameter);
        answer
    }

    /// There is no such thing.
    pub(super) fn missing(self, what: &str, id: &str, parameter: &str) -> Answer {
        self.code("resource_missing")
            .about(parameter, &format!("No such {what}: '{id}'"))
    }

    /// With words about the call.
    pub(super) fn says(self, kind: &str, message: &str) -> Answer {
        let mut error = json!({"message": message, "type": kind});
        if let Some(code) = self.code {
            error["code"] = json!(code);
            error["doc_url"] = json!(format!(
                "https://stripe.com/docs/error-codes/{}",
                code.replace('_', "-")
            ));
        }
        Answer {
            status: self.status,
            body: json!({"error": error}),
            is_replayed: false,
        }
    }
}
