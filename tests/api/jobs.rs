//! Background work: what runs, and what is known of how it goes.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use base::{
    clocks::Clocks,
    db::Db,
    jobs::{Job, Jobs, Report, RunsOn},
    leader::Leader,
    waker::Waker,
};
use harness::{App, eventually};
use regex::Regex;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn report(jobs: &Jobs, name: &str) -> Report {
    let mut reports = jobs.reports().into_iter();
    reports.find(|report| report.name == name).unwrap()
}

#[tokio::test]
async fn all_background_work_runs_at_once_and_says_so() {
    let app = App::start_with(&[("AUDIT_RETENTION", "1d")]).await;
    let names: Vec<_> = app.jobs.reports().iter().map(|job| job.name).collect();
    let expected = [
        "send_mail",
        "fire_schedules",
        "apply_change_sets",
        "forget_ended",
        "retire_api_keys",
        "forget_unpaid_checkouts",
        "end_subscriptions",
        "prune_usage_reports",
        "fold_usage_series",
        "forget_removed_environments",
        "prune_flag_history",
        "check_domain_records",
        "partition_audit_entries",
        "delete_old_audit_entries",
        "end_trials",
        "retire_inactive",
        "withdraw_organizations",
        "purge_organizations",
        "queue_webhook_events",
        "deliver_webhooks",
        "fail_abandoned_imports",
        "tell_changes",
        "check_streams",
        "tell_edges",
        "tell_usage",
        "poll_changes",
        "answer_replicas",
        "check_edge_certificates",
        "load_signing_keys",
        "sign_timestamp",
        "follow_rehearsals",
        "follow_what_if",
        "forget_questions",
        "record_edges_seen",
        "update_edge_gauges",
        "prune_tombstones",
        "report_built_in_usage",
    ];
    assert_eq!(names, expected);
    eventually("each has succeeded", async || {
        let reports = app.jobs.reports();
        let succeeded = |job: &Report| job.active && job.last_success == Some(app.clock.now());
        reports.iter().all(succeeded).then_some(())
    })
    .await;
    assert!(app.jobs.reports().iter().all(|job| job.failures == 0));
}

#[tokio::test]
async fn the_operators_page_names_every_job_and_where_it_runs() {
    let app = App::start_with(&[("AUDIT_RETENTION", "1d")]).await;
    let page = include_str!("../../docs/operations.md");
    let row = Regex::new(r"(?m)^\| `(\w+)` \| [^|]+ \| (leader|every replica)").unwrap();
    let described = row.captures_iter(page);
    let described = described.map(|row| (row[1].to_owned(), row[2].to_owned()));
    let reports = app.jobs.reports();
    let run = reports.iter().map(|job| {
        let runs_on = match job.runs_on {
            RunsOn::Leader => "leader",
            RunsOn::EveryReplica => "every replica",
        };
        (job.name.to_owned(), runs_on.to_owned())
    });
    // Where a gateway can be asked.
    let settle = ("settle_payments".to_owned(), "leader".to_owned());
    let described: BTreeSet<_> = described.collect();
    let run: BTreeSet<_> = run.chain([settle]).collect();
    assert_eq!(described, run);
}

#[tokio::test]
async fn a_job_that_fails_or_panics_is_told_and_tried_again_soon() {
    let app = App::start().await;
    let runs = Arc::new(AtomicUsize::new(0));
    let job = Job::new(
        "rocky",
        DAY,
        RunsOn::EveryReplica,
        runs,
        async |runs| match runs.fetch_add(1, Ordering::SeqCst) {
            0 => Err(io::Error::other("no luck")),
            1 => panic!("no nerves"),
            _ => Ok(()),
        },
    );
    app.jobs.start(job);
    for (failures, error) in [(1, "no luck"), (2, "panicked: no nerves")] {
        eventually("it failed", async || {
            let report = report(&app.jobs, "rocky");
            (report.failures == failures).then_some(())
        })
        .await;
        let report = report(&app.jobs, "rocky");
        assert_eq!(report.last_error.as_deref(), Some(error));
        assert_eq!(report.last_success, None);
    }
    eventually("it succeeded", async || {
        report(&app.jobs, "rocky").last_success
    })
    .await;
    let report = report(&app.jobs, "rocky");
    assert_eq!((report.failures, report.last_error), (2, None));
}

#[tokio::test]
async fn a_job_runs_when_it_is_woken() {
    let app = App::start().await;
    let (waker, runs) = (Waker::new(), Arc::new(AtomicUsize::new(0)));
    let counting = Arc::clone(&runs);
    let job = Job::new("light", DAY, RunsOn::EveryReplica, counting, async |runs| {
        runs.fetch_add(1, Ordering::SeqCst);
        Ok::<(), io::Error>(())
    });
    app.jobs.start(job.woken_by(&waker));
    for run in 1..=3 {
        eventually("it ran", async || {
            (runs.load(Ordering::SeqCst) == run).then_some(())
        })
        .await;
        waker.wake();
    }
}

#[tokio::test]
async fn the_leaders_jobs_run_on_one_replica() {
    let app = App::start().await;
    app.stop.cancel();
    let (stop, tasks) = (CancellationToken::new(), TaskTracker::new());
    let replica = || {
        let db = Db::new(app.pool().clone(), Waker::new());
        let leader = Leader::start(db.clone(), Clocks::new(app.clock.clone()), &stop, &tasks);
        let jobs = Jobs::new(db, app.clock.clone(), leader, stop.clone(), tasks.clone());
        let runs = Arc::new(AtomicUsize::new(0));
        let counting = Arc::clone(&runs);
        jobs.start(Job::new(
            "sole",
            DAY,
            RunsOn::Leader,
            counting,
            async |runs| {
                runs.fetch_add(1, Ordering::SeqCst);
                Ok::<(), io::Error>(())
            },
        ));
        (jobs, runs)
    };
    let replicas = [replica(), replica(), replica()];
    eventually("one is active", async || {
        let active = |(jobs, _): &&(Jobs, _)| report(jobs, "sole").active;
        (replicas.iter().filter(active).count() == 1).then_some(())
    })
    .await;
    eventually("it ran there", async || {
        let ran = |(jobs, _): &(Jobs, _)| report(jobs, "sole").last_success.is_some();
        replicas.iter().any(ran).then_some(())
    })
    .await;
    let runs = replicas.iter().map(|(_, runs)| runs.load(Ordering::SeqCst));
    assert_eq!(runs.sum::<usize>(), 1);
    stop.cancel();
}
