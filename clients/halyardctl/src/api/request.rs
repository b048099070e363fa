//! A request: an operation with the parts of its path, its query, its body.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value};

use super::Operation;

/// What stays as it is in a part of a path and in a query: the unreserved characters of RFC 3986.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'.')
    .remove(b'_')
    .remove(b'~');

/// A call of an operation. Built in steps; nothing is sent before a client is given it.
#[derive(Clone, Debug)]
pub struct Request {
    pub(super) method: String,
    pub(super) path: String,
    pub(super) query: Vec<(String, String)>,
    pub(super) body: Option<Value>,
    pub(super) if_match: Option<String>,
    /// The operation; `None` for a request that the user wrote.
    declared: Option<&'static Operation>,
    /// The parts of the path, in their order.
    parts: Vec<String>,
}

impl Request {
    /// A call of an operation. `parts` are the parts of its path, in their order; they are encoded.
    ///
    /// # Panics
    /// Where the number of parts is another than the path has: a mistake in this program.
    #[must_use]
    pub fn new(operation: &'static Operation, parts: &[&str]) -> Self {
        let given: Vec<_> = parts.iter().map(|part| (*part).to_owned()).collect();
        let mut parts = parts.iter();
        let path: Vec<_> = operation
            .path
            .split('/')
            .map(|segment| {
                if segment.starts_with('{') {
                    part(parts.next().expect("a value for each part of a path"))
                } else {
                    segment.to_owned()
                }
            })
            .collect();
        assert!(parts.next().is_none(), "{} has fewer parts", operation.path);
        Self {
            method: operation.method.to_owned(),
            path: path.join("/"),
            query: Vec::new(),
            body: None,
            if_match: None,
            declared: Some(operation),
            parts: given,
        }
    }

    /// A request as the user wrote it, with a method and a path that may have a query.
    #[must_use]
    pub fn raw(method: &str, path: &str) -> Self {
        Self {
            method: method.to_owned(),
            path: path.to_owned(),
            query: Vec::new(),
            body: None,
            if_match: None,
            declared: None,
            parts: Vec::new(),
        }
    }

    /// Adds a parameter of the query, where there is a value.
    #[must_use]
    pub fn query(mut self, name: &str, value: Option<impl ToString>) -> Self {
        debug_assert!(
            self.declared.is_none_or(|by| by.query.contains(&name)),
            "{} does not declare ?{name}",
            self.path
        );
        if let Some(value) = value {
            self.query.push((name.to_owned(), value.to_string()));
        }
        self
    }

    /// Sets a field of the body, where there is a value.
    #[must_use]
    pub fn field(mut self, name: &str, value: Option<impl Into<Value>>) -> Self {
        debug_assert!(
            self.declared.is_none_or(|by| by.body.contains(&name)),
            "{} does not declare {name}",
            self.path
        );
        if let Some(value) = value {
            let body = self.body.get_or_insert_with(|| Map::new().into());
            if let Some(fields) = body.as_object_mut() {
                fields.insert(name.to_owned(), value.into());
            }
        }
        self
    }

    /// The same with a body as the user wrote it. Fields that are set afterwards replace those it has.
    #[must_use]
    pub fn body(mut self, body: Option<Value>) -> Self {
        self.body = body;
        self
    }

    /// The same with `If-Match`, where there is a tag. Quotes are added if there are none.
    #[must_use]
    pub fn if_match(mut self, tag: Option<&str>) -> Self {
        debug_assert!(tag.is_none() || self.declared.is_none_or(|by| by.if_match));
        self.if_match = tag.map(|tag| match tag {
            "*" => tag.to_owned(),
            tag if tag.contains('"') => tag.to_owned(),
            tag => format!("\"{tag}\""),
        });
        self
    }

    /// The part of the path that has this name in the API document.
    #[must_use]
    pub fn part(&self, name: &str) -> Option<&str> {
        let path = self.declared?.path;
        let mut names = path.split('/').filter(|part| part.starts_with('{'));
        let place = names.position(|part| part.trim_matches(['{', '}']) == name)?;
        self.parts.get(place).map(String::as_str)
    }

    /// The project that it names, in its path or its body.
    #[must_use]
    pub fn project(&self) -> Option<String> {
        let part = self.part("projectID");
        let body = || self.named(&["project_id", "target_project_id"]).next();
        part.map(str::to_owned).or_else(body)
    }

    /// The environments that it names, in its path, its query or its body.
    #[must_use]
    pub fn environments(&self) -> Vec<String> {
        let part = self.part("envID").map(str::to_owned);
        let query = self.query.iter().filter(|(name, _)| name == "env_id");
        part.into_iter()
            .chain(query.map(|(_, value)| value.clone()))
            .chain(self.named(&["env_id", "source_env_id", "target_env_id"]))
            .collect()
    }

    fn named<'a>(&'a self, fields: &'a [&str]) -> impl Iterator<Item = String> + 'a {
        let body = self.body.as_ref();
        fields.iter().filter_map(move |field| {
            let value = body?.get(field)?.as_str()?;
            Some(value.to_owned())
        })
    }

    /// Whether its answer may take minutes.
    pub(super) fn is_slow(&self) -> bool {
        self.declared.is_some_and(|by| by.is_slow)
    }

    /// The body, if there is one.
    #[must_use]
    pub const fn sent(&self) -> Option<&Value> {
        self.body.as_ref()
    }

    /// Whether it changes nothing, so that it can be sent again.
    pub(super) fn is_safe(&self) -> bool {
        self.method == "GET"
    }

    /// The path with the query, as it is sent.
    pub(super) fn target(&self) -> String {
        self.written(|_, value| value)
    }

    /// The same for people: without the values of parameters that are named like secrets.
    pub(super) fn shown(&self) -> String {
        const SECRET: [&str; 4] = ["key", "token", "secret", "password"];
        self.written(|name, value| {
            let name = name.to_lowercase();
            let hidden = SECRET.iter().any(|word| name.contains(word)) && name != "flag_key";
            if hidden { "…" } else { value }
        })
    }

    fn written(&self, shown: impl for<'a> Fn(&str, &'a str) -> &'a str) -> String {
        let (path, own) = match self.path.split_once('?') {
            Some((path, own)) => (path, Some(own)),
            None => (self.path.as_str(), None),
        };
        let own = own.into_iter().flat_map(|own| own.split('&')).map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            format!("{name}={}", shown(name, value))
        });
        let added = self.query.iter().map(|(name, value)| {
            let value = match shown(name, value) {
                "…" => "…".to_owned(),
                value => utf8_percent_encode(value, ENCODED).to_string(),
            };
            format!("{}={value}", utf8_percent_encode(name, ENCODED))
        });
        let query: Vec<_> = own.chain(added).collect();
        if query.is_empty() {
            path.to_owned()
        } else {
            format!("{path}?{}", query.join("&"))
        }
    }
}

/// A part of a path. One of dots alone would be read as a step upwards even if it were encoded, and an empty one would be another
/// path; both are sent as what cannot be.
fn part(text: &str) -> String {
    match text {
        "" => "%00".to_owned(),
        "." | ".." => text.replace('.', "%252E"),
        text => utf8_percent_encode(text, ENCODED).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{super::operations, *};

    #[test]
    fn parts_of_a_path_and_of_a_query_are_encoded() {
        let request = Request::new(&operations::GET_FLAG, &["a/b", "c?d#e f"]);
        assert_eq!(request.target(), "/v1/projects/a%2Fb/flags/c%3Fd%23e%20f");
        let request = Request::new(&operations::GET_FLAG, &["..", ""]);
        assert_eq!(request.target(), "/v1/projects/%252E%252E/flags/%00");
        let request = Request::new(&operations::LIST_FLAGS, &["shop"])
            .query("q", Some("a&b=ü"))
            .query("tag", None::<&str>)
            .query("limit", Some(3));
        assert_eq!(
            request.target(),
            "/v1/projects/shop/overview?q=a%26b%3D%C3%BC&limit=3"
        );
    }

    #[test]
    fn values_of_parameters_named_like_secrets_are_not_shown() {
        let request = Request::raw("GET", "/v1/x?api_key=s1&limit=3&flag_key=a")
            .query("Token", Some("s2"))
            .query("q", Some("b"));
        assert_eq!(
            request.shown(),
            "/v1/x?api_key=…&limit=3&flag_key=a&Token=…&q=b"
        );
        assert_eq!(
            request.target(),
            "/v1/x?api_key=s1&limit=3&flag_key=a&Token=s2&q=b"
        );
    }

    #[test]
    fn options_replace_fields_of_a_body_that_was_given() {
        let request = Request::new(&operations::CREATE_FLAG, &["shop"])
            .body(Some(json!({"key": "a", "owner_id": "b"})))
            .field("key", Some("c"))
            .field("name", None::<&str>);
        assert_eq!(request.body, Some(json!({"key": "c", "owner_id": "b"})));
    }

    #[test]
    fn a_tag_is_quoted_once() {
        let tagged = |tag| {
            let request = Request::new(&operations::KILL_FLAG, &["a", "b"]);
            request.if_match(Some(tag)).if_match.unwrap()
        };
        assert_eq!(tagged("42"), "\"42\"");
        assert_eq!(tagged("\"42\""), "\"42\"");
        assert_eq!(tagged("*"), "*");
    }
}
