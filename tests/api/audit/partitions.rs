//! The log in partitions: added ahead of time, dropped once they have expired, and noticed by nobody.

use std::time::Duration;

use base::ids::OrgId;
use domain::audit::{partitions, retention, store};
use harness::{App, User, eventually};
use sqlx::{Connection, Executor};
use time::{OffsetDateTime, macros::datetime};

use super::{column, project};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
/// A month is less than a tenth of it, so that entries wait for the whole partition.
const KEPT_FOR: Duration = Duration::from_secs(400 * 24 * 60 * 60);
const HALF_A_YEAR: Duration = Duration::from_secs(180 * 24 * 60 * 60);

/// As if the log were large. Returns whether it was done.
async fn try_to_extend(app: &App) -> bool {
    let extended = partitions::extend(app.db(), Some(KEPT_FOR), 0, app.clock.now()).await;
    extended.expect("partitions are added")
}

/// The same, as often as something else that Postgres does has the locks.
async fn extend(app: &App) {
    eventually("the log is extended", async || {
        try_to_extend(app).await.then_some(())
    })
    .await;
}

async fn forget(app: &App, kept_for: Duration) -> u64 {
    let deleted = retention::delete(app.db(), kept_for, app.clock.now()).await;
    deleted.expect("entries are deleted")
}

/// The partitions and their bounds, the oldest first.
async fn bounds(app: &App) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT replace(replace(pg_get_expr(c.relpartbound, c.oid), 'FOR VALUES ', ''), ' 00:00:00+00', '')
         FROM pg_inherits JOIN pg_class c ON c.oid = inhrelid
         WHERE inhparent = 'audit_entries'::regclass
         ORDER BY regexp_replace(pg_get_expr(c.relpartbound, c.oid), '.* TO ', '')",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}

async fn write(app: &App, owner: &User, at: OffsetDateTime) {
    let insert = sqlx::query(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         VALUES (gen_random_uuid(), $1::uuid, 'system', 'flag.killed', 'flag', $2)",
    );
    let written = insert.bind(&owner.org_id).bind(at).execute(app.pool());
    written.await.expect("every entry has a place");
}

async fn times(app: &App) -> Vec<OffsetDateTime> {
    sqlx::query_scalar(
        "SELECT created_at FROM audit_entries WHERE action = 'flag.killed' ORDER BY 1",
    )
    .fetch_all(app.pool())
    .await
    .unwrap()
}

#[tokio::test]
async fn a_large_log_gets_a_partition_ahead_of_each_month() {
    let (app, owner) = App::with_owner().await;
    app.set_plan(&owner, "enterprise").await;
    let whole = ["FROM (MINVALUE) TO (MAXVALUE)"];
    let small = partitions::extend(app.db(), None, partitions::LARGE, app.clock.now()).await;
    small.expect("a small log stays as it is");
    assert_eq!(bounds(&app).await, whole);

    project(&owner, "First").await;
    extend(&app).await;
    let first = "FROM (MINVALUE) TO ('2026-07-01')";
    assert_eq!(
        bounds(&app).await,
        [first, "FROM ('2026-07-01') TO (MAXVALUE)"]
    );
    extend(&app).await;
    assert_eq!(bounds(&app).await.len(), 2, "July is not next month");

    app.clock.advance(30 * DAY);
    extend(&app).await;
    let july = "FROM ('2026-07-01') TO ('2026-08-01')";
    assert_eq!(
        bounds(&app).await,
        [first, july, "FROM ('2026-08-01') TO (MAXVALUE)"]
    );

    // Nobody has run it for half a year.
    app.clock.advance(HALF_A_YEAR);
    let owner = owner.sign_in_again().await;
    project(&owner, "Late").await;
    extend(&app).await;
    let late = "FROM ('2026-08-01') TO ('2027-01-01')";
    assert_eq!(
        bounds(&app).await,
        [first, july, late, "FROM ('2027-01-01') TO (MAXVALUE)"]
    );
    let names = column(&owner, "action=project.created", "resource_name").await;
    assert_eq!(names[..2], ["late", "first"]);
}

#[tokio::test]
async fn entries_have_a_place_whatever_the_clock_shows() {
    let (app, owner) = App::with_owner().await;
    let (early, late) = (
        datetime!(1970-01-01 00:00 UTC),
        datetime!(2040-03-07 00:00 UTC),
    );
    write(&app, &owner, late).await;
    extend(&app).await;
    extend(&app).await;
    assert_eq!(
        bounds(&app).await.last().unwrap(),
        "FROM ('2040-05-01') TO (MAXVALUE)"
    );
    app.clock
        .advance(Duration::from_secs(20 * 366 * 24 * 60 * 60));
    forget(&app, KEPT_FOR).await;
    assert_eq!(times(&app).await, [early; 0]);
    for at in [early, late] {
        write(&app, &owner, at).await;
    }
    assert_eq!(times(&app).await, [early, late]);
    forget(&app, KEPT_FOR).await;
    assert_eq!(times(&app).await, [early; 0]);
}

#[tokio::test]
async fn expired_partitions_are_dropped_and_short_ones_as_a_whole() {
    let (app, owner) = App::with_owner().await;
    for _ in 0..4 {
        extend(&app).await;
        app.clock.advance(30 * DAY);
    }
    let [may, july, end_of_july, august] = [
        datetime!(2026-05-05 00:00 UTC),
        datetime!(2026-07-01 00:00 UTC),
        datetime!(2026-07-31 23:00 UTC),
        datetime!(2026-08-01 00:00 UTC),
    ];
    for at in [may, july, end_of_july, august] {
        write(&app, &owner, at).await;
    }
    let now = |at: OffsetDateTime| {
        let later = at - app.clock.now();
        app.clock.advance(later.try_into().unwrap());
    };

    // The first partition has no beginning: its entries are deleted as they expire.
    now(datetime!(2026-06-30 23:00 UTC) + KEPT_FOR);
    assert!(forget(&app, KEPT_FOR).await > 0);
    assert_eq!(times(&app).await, [july, end_of_july, august]);
    // July goes when its last entry may.
    now(datetime!(2026-07-31 23:59 UTC) + KEPT_FOR);
    assert_eq!(forget(&app, KEPT_FOR).await, 0);
    assert_eq!(times(&app).await, [july, end_of_july, august]);
    now(datetime!(2026-08-01 00:00 UTC) + KEPT_FOR);
    assert_eq!(forget(&app, KEPT_FOR).await, 0);
    assert_eq!(times(&app).await, [august]);
    let left = bounds(&app).await;
    assert_eq!(
        left[..2],
        [
            "FROM (MINVALUE) TO ('2026-08-01')",
            "FROM ('2026-08-01') TO ('2026-09-01')"
        ]
    );

    write(&app, &owner, datetime!(2026-10-02 00:00 UTC)).await;
    now(datetime!(2026-10-15 00:00 UTC) + KEPT_FOR);
    assert_eq!(
        forget(&app, KEPT_FOR).await,
        1,
        "the newest partition has no end"
    );
}

#[tokio::test]
async fn two_leaders_at_once_and_a_dump_in_between_do_no_harm() {
    let (app, owner) = App::with_owner().await;
    tokio::join!(extend(&app), extend(&app), project(&owner, "Meanwhile"));
    assert_eq!(bounds(&app).await.len(), 2);

    app.clock.advance(30 * DAY);
    let mut session = app.session().await;
    let mut dump = session.begin().await.unwrap();
    let lock = "LOCK TABLE audit_entries IN ACCESS SHARE MODE";
    dump.execute(lock).await.unwrap();
    assert!(!try_to_extend(&app).await);
    assert_eq!(bounds(&app).await.len(), 2, "it waits for the dump to end");
    write(&app, &owner, app.clock.now()).await;
    dump.rollback().await.unwrap();
    extend(&app).await;
    assert_eq!(bounds(&app).await.len(), 3);
}

#[tokio::test]
async fn a_partition_that_was_left_about_to_end_is_written_to_again() {
    let (app, owner) = App::with_owner().await;
    let left = "ALTER TABLE audit_entries_first
                ADD CONSTRAINT audit_entries_end_check CHECK (created_at < '2026-07-01') NOT VALID";
    app.execute(left, &[]).await;
    app.clock.advance(HALF_A_YEAR);
    let now = app.clock.now();
    let run = partitions::extend(app.db(), None, partitions::LARGE, now).await;
    run.expect("the limit is removed");
    write(&app, &owner, now).await;
}

#[tokio::test]
async fn an_organization_goes_with_its_entries_of_all_partitions() {
    let (app, owner) = App::with_owner().await;
    let other = app.signup("globex").await;
    for _ in 0..3 {
        for organization in [&owner, &other] {
            write(&app, organization, app.clock.now()).await;
        }
        extend(&app).await;
        app.clock.advance(31 * DAY);
    }
    let count = async |organization: &User| {
        let count = "SELECT COUNT(*) FROM audit_entries WHERE org_id = $1::uuid";
        app.value::<i64>(count, &[&organization.org_id]).await
    };
    let others = count(&other).await;
    let org_id = OrgId::parse(&owner.org_id).unwrap();
    let mut session = app.session().await;
    let deleted = store::delete_of_org(&mut session, org_id, 1).await;
    assert!(deleted.unwrap() > 0);
    let oldest = "SELECT COUNT(*) FROM audit_entries_first WHERE org_id = $1::uuid";
    let oldest = app.value::<i64>(oldest, &[&owner.org_id]).await;
    let left = count(&owner).await;
    assert!(left > oldest, "the oldest go first");
    app.execute(
        "DELETE FROM organizations WHERE id = $1::uuid",
        &[&owner.org_id],
    )
    .await;
    assert_eq!((count(&owner).await, count(&other).await), (0, others));
}
