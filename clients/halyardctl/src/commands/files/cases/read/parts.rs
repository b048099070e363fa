//! The parts of cases: what they are about, who asks, and what the answer must be.

use definition::input::date_time;
use files::{Path, meant, project::WrittenFlag, unknown_fields};
use protocol::{eval::Context, reason::Reason};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{CONTEXT, EXPECT, Expect, Reader, Setting};

impl<'a> Reader<'a> {
    pub(super) fn setting(&mut self, at: &Path, above: &Setting<'a>) -> Setting<'a> {
        let mut setting = above.clone();
        if let Some(key) = self.text(at, "flag") {
            setting.flag = Some(self.flag(&at.clone().key("flag"), &key));
        }
        if let Some(slug) = self.text(at, "environment") {
            setting.environment = Some(self.environment(&at.clone().key("environment"), &slug));
        }
        if let Some(text) = self.text(at, "at") {
            let time = date_time(&text);
            if time.is_none() {
                self.refuse(&at.clone().key("at"), "at must be an RFC 3339 date-time");
            }
            setting.at = Some(time);
        }
        setting
    }

    fn flag(&mut self, at: &Path, key: &str) -> Option<&'a WrittenFlag> {
        let all = &self.project.flags;
        let found = all.get(key);
        match found {
            None => {
                let keys: Vec<&str> = all.keys().map(String::as_str).collect();
                self.refuse(
                    at,
                    format!("no flag has the key {key:?}{}", meant(key, &keys)),
                );
            }
            Some(flag) if flag.archived => {
                self.refuse(at, format!("the flag {key:?} is archived, and not served"));
            }
            Some(_) => {}
        }
        found.filter(|flag| !flag.archived)
    }

    fn environment(&mut self, at: &Path, slug: &str) -> Option<&'a str> {
        let all = self.project.environments.iter();
        let slugs: Vec<&'a str> = all.map(|one| &*one.made.slug).collect();
        let found = slugs.iter().find(|known| **known == slug);
        if found.is_none() {
            let message = format!("there is no environment {slug:?}{}", meant(slug, &slugs));
            self.refuse(at, message);
        }
        found.copied()
    }

    /// A context, also one that is a key alone.
    pub(super) fn context(&mut self, at: &Path, in_list: bool) -> Option<Value> {
        let given = self.document.get(at)?;
        match given {
            Value::String(key) => self.sent(at, json!({"key": key, "attributes": {}})),
            Value::Object(fields) => {
                let known = if in_list { &CONTEXT[..] } else { &CONTEXT[..2] };
                let unknown = unknown_fields(self.document, at, known);
                self.problems.extend(unknown);
                let Some(key) = fields.get("key") else {
                    self.refuse(at, "key is required");
                    return None;
                };
                if !key.is_string() {
                    self.refuse(&at.clone().key("key"), "key must be text");
                    return None;
                }
                let attributes = fields
                    .get("attributes")
                    .cloned()
                    .unwrap_or_else(|| json!({}));
                self.sent(at, json!({"key": key, "attributes": attributes}))
            }
            _ => {
                self.refuse(
                    at,
                    "a context must be a key, or a map with `key` and `attributes`",
                );
                None
            }
        }
    }

    /// A context that a request could send.
    pub(super) fn sent(&mut self, at: &Path, given: Value) -> Option<Value> {
        let wrong = match Context::deserialize(&given) {
            Ok(context) => context.check_limits().err().map(|error| error.to_string()),
            Err(_) => Some("attributes must be a map".to_owned()),
        };
        match wrong {
            None => Some(given),
            Some(message) => {
                self.refuse(at, message);
                None
            }
        }
    }

    /// What is under `expect`, if there is something.
    pub(super) fn expected(&mut self, at: &Path, setting: &Setting<'a>) -> Option<Expect> {
        let at = at.clone().key("expect");
        let given = self.document.get(&at)?;
        if !given.is_object() {
            self.refuse(
                &at,
                "expect must be a map with `value`, `reason` or `variant`",
            );
            return Some(Expect::default());
        }
        let unknown = unknown_fields(self.document, &at, &EXPECT);
        self.problems.extend(unknown);
        Some(self.answer(&at, setting))
    }

    pub(super) fn answer(&mut self, at: &Path, setting: &Setting<'a>) -> Expect {
        let field = |name: &str| at.clone().key(name);
        let value = self.document.get(&field("value")).cloned();
        let flag = setting.flag.flatten();
        if let (Some(value), Some(flag)) = (&value, flag)
            && let Err(wrong) = flag.flag.made.flag_type.check("value", value)
        {
            self.refuse(&field("value"), format!("{wrong}, as the flag is"));
        }
        let reason = self.text(at, "reason");
        let reason = reason.and_then(|name| {
            let found = Reason::ALL
                .into_iter()
                .find(|reason| reason.as_str() == name);
            if found.is_none() {
                let names = Reason::ALL.map(Reason::as_str);
                let message = format!("no such reason, there are: {}", names.join(", "));
                self.refuse(&field("reason"), message);
            }
            found
        });
        let variant = self.text(at, "variant");
        let given = |name: &str| self.document.get(&field(name)).is_some();
        if !EXPECT.into_iter().any(given) {
            self.refuse(at, "one of `value`, `reason` and `variant` is required");
        }
        Expect {
            value,
            reason,
            variant,
        }
    }

    pub(super) fn text(&mut self, at: &Path, field: &str) -> Option<String> {
        let at = at.clone().key(field);
        match self.document.get(&at)? {
            Value::String(text) => Some(text.clone()),
            _ => {
                self.refuse(&at, format!("{field} must be text"));
                None
            }
        }
    }

    pub(super) fn percent(&mut self, at: &Path, field: &str) -> Option<f64> {
        let at = at.clone().key(field);
        let number = self.document.get(&at)?.as_f64();
        let number = number.filter(|number| (0.0..=100.0).contains(number));
        if number.is_none() {
            self.refuse(&at, format!("{field} must be a number from 0 to 100"));
        }
        number
    }
}
