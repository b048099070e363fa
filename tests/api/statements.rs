//! What requests ask of the database: each statement is a round trip, which takes longer than most of what it does. Numbers that
//! grow here are a price that every user pays, so they are no accident.

use harness::user::DefaultProject;
use harness::{App, Response, Statements, User};
use serde_json::json;

struct Setup {
    statements: Statements,
    owner: User,
    project: DefaultProject,
    // Last, so that it ends after what goes on in it.
    app: App,
}

impl Setup {
    async fn new() -> Self {
        Self::with(&[]).await
    }

    async fn with(settings: &[(&str, &str)]) -> Self {
        let (app, statements) = App::start_heard_with(settings).await;
        let owner = app.signup("acme").await;
        let project = owner.default_project().await;
        let setup = Self {
            statements,
            owner,
            project,
            app,
        };
        setup.create("flag").await;
        setup
    }

    fn flags(&self) -> String {
        format!("/v1/projects/{}/flags", self.project.id)
    }

    fn state(&self) -> String {
        format!("{}/flag/environments/{}", self.flags(), self.project.dev)
    }

    async fn create(&self, key: &str) -> Response {
        let body = json!({"key": key, "name": key, "flag_type": "boolean", "default_value": false});
        self.owner.create(&self.flags(), body).await
    }

    async fn toggle(&self, enabled: bool) -> Response {
        self.owner
            .change(&self.state(), json!({"enabled": enabled}))
            .await
    }

    async fn get(&self, path: &str) -> Response {
        let answer = self.owner.get(path).await;
        answer.expect_status(200);
        answer
    }

    /// Does something twice; the second time takes at most so many statements.
    async fn takes(&self, most: usize, what: &str, work: impl AsyncFn(usize) -> Response) {
        work(0).await;
        let before = self.statements.heard();
        work(1).await;
        let sent = self.statements.of_requests(before);
        assert!(!sent.is_empty(), "{what} sent nothing");
        assert!(
            sent.len() <= most,
            "{what} sent {} statements:\n{}",
            sent.len(),
            sent.join("\n---\n")
        );
    }
}

#[tokio::test]
async fn a_write_sends_a_few_statements() {
    let setup = Setup::new().await;
    let toggle = async |round: usize| setup.toggle(round == 0).await;
    setup.takes(10, "a toggle", toggle).await;
    let kill = async |_| {
        let path = format!("{}/flag/kill", setup.flags());
        let killed = setup
            .owner
            .post(&path, json!({"env_id": setup.project.dev}));
        killed.await
    };
    setup.takes(11, "a kill", kill).await;
    let create = async |round: usize| setup.create(&format!("flag-{round}")).await;
    setup.takes(9, "a new flag", create).await;
}

#[tokio::test]
async fn a_look_at_something_sends_a_few_statements() {
    let setup = Setup::new().await;
    setup.toggle(true).await;
    let get = async |path: &str, most: usize| {
        setup
            .takes(most, path, async |_| setup.get(path).await)
            .await;
    };
    get(&format!("{}/flag", setup.flags()), 2).await;
    get(&setup.state(), 2).await;
    get(&format!("{}?limit=100", setup.flags()), 3).await;
    // The fifth looks up what the things of the entries are called.
    get("/v1/audit?limit=100", 5).await;
}

#[tokio::test]
async fn a_change_of_many_states_asks_for_grants_once() {
    let setup = Setup::new().await;
    let (owner, project) = (&setup.owner, &setup.project);
    let content = format!("/v1/projects/{}/content", project.id);
    let flags = |numbers: std::ops::Range<u8>, points: u8| {
        let states = json!({"dev": {"enabled": true, "percentage_rollout": points}});
        let flag = |number| json!({"key": format!("f-{number}"), "name": "F", "tags": ["web"], "states": states});
        json!({"flags": numbers.map(flag).collect::<Vec<_>>()})
    };
    owner.act(&content, flags(0..60, 0)).await;
    let dev = format!("/v1/projects/{}/environments/dev", project.id);
    owner.change(&dev, json!({"protected": true})).await;
    let developer = setup.app.member(owner, "developer").await;
    let holder = json!({"kind": "member", "id": developer.member_id().await});
    let grant = json!({"name": "Web", "env_id": project.dev, "holder": holder, "tags": ["web"], "max_raise": 60});
    let grants = format!("/v1/projects/{}/grants", project.id);
    let grant = owner.create(&grants, grant).await.text("/id");
    for numbers in [0..2, 2..60] {
        let before = setup.statements.heard();
        let applied = developer.act(&content, flags(numbers, 1)).await;
        assert_eq!(applied.body["approvals"], json!([]));
        let sent = setup.statements.of_requests(before);
        let asked = sent.iter().filter(|text| text.contains("grant"));
        // Locked, read, and what is used of them stored.
        assert_eq!(asked.count(), 3, "{sent:#?}");
    }
    assert_eq!(
        owner.get(&format!("{grants}/{grant}")).await.body["left"],
        0
    );
}

#[tokio::test]
async fn whoever_is_beyond_its_rate_asks_the_database_nothing() {
    let setup = Setup::with(&[("RATE_MANAGEMENT", "10")]).await;
    let ask = async || setup.owner.get(&setup.flags()).await;
    while ask().await.status == 200 {}
    let before = setup.statements.heard();
    for _ in 0..10 {
        ask().await.expect_error(429, "rate limit exceeded");
    }
    assert_eq!(setup.statements.of_requests(before), Vec::<String>::new());
}

#[tokio::test]
async fn a_connection_that_was_used_just_now_is_asked_once_whether_it_is_there() {
    let setup = Setup::new().await;
    let rounds = 50;
    let before = setup.statements.heard();
    for _ in 0..rounds {
        setup.get(&setup.flags()).await;
    }
    let pings = setup.statements.pings_of_requests(before);
    // Each time it is given back, twice a request; a few more where the machine was slow.
    assert!(
        pings < rounds * 3,
        "{pings} questions for {rounds} requests"
    );
}

#[tokio::test]
async fn what_changed_is_looked_for_once_and_read_at_once() {
    let setup = Setup::new().await;
    setup.toggle(false).await;
    let rounds = 30;
    let before = setup.statements.heard();
    for round in 0..rounds {
        setup.toggle(round % 2 == 0).await;
    }
    let sent = setup.statements.of_others(before);
    let count = |part: &str| sent.iter().filter(|text| text.contains(part)).count();
    // It is looked every second too.
    let looks = count("pg_current_wal_flush_lsn");
    assert!(looks < rounds * 3 / 2, "{looks} looks at {rounds} changes");
    assert!(looks > 0 && count("has_others") > 0);
    assert_eq!(
        count("SELECT segment_id, key"),
        0,
        "only flags have changed"
    );
}
