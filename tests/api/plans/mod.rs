//! How PostgreSQL executes what the control plane really asks, at size: its `auto_explain` says so to each connection.

mod capture;
mod data;

use std::time::Duration;

use base::{db::Db, waker::Waker};
use domain::audit::retention;
use harness::{App, User, eventually};
use serde_json::json;
use sqlx::PgPool;

use capture::{Plan, Plans};

/// Tables that no request may read from end to end.
const LARGE: [&str; 4] = ["audit_entries", "flags", "flag_states", "organizations"];

struct Setup {
    plans: Plans,
    owner: User,
    project: String,
    app: App,
}

impl Setup {
    async fn new() -> Self {
        let plans = Plans::capture();
        let app = App::start_explained().await;
        let owner = app.signup("acme").await;
        let project = owner.default_project().await.id;
        data::many_states(&app, &owner, &project).await;
        data::years_of_entries(&app, &owner).await;
        data::analyze(&app).await;
        let owner = owner.sign_in_again().await;
        Self {
            plans,
            owner,
            project,
            app,
        }
    }

    /// What was executed for a request.
    async fn get(&self, path: &str) -> Vec<Plan> {
        self.plans.forget();
        self.owner.get(path).await.expect_status(200);
        let plans = self.plans.about("");
        assert!(!plans.is_empty(), "{path}: nothing was explained");
        plans
    }
}

fn assert_by_index(what: &str, plans: &[Plan]) {
    for plan in plans {
        let scanned = plan.scanned(&LARGE);
        assert!(
            scanned.is_empty(),
            "{what} reads all of {scanned:?}:\n{}",
            plan.text()
        );
    }
}

#[tokio::test]
async fn at_size_requests_read_by_index_and_only_partitions_that_have_the_answer() {
    let setup = Setup::new().await;
    let all = data::partitions(&setup.app).await;
    assert_eq!(all.len(), data::MONTHS + 2);
    let newest = &all[all.len() - 3..];

    // Several times: from the sixth on, a plan is for any parameters.
    let mut before = String::new();
    for _ in 0..8 {
        let plans = setup.get(&format!("/v1/audit?limit=100{before}")).await;
        assert_by_index("a page of the log", &plans);
        let read: Vec<_> = plans.iter().flat_map(Plan::partitions).collect();
        if before.is_empty() {
            assert!(read.iter().all(|one| newest.contains(one)), "{read:?}");
        }
        let page = setup
            .owner
            .get(&format!("/v1/audit?limit=100{before}"))
            .await;
        before = format!("&before={}", page.text("/data/99/id"));
    }
    let long_ago = setup
        .owner
        .get("/v1/audit?limit=1&to=2026-12-20T00:00:00Z")
        .await;
    let before = long_ago.text("/data/0/id");
    for _ in 0..8 {
        let plans = setup
            .get(&format!("/v1/audit?limit=10&before={before}"))
            .await;
        assert_by_index("a page long ago", &plans);
        let pages = plans.iter().filter(|plan| {
            plan.text()
                .contains("SELECT id, created_at FROM audit_entries")
        });
        // Looking the entry up asks each partition's primary key.
        let read: Vec<_> = pages
            .flat_map(|plan| plan.partitions_by("org_id_created_at"))
            .collect();
        assert_eq!(read, ["audit_entries_2026_12"], "{}", plans[0].text());
    }
    for filter in [
        "action=flag.killed",
        "resource_type=flag",
        "actor_id=00000000-0000-4000-8000-000000000007",
        "resource_id=10000000-0000-4000-8000-000000000007",
        "action=flag.killed&resource_type=flag",
        // A week of the one and a few days of the other: of most of a month Postgres rightly reads all.
        "from=2027-03-25T00:00:00Z&to=2027-04-05T00:00:00Z",
        "q=killed",
        "q=owner",
    ] {
        let plans = setup.get(&format!("/v1/audit?{filter}")).await;
        assert_by_index(filter, &plans);
        // By the index of times, all entries would be read for an action that is rare.
        let deletions = plans
            .iter()
            .filter(|plan| plan.text().contains("wanted (action)"));
        for plan in deletions {
            assert_eq!(
                plan.partitions_by("org_id_created_at"),
                Vec::<String>::new()
            );
        }
        if filter.starts_with("from=") {
            let mut read: Vec<_> = plans.iter().flat_map(Plan::partitions).collect();
            read.sort();
            read.dedup();
            assert_eq!(read, ["audit_entries_2027_03", "audit_entries_2027_04"]);
        }
    }
    let flags = format!("/v1/projects/{}/flags", setup.project);
    for path in [
        flags.clone(),
        format!("{flags}?search=flag-77"),
        format!("{flags}/flag-77"),
        format!("{flags}/flag-77/environments/env-77"),
        "/v1/search?q=flag-77".to_owned(),
    ] {
        // Names of one organization's flags are searched by reading them.
        let plans = setup.get(&path).await;
        assert_by_index(&path, &plans);
    }
}

#[tokio::test]
async fn at_size_a_change_is_published_and_old_entries_are_deleted_by_index() {
    let setup = Setup::new().await;
    setup.plans.forget();
    let state = format!(
        "/v1/projects/{}/flags/flag-77/environments/env-77",
        setup.project
    );
    for round in 0..8 {
        setup
            .owner
            .change(&state, json!({"enabled": round % 2 == 0}))
            .await;
    }
    let published = eventually("the change was read", async || {
        let plans = setup.plans.about("has_others");
        (!plans.is_empty()).then_some(plans)
    });
    assert_by_index("publishing", &published.await);
    assert_by_index("a change", &setup.plans.about(""));

    let pool = PgPool::connect_with((*setup.app.pool().connect_options()).clone())
        .await
        .unwrap();
    let db = Db::new(pool, Waker::new());
    setup.plans.forget();
    // Less than ten months: a partition is too long to wait for.
    let kept_for = Duration::from_secs(200 * 24 * 60 * 60);
    let deleted = retention::delete(&db, kept_for, setup.app.clock.now()).await;
    assert!(deleted.unwrap() > 0);
    let plans = setup.plans.about("DELETE FROM audit_entries");
    assert_by_index("deleting old entries", &plans);
    let left = data::partitions(&setup.app).await;
    assert_eq!(left.len(), 11, "{left:?}");
    for plan in &plans {
        let read = plan.partitions();
        assert!(
            read.iter().all(|one| left[..2].contains(one)),
            "{read:?}\n{}",
            plan.text()
        );
    }
}
