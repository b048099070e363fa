//! Whatever payers do, and whatever becomes of what gateways tell, in the end plan and status are what the gateways' books say.

mod script;

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use harness::gateways::Event;
use harness::{App, User, eventually};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use self::script::{Act, Fate, Script, script};
use super::{BUSY, CANCEL, DAY, Scene, check_out, choose_redirect, subscription};

/// A payer, as the gateway sees them.
struct Payer {
    owner: User,
    acts: VecDeque<(Act, usize)>,
    /// Days until the next act.
    pause: usize,
    fates: VecDeque<Fate>,
    /// Events on their way, with how many others come before.
    late: Vec<(usize, Event)>,
    card_fails: bool,
    /// Whether they ever took a cancellation back.
    took_back: bool,
    /// Whether they bought a second subscription beside one that renews.
    bought_twice: bool,
}

struct World {
    scene: Scene,
    payers: Vec<Payer>,
}

impl World {
    async fn new(scripts: &[Script]) -> Self {
        let mut settings = BUSY.to_vec();
        settings.push(("INACTIVITY_LIMIT", "0"));
        let scene = Scene::with(&settings).await;
        let mut payers = Vec::new();
        for (at, script) in scripts.iter().enumerate() {
            let owner = scene.app.signup(&format!("org{at}")).await;
            payers.push(Payer {
                owner,
                acts: script.acts.iter().copied().collect(),
                pause: 0,
                fates: script.fates.iter().copied().collect(),
                late: Vec::new(),
                card_fails: false,
                took_back: false,
                bought_twice: false,
            });
        }
        Self { scene, payers }
    }

    /// The subscriptions of a payer in the books of the gateway.
    fn books(&self, payer: usize) -> Vec<Value> {
        let redirect = &self.scene.gateways.redirect;
        let all = redirect.subscriptions().into_iter();
        let all = all.map(|id| redirect.subscription(&id));
        let org = &self.payers[payer].owner.org_id;
        all.filter(|it| it["metadata"]["org_id"] == json!(org))
            .collect()
    }

    fn paid(&self, payer: usize) -> Vec<String> {
        let books = self.books(payer).into_iter();
        let paid = books.filter(|it| it["status"] == "active");
        paid.map(|it| id_of(&it)).collect()
    }

    /// Has the gateway send events, as the script's fates say.
    async fn send(&mut self, payer: usize, events: Vec<Event>) {
        for event in events {
            let fate = self.payers[payer].fates.pop_front();
            let fate = fate.expect("fates go round");
            self.payers[payer].fates.push_back(fate);
            match fate {
                Fate::AtOnce => self.deliver(&event).await,
                Fate::Twice => {
                    self.deliver(&event).await;
                    self.deliver(&event).await;
                }
                Fate::Lost => {}
                Fate::Late(others) => self.payers[payer].late.push((others, event)),
            }
            self.send_late(payer).await;
        }
    }

    async fn send_late(&mut self, payer: usize) {
        let late = std::mem::take(&mut self.payers[payer].late);
        for (others, event) in late {
            match others.checked_sub(1) {
                Some(others) => self.payers[payer].late.push((others, event)),
                None => self.deliver(&event).await,
            }
        }
    }

    async fn deliver(&self, event: &Event) {
        self.scene.send(event).await.expect_status(200);
    }

    async fn act(&mut self, payer: usize, act: Act) {
        let owner = self.payers[payer].owner.clone();
        let redirect = &self.scene.gateways.redirect;
        let mut events = Vec::new();
        match act {
            Act::Subscribe | Act::SubscribeTwice => {
                choose_redirect(&owner).await;
                let mut sessions = Vec::new();
                for _ in 0..if matches!(act, Act::Subscribe) { 1 } else { 2 } {
                    if check_out(&owner).await.status == 200 {
                        sessions.push(redirect.latest_session());
                    }
                    // As if it was opened while the other one was paid for.
                    self.scene.app.execute(
                        "UPDATE checkouts SET settle_at = NULL WHERE org_id = $1::uuid AND session_ref IS NOT NULL",
                        &[&owner.org_id],
                    )
                    .await;
                }
                self.scene.app.execute(
                    "UPDATE checkouts SET settle_at = created_at WHERE org_id = $1::uuid AND session_ref IS NOT NULL AND completed_at IS NULL",
                    &[&owner.org_id],
                )
                .await;
                for session in sessions {
                    // Others are ended by time.
                    if redirect.open_sessions().contains(&session) {
                        events.push(redirect.pay(&session).remove(0));
                        self.payers[payer].card_fails = false;
                    }
                }
            }
            Act::PayByForm(comes_back) => {
                let form = json!({"gateway": "gateway_form"});
                owner.change("/v1/billing/gateway", form).await;
                let checkout = check_out(&owner).await;
                if checkout.status == 200 {
                    let api = &self.scene.gateways.form_api;
                    api.pays(&checkout.text("/txnid"), "1999.00");
                    if comes_back {
                        let callback = self.scene.gateways.form.success(&checkout.body);
                        self.scene.bring(&callback).await.expect_status(303);
                    }
                }
            }
            Act::CancelWithPeriod | Act::CancelNow => {
                let with_period = matches!(act, Act::CancelWithPeriod);
                let cancel = json!({"at_period_end": with_period});
                owner.post(CANCEL, cancel).await;
                events = redirect.take_events();
            }
            Act::TakeBack => {
                for id in self.live(payer) {
                    events.push(redirect.set_cancel_at_period_end(&id, false));
                }
            }
            Act::EndThere => {
                for id in self.live(payer) {
                    events.push(redirect.end_subscription(&id));
                }
            }
            Act::CardFails => self.payers[payer].card_fails = true,
            Act::CardIsRepaired => {
                self.payers[payer].card_fails = false;
                for id in self.live(payer) {
                    if redirect.subscription(&id)["status"] == "past_due" {
                        events.push(redirect.pay_outstanding(&id).remove(0));
                    }
                }
            }
            Act::Nothing => {}
        }
        self.send(payer, events).await;
    }

    /// How many subscriptions the gateway goes on collecting for.
    fn renewing(&self, payer: usize) -> usize {
        let books = self.books(payer).into_iter();
        let renewing =
            books.filter(|it| it["status"] != "canceled" && it["cancel_at_period_end"] == false);
        renewing.count()
    }

    fn live(&self, payer: usize) -> Vec<String> {
        let books = self.books(payer).into_iter();
        let live = books.filter(|it| it["status"] != "canceled");
        live.map(|it| id_of(&it)).collect()
    }

    /// What the gateway does when periods are over.
    async fn collect(&mut self, payer: usize) {
        let now = self.scene.app.clock.now().unix_timestamp();
        let redirect = &self.scene.gateways.redirect;
        let mut events = redirect.take_events();
        for it in self.books(payer) {
            let end = it["items"]["data"][0]["current_period_end"].as_i64();
            if it["status"] == "canceled" || end.expect("a period") > now {
                continue;
            }
            let id = id_of(&it);
            if it["cancel_at_period_end"] == true {
                events.push(redirect.end_subscription(&id));
            } else if self.payers[payer].card_fails || it["status"] == "past_due" {
                events.extend(redirect.fail_payment(&id));
            } else {
                events.push(redirect.renew(&id).remove(0));
            }
        }
        self.send(payer, events).await;
    }

    /// Time goes on, and the jobs do what is theirs. Nothing that is paid for is ended by them.
    async fn advance(&mut self, by: Duration) {
        let all = 0..self.payers.len();
        let before: Vec<_> = all.clone().map(|payer| self.paid(payer)).collect();
        for by in [by, Duration::from_secs(1)] {
            self.scene.app.clock.advance(by);
            jobs_have_run(&self.scene.app).await;
        }
        for payer in all {
            let paid = self.paid(payer);
            for id in &before[payer] {
                assert!(paid.contains(id), "{id} was paid for, and is ended");
            }
        }
    }

    async fn play(&mut self) {
        while self.payers.iter().any(|it| !it.acts.is_empty()) {
            for payer in 0..self.payers.len() {
                self.collect(payer).await;
                if let Some(pause) = self.payers[payer].pause.checked_sub(1) {
                    self.payers[payer].pause = pause;
                } else if let Some((act, pause)) = self.payers[payer].acts.pop_front() {
                    self.payers[payer].pause = pause;
                    self.act(payer, act).await;
                    let renewing = self.renewing(payer);
                    let it = &mut self.payers[payer];
                    it.took_back |= matches!(act, Act::TakeBack);
                    // A cancellation that was taken back may be told a month later.
                    it.bought_twice |= renewing > 1 && !it.took_back;
                }
                self.scene.app.clock.advance(Duration::from_secs(7));
            }
            self.advance(DAY).await;
        }
    }

    /// Nobody acts any more. After two days everybody who pays has Pro; after two months it is all over for the others.
    async fn settle(&mut self) {
        for day in 0..62 {
            for payer in 0..self.payers.len() {
                self.collect(payer).await;
            }
            self.advance(DAY).await;
            if day >= 2 {
                self.everybody_who_pays_has_pro().await;
            }
        }
    }

    async fn everybody_who_pays_has_pro(&self) {
        for payer in 0..self.payers.len() {
            if !self.paid(payer).is_empty() {
                let shown = subscription(&self.payers[payer].owner).await;
                assert_eq!(shown["plan"], "pro", "{payer} pays: {shown:#}");
            }
        }
    }

    async fn is_what_the_books_say(&self) {
        for (at, payer) in self.payers.iter().enumerate() {
            let shown = subscription(&payer.owner).await;
            let books = self.books(at);
            let status: BTreeMap<_, _> = books
                .iter()
                .map(|it| (id_of(it), it["status"].clone()))
                .collect();
            let pays = status.values().any(|status| status == "active");
            let expected = if pays {
                ["pro", "active"]
            } else {
                ["free", "canceled"]
            };
            assert_eq!(shown["plan"], expected[0], "{at}: {status:?}");
            if shown["status"] != "none" || pays {
                assert_eq!(shown["status"], expected[1], "{at}: {status:?}");
            }
            assert!(self.renewing(at) <= 1, "{at} pays for two: {books:#?}");
            let told: i64 = self.scene.app.value(
                "SELECT COUNT(*) FROM audit_entries WHERE org_id = $1::uuid AND metadata -> 'is_second' = 'true'",
                &[&payer.owner.org_id],
            )
            .await;
            assert!(
                told > 0 || !payer.bought_twice,
                "{at} paid twice, and was not told"
            );
        }
    }
}

fn id_of(subscription: &Value) -> String {
    subscription["id"].as_str().expect("an id").to_owned()
}

async fn jobs_have_run(app: &App) {
    eventually("the jobs have run", async || {
        let reports = app.jobs.reports().into_iter();
        let mut ours = reports.filter(|job| {
            ["settle_payments", "end_subscriptions", "end_trials"].contains(&job.name)
        });
        ours.all(|job| job.last_success == Some(app.clock.now()))
            .then_some(())
    })
    .await;
}

#[test]
fn in_the_end_plan_and_status_are_what_the_books_of_the_gateways_say() {
    let config = Config {
        cases: 3,
        max_shrink_iters: 24,
        failure_persistence: None,
        ..Config::default()
    };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    let scripts = prop::collection::vec(script(), 12);
    runner
        .run(&scripts, |scripts| {
            let runtime = tokio::runtime::Builder::new_multi_thread()
                .worker_threads(2)
                .enable_all()
                .build()
                .expect("a runtime");
            runtime.block_on(async {
                let mut world = World::new(&scripts).await;
                world.play().await;
                world.settle().await;
                world.is_what_the_books_say().await;
            });
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("{failure}"));
}
