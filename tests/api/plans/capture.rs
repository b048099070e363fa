//! Plans that PostgreSQL reports as notices, which the driver logs.

use std::fmt;
use std::sync::{Arc, Mutex};

use serde_json::Value;
use tracing::field::{Field, Visit};
use tracing::subscriber::DefaultGuard;
use tracing::{Event, Subscriber};
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};

/// The plans of everything on this thread, on which a test has all its tasks.
pub struct Plans {
    heard: Arc<Mutex<Vec<Plan>>>,
    _guard: DefaultGuard,
}

/// How a statement was executed.
#[derive(Clone)]
pub struct Plan(Value);

struct Hearing(Arc<Mutex<Vec<Plan>>>);

struct Message(String);

impl Plans {
    pub fn capture() -> Self {
        let heard = Arc::<Mutex<_>>::default();
        let subscriber = tracing_subscriber::registry().with(Hearing(Arc::clone(&heard)));
        Self {
            heard,
            _guard: tracing::subscriber::set_default(subscriber),
        }
    }

    pub fn forget(&self) {
        self.heard.lock().unwrap().clear();
    }

    /// Those of statements with this text.
    pub fn about(&self, text: &str) -> Vec<Plan> {
        let heard = self.heard.lock().unwrap();
        let about = heard.iter().filter(|plan| plan.statement().contains(text));
        about.cloned().collect()
    }
}

impl<S: Subscriber> Layer<S> for Hearing {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        if event.metadata().target() == "sqlx::postgres::notice" {
            let mut message = Message(String::new());
            event.record(&mut message);
            if let Some((_, plan)) = message.0.split_once("plan:\n") {
                let plan = serde_json::from_str(plan).expect("a plan");
                self.0.lock().unwrap().push(Plan(plan));
            }
        }
    }
}

impl Visit for Message {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if field.name() == "message" {
            self.0 = format!("{value:?}");
        }
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        if field.name() == "message" {
            value.clone_into(&mut self.0);
        }
    }
}

impl Plan {
    fn statement(&self) -> &str {
        self.0["Query Text"].as_str().unwrap_or_default()
    }

    pub fn text(&self) -> String {
        format!("{:#}", self.0)
    }

    /// Which of these tables, or of their partitions, were read from end to end. Of a few rows that is right.
    pub fn scanned(&self, tables: &[&str]) -> Vec<String> {
        let relation = |node: &Value| node["Relation Name"].as_str().map(str::to_owned);
        let is_large = |name: &String| {
            tables
                .iter()
                .any(|table| name == table || name.starts_with("audit_entries_"))
        };
        let is_long = |node: &&Value| {
            let rows = ["Actual Rows", "Rows Removed by Filter"].map(|field| node[field].as_f64());
            let is_scan = node["Node Type"]
                .as_str()
                .is_some_and(|kind| kind.ends_with("Seq Scan"));
            is_scan && rows.into_iter().flatten().sum::<f64>() > 1_000.0
        };
        let scans = self.executed().into_iter().filter(is_long);
        scans.filter_map(relation).filter(is_large).collect()
    }

    /// The partitions that were read.
    pub fn partitions(&self) -> Vec<String> {
        self.partitions_by("")
    }

    /// The partitions that were read by an index with this in its name.
    pub fn partitions_by(&self, index: &str) -> Vec<String> {
        let text = |node: &Value, field: &str| node[field].as_str().unwrap_or_default().to_owned();
        let nodes = self.executed().into_iter();
        let scans = nodes.filter(|node| text(node, "Index Name").contains(index));
        let relations = scans.map(|node| text(node, "Relation Name"));
        relations
            .filter(|name| name.starts_with("audit_entries_"))
            .collect()
    }

    fn executed(&self) -> Vec<&Value> {
        let mut found = Vec::new();
        let mut rest = vec![&self.0["Plan"]];
        while let Some(node) = rest.pop() {
            if node["Actual Loops"]
                .as_f64()
                .is_some_and(|loops| loops > 0.0)
            {
                found.push(node);
            }
            rest.extend(node["Plans"].as_array().into_iter().flatten());
        }
        found
    }
}
