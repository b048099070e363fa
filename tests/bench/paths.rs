//! What answering an evaluation costs an edge, beside the reference: 1,000 flags, one core, every feature of production on.

use std::path::Path;
use std::rc::Rc;

use bytes::Bytes;
use harness::ports::PortSetting;
use harness::process::Process;
use harness::{Edge, Stack};
use serde_json::{Value, json};

use crate::{
    cores::Cores,
    goals::Goal,
    load::{self, Round, Subject},
    report::{Figures, Report, median, percentile},
    requests,
    tenant::{Tenant, context, key_of},
};

const ROUNDS: usize = 5;
pub const FLAGS: usize = 1_000;
/// So many different requests, of as many users.
pub const REQUESTS: usize = 64;

const REFERENCE_PORTS: &[PortSetting] = &[PortSetting {
    name: "http",
    setting: "REFERENCE_ADDR",
}];

/// One way to ask.
struct Question {
    name: &'static str,
    quantity: &'static str,
    goal: Option<Goal>,
    request: fn(&Asked<'_>, usize) -> Bytes,
    status: u16,
    /// How many values an answer has.
    values: usize,
}

const QUESTIONS: &[Question] = &[
    Question {
        name: "evaluate",
        quantity: "POST /v1/evaluate",
        goal: Some(Goal::at_least(0.85, 1.0)),
        request: |asked, user| {
            let body = json!({"flag_key": flag_of(user), "context": context(user)});
            asked.post("/v1/evaluate", &body)
        },
        status: 200,
        values: 1,
    },
    Question {
        name: "bulk-100",
        quantity: "POST /v1/evaluate/bulk, 100 flags",
        goal: Some(Goal::at_least(0.5, 0.62)),
        request: |asked, user| {
            let keys: Vec<_> = (0..100).map(|flag| key_of(flag * 7 % FLAGS)).collect();
            let body = json!({"flag_keys": keys, "context": context(user)});
            asked.post("/v1/evaluate/bulk", &body)
        },
        status: 200,
        values: 100,
    },
    Question {
        name: "bulk-1000-client",
        quantity: "POST /v1/client/{envKey}/flags, 1,000 flags",
        goal: Some(Goal::at_least(0.12, 0.16)),
        request: |asked, user| {
            asked.post("/v1/client/dev/flags", &json!({"context": context(user)}))
        },
        status: 200,
        values: FLAGS,
    },
    Question {
        name: "bulk-1000-ofrep",
        quantity: "POST /ofrep/v1/evaluate/flags, 1,000 flags",
        goal: Some(Goal::at_least(0.12, 0.16)),
        request: |asked, user| asked.post("/ofrep/v1/evaluate/flags", &ofrep(user)),
        status: 200,
        values: FLAGS,
    },
    Question {
        name: "client-flags",
        quantity: "GET /v1/client/{envKey}/flags, 1,000 flags",
        goal: None,
        request: |asked, user| asked.get(user, ""),
        status: 200,
        values: FLAGS,
    },
    Question {
        name: "not-modified",
        quantity: "304 on GET /v1/client/{envKey}/flags",
        goal: Some(Goal::at_least(0.9, 1.05)),
        request: |asked, user| {
            let tag = &asked.tags[user];
            asked.get(user, &format!("if-none-match: {tag}\r\n"))
        },
        status: 304,
        values: 0,
    },
    Question {
        name: "ofrep-single",
        quantity: "POST /ofrep/v1/evaluate/flags/{key}",
        goal: None,
        request: |asked, user| {
            let path = format!("/ofrep/v1/evaluate/flags/{}", flag_of(user));
            asked.post(&path, &ofrep(user))
        },
        status: 200,
        values: 1,
    },
];

/// The names of all ways to ask.
pub fn names() -> impl Iterator<Item = &'static str> {
    QUESTIONS.iter().map(|question| question.name)
}

/// Measures those that are wanted.
pub async fn run(is_wanted: impl Fn(&str) -> bool, cores: &Cores, report: &mut Report) {
    let wanted: Vec<_> = QUESTIONS
        .iter()
        .filter(|question| is_wanted(question.name))
        .collect();
    if wanted.is_empty() {
        return;
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    let servers = Servers::start(cores, folder.path()).await;
    let reference = servers.reference_asked();
    let edge = &servers.edge;
    let asked = Asked {
        key: &servers.tenant.key,
        tags: tags(edge, &servers.tenant).await,
    };
    for question in wanted {
        let size = check(edge, question, &asked).await;
        let requests = (0..REQUESTS).map(|user| (question.request)(&asked, user));
        let ours = Subject {
            status: question.status,
            // Users are answered differently, but never with half as much.
            body: size / 2,
            ..asked_of(&edge.process, requests.collect())
        };
        let rounds = in_turns(&reference, &ours).await;
        tell(question, &rounds, size, report);
    }
}

/// The reference, and an edge with [`FLAGS`] flags, on a core of their own.
pub struct Servers {
    reference: Process,
    edge: Edge,
    tenant: Tenant,
    _stack: Stack,
}

impl Servers {
    pub async fn start(cores: &Cores, folder: &Path) -> Self {
        let mut reference = Process::new(
            "reference",
            "bench-reference",
            &[],
            [].into(),
            REFERENCE_PORTS,
            folder,
        );
        cores.start_server(reference.start()).await;
        // It shares a core with the load, and has next to nothing to do.
        let mut stack = Stack::start_with(&[("LOG_LEVEL", "info")]).await;
        let tenant = Tenant::register(&stack, "bench").await;
        let unlimited = u32::MAX.to_string();
        let settings = [("LOG_LEVEL", "info"), ("RATE_EVALUATION", &unlimited)];
        let edge = cores.start_server(stack.edge_with(&settings)).await;
        tenant
            .grow(&stack, FLAGS, &edge.with_key(&tenant.key))
            .await;
        Self {
            reference,
            edge,
            tenant,
            _stack: stack,
        }
    }

    /// The reference, which is asked what `evaluate` asks.
    pub fn reference_asked(&self) -> Subject {
        asked_of(&self.reference, self.requests("evaluate"))
    }

    /// The edge, which is asked what the benchmark of this name asks.
    pub fn edge_asked(&self, name: &str) -> Subject {
        asked_of(&self.edge.process, self.requests(name))
    }

    fn requests(&self, name: &str) -> Rc<[Bytes]> {
        let question = QUESTIONS.iter().find(|question| question.name == name);
        let question = question.expect("a name of theirs");
        let asked = Asked {
            key: &self.tenant.key,
            tags: Vec::new(),
        };
        let requests = (0..REQUESTS).map(|user| (question.request)(&asked, user));
        requests.collect()
    }
}

/// The key of the flag that a user is asked about: of every kind, and not only those that were made first.
pub fn flag_of(user: usize) -> String {
    key_of(user * 7 % FLAGS)
}

fn asked_of(process: &Process, requests: Rc<[Bytes]>) -> Subject {
    Subject {
        process: process.id(),
        address: process.address("http"),
        requests,
        status: 200,
        body: 0,
    }
}

/// What questions are made of.
struct Asked<'a> {
    key: &'a str,
    /// By user, the tag of what is asked by GET.
    tags: Vec<String>,
}

impl Asked<'_> {
    fn post(&self, path: &str, body: &Value) -> Bytes {
        requests::post(self.key, path, body)
    }

    fn get(&self, user: usize, headers: &str) -> Bytes {
        let path = format!("/v1/client/dev/flags?key=user-{user}");
        requests::get(self.key, &path, headers)
    }
}

fn ofrep(user: usize) -> Value {
    let mut context = context(user);
    let mut fields = context["attributes"].take();
    fields["targetingKey"] = context["key"].take();
    json!({"context": fields})
}

async fn tags(edge: &Edge, tenant: &Tenant) -> Vec<String> {
    let sdk = edge.with_key(&tenant.key);
    let mut tags = Vec::new();
    for user in 0..REQUESTS {
        let answer = sdk
            .get(&format!("/v1/client/dev/flags?key=user-{user}"))
            .await;
        answer.expect_status(200);
        tags.push(answer.header("etag").to_owned());
    }
    tags
}

/// Looks at one answer more closely than the load does; the length of its body.
async fn check(edge: &Edge, question: &Question, asked: &Asked<'_>) -> usize {
    let request = (question.request)(asked, 1);
    let address = edge.process.address("http");
    let mut connection = load::Connection::open(&address)
        .await
        .expect("the edge listens");
    let (status, body) = connection.fetch(&request).await.expect("an answer");
    assert_eq!(status, question.status, "{}", question.name);
    if question.values > 1 {
        let parsed: Value = serde_json::from_slice(&body).expect("JSON");
        let listed = parsed["flags"].as_array().map(Vec::len);
        let values = listed.or_else(|| Some(parsed.as_object()?.len()));
        assert_eq!(values, Some(question.values), "{}", question.name);
    }
    body.len()
}

/// Rounds of the reference and of ours, one after the other. The first of each warms up.
async fn in_turns(reference: &Subject, ours: &Subject) -> Vec<(Round, Round)> {
    let mut rounds = Vec::new();
    for _ in 0..=ROUNDS {
        rounds.push((load::round(reference).await, load::round(ours).await));
    }
    rounds.split_off(1)
}

fn tell(question: &Question, rounds: &[(Round, Round)], size: usize, report: &mut Report) {
    let of_both = |value: fn(&Round) -> f64| {
        let reference = median(rounds.iter().map(|(reference, _)| value(reference)));
        (
            reference,
            median(rounds.iter().map(|(_, ours)| value(ours))),
        )
    };
    let (reference_cpu, cpu) = of_both(|round| round.cpu);
    let (reference_user, user) = of_both(|round| round.user);
    let (reference_rate, rate) = of_both(|round| round.rate);
    let (reference_p50, p50) = of_both(|round| percentile(&round.waits, 50));
    let (reference_p99, p99) = of_both(|round| percentile(&round.waits, 99));
    // Machines drift: the two of one round belong together.
    let ratio = median(
        rounds
            .iter()
            .map(|(reference, ours)| reference.cpu / ours.cpu),
    );
    let figures = Figures::from([
        ("cpu µs", cpu),
        ("cpu of C µs", reference_cpu),
        ("user µs", user),
        ("user of C µs", reference_user),
        ("rate /s", rate),
        ("rate of C /s", reference_rate),
        ("p50 µs", p50),
        ("p50 of C µs", reference_p50),
        ("p99 µs", p99),
        ("p99 of C µs", reference_p99),
        // Less than a whole core: the load did not ask faster.
        ("busy cores", cpu * rate / 1e6),
        ("busy cores of C", reference_cpu * reference_rate / 1e6),
        (
            "body bytes",
            f64::from(u32::try_from(size).unwrap_or(u32::MAX)),
        ),
    ]);
    let (name, quantity) = (question.name, question.quantity);
    match question.goal {
        Some(goal) => report.judge(name, quantity, "C", goal, ratio, figures),
        None => report.tell(name, quantity, "C", ratio, figures),
    }
}
