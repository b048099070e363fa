//! What the management API takes, one client, with a database that loses nothing: writes beside commits, and pages of lists.

use std::time::Instant;

use bytes::Bytes;
use harness::Stack;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, query};

use crate::goals::Goal;
use crate::load::Connection;
use crate::probe::{Probe, millis};
use crate::report::{Figures, Report, median, percentile};
use crate::requests;
use crate::tenant::{Tenant, key_of};

pub const NAME: &str = "writes";
pub const LISTS: &str = "lists";

const FEW: usize = 100;
const MANY: usize = 10_000;
const WRITES: usize = 200;
const WARM_UP: usize = 20;
const LISTED: usize = 1_000;
const PAGES: usize = 100;
const PAGE: usize = 100;
const ENTRIES: i32 = 1_000_000;

/// Times of calls and of the commits in between, ms.
#[derive(Default)]
struct Times {
    calls: Vec<f64>,
    commits: Vec<f64>,
    fsyncs: Vec<f64>,
}

impl Times {
    /// What a call takes, in commits: of each call and the commit after it, so that a disk that drifts does not matter.
    fn in_commits(&self) -> f64 {
        let pairs = self.calls.iter().zip(&self.commits);
        median(pairs.map(|(call, commit)| call / commit))
    }

    fn figures(&self) -> Figures {
        Figures::from([
            ("p50 ms", percentile(&self.calls, 50)),
            ("p99 ms", percentile(&self.calls, 99)),
            ("commit p50 ms", percentile(&self.commits, 50)),
            ("commit p99 ms", percentile(&self.commits, 99)),
            ("fsync p50 ms", percentile(&self.fsyncs, 50)),
            ("fsync p99 ms", percentile(&self.fsyncs, 99)),
        ])
    }
}

/// A service, and a client that writes to it.
struct Writer {
    stack: Stack,
    tenant: Tenant,
    connection: Connection,
    probe: Probe,
}

impl Writer {
    async fn begin() -> Self {
        let stack = Stack::start_with(&[("LOG_LEVEL", "info"), ("RATE_MANAGEMENT", "0")]).await;
        let tenant = Tenant::register(&stack, "bench").await;
        let address = stack.control.address("http");
        Self {
            connection: Connection::open(&address).await.expect("it listens"),
            probe: Probe::begin(&stack).await,
            tenant,
            stack,
        }
    }

    async fn grow(&self, flags: usize) {
        let own = self.stack.anonymous();
        self.tenant.grow(&self.stack, flags, &own).await;
    }

    /// Sends requests one after the other, with a commit and a file that is made durable after each.
    async fn time(&mut self, status: u16, request: impl Fn(&Tenant, usize) -> Bytes) -> Times {
        let mut times = Times::default();
        for number in 0..WARM_UP + WRITES {
            let request = request(&self.tenant, number);
            let began = Instant::now();
            let answer = self.connection.ask(&request).await.expect("an answer");
            let took = millis(began.elapsed());
            assert_eq!(answer.0, status);
            let (commit, fsync) = (self.probe.commit().await, self.probe.fsync());
            if number >= WARM_UP {
                times.calls.push(took);
                times.commits.push(commit);
                times.fsyncs.push(fsync);
            }
        }
        times
    }

    /// States that are never what is stored.
    async fn states(&mut self) -> Times {
        self.time(200, |tenant, number| {
            let flag = key_of(10 + number % (FEW - 10));
            let state = json!({"enabled": number % 2 == 0, "percentage_rollout": number});
            let token = &tenant.owner.access_token;
            requests::managed(token, "PUT", &tenant.state(&flag), &state)
        })
        .await
    }
}

/// Writes of flag states among few and many flags, and of flags.
pub async fn run(report: &mut Report) {
    let mut writer = Writer::begin().await;
    writer.grow(FEW).await;
    let few = writer.states().await;
    let created = writer
        .time(201, |tenant, number| {
            let key = format!("created-{number}");
            let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
            requests::managed(&tenant.owner.access_token, "POST", &tenant.flags(), &flag)
        })
        .await;
    writer.grow(MANY).await;
    let many = writer.states().await;

    let commits = Goal::at_most(2.0, 1.0);
    let quantity = "PUT of a state among 100 flags";
    report.judge(
        NAME,
        quantity,
        "commits",
        commits,
        few.in_commits(),
        few.figures(),
    );
    let quantity = "PUT of a state among 10,000 flags";
    report.judge(
        NAME,
        quantity,
        "commits",
        commits,
        many.in_commits(),
        many.figures(),
    );
    report.judge(
        NAME,
        "10,000 flags to 100 flags",
        "times",
        // What two halves of the same run differ by.
        Goal::at_most(1.15, 1.05),
        percentile(&many.calls, 50) / percentile(&few.calls, 50),
        Figures::new(),
    );
    let quantity = "POST of a flag";
    report.tell(
        NAME,
        quantity,
        "commits",
        created.in_commits(),
        created.figures(),
    );
}

/// Pages of 100: of 1,000 flags, and of an audit trail with a million entries.
pub async fn run_lists(report: &mut Report) {
    let mut writer = Writer::begin().await;
    writer.grow(LISTED).await;
    fill_the_trail(&writer).await;
    let flags = writer.tenant.flags();
    let last = LISTED - PAGE;
    let goal = Some(Goal::at_most(5.0, 2.0));
    let pages = [
        ("a page of 100 of 1,000 flags", flags.clone(), 0, goal),
        ("the last page of 1,000 flags", flags, last, goal),
        (
            "the first 100 of 1,000,000 audit entries",
            "/v1/audit".to_owned(),
            0,
            None,
        ),
        (
            "the 100th hundred of them",
            "/v1/audit".to_owned(),
            9_900,
            None,
        ),
    ];
    for (quantity, path, offset, goal) in pages {
        let path = format!("{path}?limit={PAGE}&offset={offset}");
        let times = read(&mut writer, &path).await;
        let p50 = percentile(&times, 50);
        let figures = Figures::from([("p99 ms", percentile(&times, 99))]);
        match goal {
            Some(goal) => report.judge(LISTS, quantity, "ms", goal, p50, figures),
            None => report.tell(LISTS, quantity, "ms", p50, figures),
        }
    }
}

async fn read(writer: &mut Writer, path: &str) -> Vec<f64> {
    let request = requests::listed(&writer.tenant.owner.access_token, path);
    let (status, body) = writer.connection.fetch(&request).await.expect("an answer");
    let page: Value = serde_json::from_slice(&body).expect("JSON");
    assert_eq!(status, 200, "{page}");
    assert_eq!(page["data"].as_array().map(Vec::len), Some(PAGE), "{path}");
    let mut times = Vec::new();
    for number in 0..WARM_UP + PAGES {
        let began = Instant::now();
        let (status, _) = writer.connection.ask(&request).await.expect("an answer");
        assert_eq!(status, 200);
        if number >= WARM_UP {
            times.push(millis(began.elapsed()));
        }
    }
    times
}

/// Copies the newest entry of a flag's state until there are a million.
async fn fill_the_trail(writer: &Writer) {
    let mut database = PgConnection::connect(writer.stack.database().url())
        .await
        .expect("the database of the service answers");
    query(
        "INSERT INTO audit_entries (id, org_id, actor_id, actor_type, action, resource_type, resource_id, project_id,
                                    before_state, after_state, metadata, ip_address, created_at)
         SELECT gen_random_uuid(), org_id, actor_id, actor_type, action, resource_type, resource_id, project_id,
                before_state, after_state, metadata, ip_address, created_at - number * interval '1 second'
         FROM (SELECT * FROM audit_entries WHERE project_id = $1::uuid ORDER BY created_at DESC LIMIT 1) AS newest,
              generate_series(1, $2::integer) AS number",
    )
    .bind(&writer.tenant.project.id)
    .bind(ENTRIES)
    .execute(&mut database)
    .await
    .expect("entries");
    query("VACUUM ANALYZE audit_entries")
        .execute(&mut database)
        .await
        .expect("tables can be analysed");
}
