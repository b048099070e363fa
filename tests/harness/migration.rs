//! Imports from other platforms: running one to its end, and comparing what Halyard answers afterwards with what the platform answers.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use serde_json::{Value, json};

use crate::{app::App, caller::Caller, patience::eventually, user::User};

/// A folder of `tests/platforms/` packages that `./dev test` has installed. `None`, said loudly, where there is none: the comparison
/// that needs it is left out.
#[must_use]
pub fn platform(name: &str) -> Option<PathBuf> {
    let folder =
        std::env::var_os("HALYARD_PLATFORMS").map(|folder| PathBuf::from(folder).join(name));
    let found = folder.filter(|folder| folder.join("stamp").is_file());
    if found.is_none() {
        println!(
            "SKIPPED: nothing is compared with {name}, whose packages are not installed (./dev test installs them)"
        );
    }
    found
}

/// An import that has ended.
#[derive(Clone, Debug)]
pub struct Imported {
    /// Its id.
    pub id: String,
    /// What `status` answers.
    pub status: Value,
    /// All items of its report.
    pub items: Vec<Value>,
}

/// Runs an import, given the body of `execute`, until it has ended. Waiting for that asks more often than the rates of migration
/// allow: start the [`App`] with `RATE_MIGRATION` 0.
///
/// # Panics
/// When it does not begin or does not end.
pub async fn import(owner: &User, body: &Value) -> Imported {
    let started = owner.post("/v1/migration/execute", body.clone()).await;
    started.expect_status(200);
    assert_eq!(started.body["status"], "started");
    let id = started.text("/migration_id");
    ended(owner, id).await
}

/// Waits for the end of an import that was begun.
///
/// # Panics
/// When it does not end.
pub async fn ended(owner: &User, id: String) -> Imported {
    let path = format!("/v1/migration/status/{id}");
    let status = eventually("the import has ended", async || {
        let status = owner.get(&path).await;
        status.expect_status(200);
        (status.body["status"] != "in_progress").then(|| status.body.clone())
    })
    .await;
    let mut items = Vec::new();
    loop {
        let path = format!("/v1/migration/{id}/report?limit=100&offset={}", items.len());
        let page = owner.get(&path).await;
        page.expect_status(200);
        items.extend(page.body["data"].as_array().expect("a list").clone());
        if page.body["has_more"] == false {
            break;
        }
    }
    Imported { id, status, items }
}

impl Imported {
    /// The keys of flags that it made exactly.
    #[must_use]
    pub fn exact_flags(&self) -> BTreeSet<&str> {
        let items = self.items.iter();
        items
            .filter(|item| item["kind"] == "flag" && item["verdict"] == "exact")
            .filter_map(|item| item["key"].as_str())
            .collect()
    }

    /// What it says of a flag, by its key or its name at the source.
    #[must_use]
    pub fn said_of(&self, flag: &str) -> Vec<String> {
        let items = self.items.iter().filter(|item| {
            item["kind"] == "flag" && (item["key"] == flag || item["source"] == flag)
        });
        items
            .filter_map(|item| item["reasons"].as_array())
            .flatten()
            .filter_map(|reason| Some(reason.as_str()?.to_owned()))
            .collect()
    }
}

/// Asks for values as an SDK does, in one environment.
pub struct Evaluator {
    caller: Caller,
    /// Its key.
    pub key: String,
}

impl Evaluator {
    /// Makes a key for the environment of this slug.
    ///
    /// # Panics
    /// When the project has no such environment.
    pub async fn new(app: &App, owner: &User, project_id: &str, slug: &str) -> Self {
        let path = format!("/v1/projects/{project_id}/environments?limit=100");
        let environments = owner.get(&path).await;
        let all = environments.body["data"].as_array().expect("a list");
        let found = all.iter().find(|env| env["slug"] == slug);
        let id = found.expect("the environment")["id"]
            .as_str()
            .expect("an id");
        let key = owner.api_key(id).await;
        let caller = app.anonymous().with_key(&key);
        Self { caller, key }
    }

    /// The values of these flags for a context (`key`, `attributes`); a flag that is unknown has none.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn values(&self, flags: &[&str], context: &Value) -> BTreeMap<String, Value> {
        let mut values = BTreeMap::new();
        for flags in flags.chunks(100) {
            let body = json!({"flag_keys": flags, "context": context});
            let answer = self.caller.post("/v1/evaluate/bulk", body).await;
            answer.expect_status(200);
            let answered = answer.body.as_object().expect("a map");
            for (flag, answer) in answered {
                if answer["reason"] != "NOT_FOUND" {
                    values.insert(flag.clone(), answer["value"].clone());
                }
            }
        }
        values
    }

    /// What OFREP answers to a user without attributes, by flag: with variants.
    ///
    /// # Panics
    /// When there is no answer.
    pub async fn answers(&self, key: &str) -> BTreeMap<String, Value> {
        let body = json!({"context": {"targetingKey": key}});
        let answer = self.caller.post("/ofrep/v1/evaluate/flags", body).await;
        answer.expect_status(200);
        let answers = answer.body["flags"].as_array().expect("a list").iter();
        let by_flag = |answer: &Value| {
            (
                answer["key"].as_str().unwrap_or_default().to_owned(),
                answer.clone(),
            )
        };
        answers.map(by_flag).collect()
    }
}

/// How answers agree, in three numbers.
#[derive(Debug, Default)]
pub struct Comparison {
    agreed: usize,
    warned: usize,
    silent: Vec<String>,
}

impl Comparison {
    /// Counts one pair of a flag and a context. A difference is silent unless the import said something of the flag.
    pub fn add(
        &mut self,
        imported: &Imported,
        flag: &str,
        context: &Value,
        theirs: &Value,
        ours: Option<&Value>,
    ) {
        if ours.is_some_and(|ours| is_same(theirs, ours)) {
            self.agreed += 1;
        } else if imported.said_of(flag).is_empty() {
            self.silent.push(format!(
                "{flag}: {theirs} there, {ours:?} here, for {context}"
            ));
        } else {
            self.warned += 1;
        }
    }

    /// Prints the numbers, and demands that nothing differs silently, that at least so many pairs were compared, and that at least so
    /// many of them agree.
    ///
    /// # Panics
    /// When that is not so.
    pub fn expect(&self, platform: &str, at_least: usize, agreeing: usize) {
        let (agreed, warned, silent) = (self.agreed, self.warned, self.silent.len());
        println!(
            "{platform}: {agreed} agreed, {warned} differ with a warning, {silent} differ silently"
        );
        assert!(
            self.silent.is_empty(),
            "{:#?}",
            self.silent.iter().take(20).collect::<Vec<_>>()
        );
        assert!(agreed + warned >= at_least, "too few pairs were compared");
        assert!(agreed >= agreeing, "too few pairs agree");
    }
}

/// Whether two values are the same: numbers by their size, however they are written.
fn is_same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == other.as_f64()
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| is_same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .all(|(name, value)| other.get(name).is_some_and(|other| is_same(value, other)))
        }
        (one, other) => one == other,
    }
}
