//! The leader is killed.

use std::time::{Duration, Instant};

use harness::eventually;
use serde_json::json;

use super::{Fleet, leader, tell};

#[tokio::test(flavor = "multi_thread")]
async fn a_leader_killed_under_load_loses_no_write_and_each_job_is_done_once() {
    let mut fleet = Fleet::start().await;
    let urls = fleet.urls();
    // It was there first, and the edge is connected to it.
    assert_eq!(leader(&fleet.admins()).await, 0);
    let writer = fleet.write();
    writer.goes_on(10).await;

    // A mail waits that was refused once, a schedule is due in a moment.
    let invited = "new@member.test";
    fleet.mails.answer(invited, 450);
    let invitation = json!({"email": invited, "role": "viewer"});
    fleet
        .scene
        .owner
        .create("/v1/members/invite", invitation)
        .await;
    eventually("the mail is refused", async || {
        let tried = fleet
            .count("SELECT COUNT(*) FROM mails WHERE attempts > 0")
            .await;
        (tried > 0).then_some(())
    })
    .await;
    let due = fleet.schedule(&urls[1], "scheduled_disable_at").await;
    fleet.scene.stack.control.kill();
    let killed = Instant::now();
    let next = 1 + leader(&fleet.admins()[1..]).await;
    assert!(tell("another one led", killed) < Duration::from_secs(10));
    fleet.takes_effect(&urls[next], due, "off").await;
    fleet.serves_anew(&urls[3 - next], "v1").await;

    fleet.mails.answer(invited, 250);
    let _told = fleet.scene.stack.halyard(&["mail", "retry"]);
    let arrived = async || {
        let mails = fleet.mails.received();
        mails.iter().filter(|mail| mail.to == invited).count()
    };
    eventually("the mail arrives", async || {
        (arrived().await > 0).then_some(())
    })
    .await;
    fleet.told_once(1).await;

    // It comes back, and is one of the three again.
    fleet.scene.stack.start_control().await;
    leader(&fleet.admins()).await;
    fleet.serves_anew(&urls[0], "v2").await;
    writer.goes_on(10).await;
    let written = writer.stop().await;
    assert!(written.failed.is_empty(), "{:?}", written.failed);
    fleet.keeps(&written).await;
    assert_eq!(arrived().await, 1);
    fleet.told_once(1).await;
}
