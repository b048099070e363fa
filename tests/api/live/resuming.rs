//! Coming back with a position.

use super::{Setup, assert_change, follow, resume, told};

#[tokio::test]
async fn whoever_comes_back_hears_what_they_missed_once_and_then_what_follows() {
    let setup = Setup::new().await;
    let (stream, position) = follow(&setup.owner).await;
    drop(stream);
    let one = setup.flag("one").await;
    let two = setup.flag("two").await;
    let mut stream = resume(&setup.owner, &position).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &one);
    let last = told(&mut stream).await.unwrap();
    assert_change(&last, "flag.created", &two);
    let three = setup.flag("three").await;
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &three);

    // From the last one on, there is only what came after it.
    let mut stream = resume(&setup.owner, &last.id.unwrap()).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &three);
}

#[tokio::test]
async fn a_change_that_was_under_way_is_not_missed() {
    let setup = Setup::new().await;
    let flag_id = setup.flag("slow").await;
    // Written before the position, and committed after it.
    let mut slow = setup.app.pool().begin().await.unwrap();
    sqlx::query(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, resource_id, created_at)
         VALUES (gen_random_uuid(), $1::uuid, 'system', 'flag.killed', 'flag', $2, now())",
    )
    .bind(&setup.owner.org_id)
    .bind(&flag_id)
    .execute(&mut *slow)
    .await
    .unwrap();
    let (mut open, _) = follow(&setup.owner).await;
    let quick = setup.flag("quick").await;
    let event = told(&mut open).await.unwrap();
    assert_change(&event, "flag.created", &quick);
    slow.commit().await.unwrap();
    assert_change(&told(&mut open).await.unwrap(), "flag.killed", &flag_id);

    let mut late = resume(&setup.owner, &event.id.unwrap()).await;
    assert_eq!(told(&mut late).await.unwrap().name, "connected");
    assert_change(&told(&mut late).await.unwrap(), "flag.killed", &flag_id);
}

#[tokio::test]
async fn a_position_of_another_replica_is_as_good() {
    let setup = Setup::new().await;
    let elsewhere = setup.owner.at(&setup.app.another_replica().await);
    let (stream, position) = follow(&setup.owner).await;
    drop(stream);
    let flag_id = setup.flag("checkout").await;
    let mut stream = resume(&elsewhere, &position).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &flag_id);
}

#[tokio::test]
async fn a_position_that_never_was_is_a_reset() {
    let setup = Setup::new().await;
    let (stream, position) = follow(&setup.owner).await;
    drop(stream);
    let flipped = |at: usize| {
        let other = if position.as_bytes()[at] == b'0' {
            "1"
        } else {
            "0"
        };
        format!("{}{other}{}", &position[..at], &position[at + 1..])
    };
    let never = [
        "nonsense",
        "42",
        "742:742:/4f1d9bd28e0b4c579a430d4f0c6c4f0e",
        &flipped(1),
        &flipped(20),
        &flipped(position.len() - 1),
        &position[..position.len() - 2],
        &format!("{position}00"),
    ];
    for (number, last_seen) in never.into_iter().enumerate() {
        let mut stream = resume(&setup.owner, last_seen).await;
        assert_eq!(told(&mut stream).await.unwrap().name, "connected");
        let reset = told(&mut stream).await.unwrap();
        assert_eq!(reset.name, "reset", "{last_seen}");
        assert_eq!(reset.data, serde_json::json!({}));
        // From there on it goes on.
        let mut stream = resume(&setup.owner, &reset.id.expect("a position")).await;
        assert_eq!(told(&mut stream).await.unwrap().name, "connected");
        let flag_id = setup.flag(&format!("flag-{number}")).await;
        assert_change(&told(&mut stream).await.unwrap(), "flag.created", &flag_id);
    }
}

#[tokio::test]
async fn a_position_that_is_too_far_back_is_a_reset() {
    let setup = Setup::new().await;
    let (mut open, position) = follow(&setup.owner).await;
    setup
        .app
        .execute(
            "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         SELECT gen_random_uuid(), $1::uuid, 'system', 'flag.updated', 'project', now()
         FROM generate_series(1, 1001)",
            &[&setup.owner.org_id],
        )
        .await;
    // Whoever is there has it told as one reset, and the next look begins after it.
    setup.flag("wakes").await;
    open.next_named("reset").await;

    let mut stream = resume(&setup.owner, &position).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_eq!(told(&mut stream).await.unwrap().name, "reset");
    let flag_id = setup.flag("checkout").await;
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &flag_id);
}

#[tokio::test]
async fn entries_that_were_restored_from_another_cluster_are_no_news() {
    let setup = Setup::new().await;
    // The transactions of that cluster have numbers which this one has not reached.
    setup.app.execute(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at, written_in)
         SELECT gen_random_uuid(), $1::uuid, 'system', 'flag.updated', 'project', now(), '9000000000'
         FROM generate_series(1, 1001)",
        &[&setup.owner.org_id],
    )
    .await;
    let (mut open, position) = follow(&setup.owner).await;
    let flag_id = setup.flag("checkout").await;
    assert_change(&told(&mut open).await.unwrap(), "flag.created", &flag_id);

    let mut late = resume(&setup.owner, &position).await;
    assert_eq!(told(&mut late).await.unwrap().name, "connected");
    assert_change(&told(&mut late).await.unwrap(), "flag.created", &flag_id);
}

async fn write_entries(setup: &Setup, org_id: &str, entries: i32) {
    sqlx::query(
        "INSERT INTO audit_entries (id, org_id, actor_type, action, resource_type, created_at)
         SELECT gen_random_uuid(), $1::uuid, 'system', 'flag.updated', 'project', now()
         FROM generate_series(1, $2)",
    )
    .bind(org_id)
    .bind(entries)
    .execute(setup.app.pool())
    .await
    .unwrap();
}

#[tokio::test]
async fn a_position_after_which_a_long_trail_must_be_read_is_a_reset() {
    let setup = Setup::new().await;
    // What is committed after its beginning lies above the lower end of every position until it ends.
    let mut old = setup.app.pool().begin().await.unwrap();
    sqlx::query("SELECT pg_current_xact_id()")
        .execute(&mut *old)
        .await
        .unwrap();
    let org_id = &setup.owner.org_id;
    write_entries(&setup, org_id, 9_000).await;
    let (_, position) = follow(&setup.owner).await;
    let flag_id = setup.flag("checkout").await;
    let mut stream = resume(&setup.owner, &position).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_change(&told(&mut stream).await.unwrap(), "flag.created", &flag_id);

    write_entries(&setup, org_id, 1_000).await;
    let (_, position) = follow(&setup.owner).await;
    let mut stream = resume(&setup.owner, &position).await;
    assert_eq!(told(&mut stream).await.unwrap().name, "connected");
    assert_eq!(told(&mut stream).await.unwrap().name, "reset");
    old.rollback().await.unwrap();
}

#[tokio::test]
async fn an_organization_that_writes_much_resets_its_own_streams_alone() {
    let setup = Setup::new().await;
    let other = setup.app.signup("other").await;
    let (mut quiet, _) = follow(&setup.owner).await;
    let (mut busy, _) = follow(&other).await;
    write_entries(&setup, &other.org_id, 5_500).await;
    let flag_id = setup.flag("wakes").await;
    assert_change(&told(&mut quiet).await.unwrap(), "flag.created", &flag_id);
    assert_eq!(told(&mut busy).await.unwrap().name, "reset");
    // From there on it is told as ever.
    let flags = format!("/v1/projects/{}/flags", other.default_project().await.id);
    let made = other
        .post(&flags, serde_json::json!({"key": "f", "name": "F"}))
        .await;
    let made = made.expect_status(201).text("/id");
    assert_change(&told(&mut busy).await.unwrap(), "flag.created", &made);
}
