//! What the management API takes, one client, with a database that loses nothing: writes beside commits, and pages of lists.

use std::time::{Duration, Instant};

use bytes::Bytes;
use harness::Stack;
use serde_json::{Value, json};
use sqlx::{Connection as _, PgConnection, query, query_scalar};
use tokio::{task::JoinSet, time::sleep};

use crate::{
    goals::Goal,
    load::Connection,
    probe::{Probe, millis},
    report::{Figures, Report, median, percentile},
    requests,
    tenant::{Tenant, key_of},
};

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
const CLIENTS: usize = 10;
const WRITES_EACH: usize = 100;

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
    connection: Connection,
    probe: Probe,
}

impl Writer {
    async fn begin() -> Self {
        let stack = Stack::start_with(&[("LOG_LEVEL", "info"), ("RATE_MANAGEMENT", "0")]).await;
        Self {
            connection: connect(&stack).await,
            probe: Probe::begin(&stack).await,
            stack,
        }
    }

    /// An organization with so many flags.
    async fn tenant(&self, name: &str, flags: usize) -> Tenant {
        let tenant = Tenant::register(&self.stack, name).await;
        let own = self.stack.anonymous();
        tenant.grow(&self.stack, flags, &own).await;
        tenant
    }

    /// Sends a request, then commits, and makes a file durable.
    async fn time(&mut self, status: u16, request: &[u8], times: &mut Times) {
        let began = Instant::now();
        let answer = self.connection.ask(request).await.expect("an answer");
        times.calls.push(millis(began.elapsed()));
        assert_eq!(answer.0, status);
        times.commits.push(self.probe.commit().await);
        times.fsyncs.push(self.probe.fsync());
    }
}

async fn connect(stack: &Stack) -> Connection {
    let address = stack.control.address("http");
    Connection::open(&address).await.expect("it listens")
}

/// A state that is not what is stored.
fn put_state(tenant: &Tenant, number: usize) -> Bytes {
    let flag = key_of(10 + number % (FEW - 10));
    let state = json!({"enabled": number.is_multiple_of(2), "percentage_rollout": number});
    let token = &tenant.owner.access_token;
    requests::managed(token, "PUT", &tenant.state(&flag), &state)
}

fn post_flag(tenant: &Tenant, number: usize) -> Bytes {
    let key = format!("created-{number}");
    let flag = json!({"key": key, "name": key, "flag_type": "boolean"});
    requests::managed(&tenant.owner.access_token, "POST", &tenant.flags(), &flag)
}

/// Writes of flag states among few and many flags, and of flags, in turns.
pub async fn run(report: &mut Report) {
    let mut writer = Writer::begin().await;
    let few_flags = writer.tenant("few", FEW).await;
    let many_flags = writer.tenant("many", MANY).await;
    // Meanwhile the server has closed a connection that nobody used.
    writer.connection = connect(&writer.stack).await;
    let (mut few, mut many, mut created) = (Times::default(), Times::default(), Times::default());
    for number in 0..WARM_UP + WRITES {
        if number == WARM_UP {
            (few, many, created) = (Times::default(), Times::default(), Times::default());
        }
        let put = put_state(&few_flags, number);
        writer.time(200, &put, &mut few).await;
        let put = put_state(&many_flags, number);
        writer.time(200, &put, &mut many).await;
        let post = post_flag(&many_flags, number);
        writer.time(201, &post, &mut created).await;
    }

    let commits = Goal::at_most(2.0, 1.0);
    let quantity = "PUT of a state among 100 flags";
    let in_commits = few.in_commits();
    report.judge(
        NAME,
        quantity,
        "commits",
        commits,
        in_commits,
        few.figures(),
    );
    let quantity = "PUT of a state among 10,000 flags";
    let in_commits = many.in_commits();
    report.judge(
        NAME,
        quantity,
        "commits",
        commits,
        in_commits,
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
    let quantity = "POST of a flag among 10,000";
    let in_commits = created.in_commits();
    report.tell(NAME, quantity, "commits", in_commits, created.figures());
    together(report, &writer.stack, &few_flags).await;
}

/// Writes of ten clients to one project: how many there are, and for how much of their time they wait for its lock.
async fn together(report: &mut Report, stack: &Stack, tenant: &Tenant) {
    let mut database = PgConnection::connect(stack.database().url())
        .await
        .expect("the database of the service answers");
    let mut clients = JoinSet::new();
    let began = Instant::now();
    for client in 0..CLIENTS {
        let mut connection = connect(stack).await;
        // Others than those of before.
        let first = WRITES * 2 + client * WRITES_EACH;
        let puts: Vec<_> = (first..first + WRITES_EACH)
            .map(|number| put_state(tenant, number))
            .collect();
        clients.spawn(async move {
            for put in puts {
                assert_eq!(connection.ask(&put).await.expect("an answer").0, 200);
            }
        });
    }
    let mut waiting = Vec::new();
    loop {
        tokio::select! {
            ended = clients.join_next() => match ended {
                Some(ended) => ended.expect("every write is answered"),
                None => break,
            },
            () = sleep(Duration::from_millis(2)) => waiting.push(lock_waits(&mut database).await),
        }
    }
    let writes = (CLIENTS * WRITES_EACH) as f64;
    let share = waiting.iter().sum::<i64>() as f64 / (waiting.len() * CLIENTS) as f64;
    report.tell(
        NAME,
        "PUTs of 10 clients in one project",
        "a second",
        writes / began.elapsed().as_secs_f64(),
        Figures::from([("waiting for the lock", share)]),
    );
}

/// How many sessions wait for a lock.
async fn lock_waits(database: &mut PgConnection) -> i64 {
    query_scalar("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'")
        .fetch_one(database)
        .await
        .expect("statistics")
}

/// Pages of 100: of 1,000 flags, and of an audit trail with a million entries.
pub async fn run_lists(report: &mut Report) {
    let mut writer = Writer::begin().await;
    let tenant = writer.tenant("bench", LISTED).await;
    fill_the_trail(&writer.stack, &tenant).await;
    // Meanwhile the server has closed a connection that nobody used.
    writer.connection = connect(&writer.stack).await;
    let flags = tenant.flags();
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
        let times = read(&mut writer, &tenant, &path).await;
        let p50 = percentile(&times, 50);
        let figures = Figures::from([("p99 ms", percentile(&times, 99))]);
        match goal {
            Some(goal) => report.judge(LISTS, quantity, "ms", goal, p50, figures),
            None => report.tell(LISTS, quantity, "ms", p50, figures),
        }
    }
}

async fn read(writer: &mut Writer, tenant: &Tenant, path: &str) -> Vec<f64> {
    let request = requests::listed(&tenant.owner.access_token, path);
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
async fn fill_the_trail(stack: &Stack, tenant: &Tenant) {
    let mut database = PgConnection::connect(stack.database().url())
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
    .bind(&tenant.project.id)
    .bind(ENTRIES)
    .execute(&mut database)
    .await
    .expect("entries");
    query("VACUUM ANALYZE audit_entries")
        .execute(&mut database)
        .await
        .expect("tables can be analysed");
}
