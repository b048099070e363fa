//! Questions to an edge.

mod examples;
mod reservoir;

use std::{borrow::Cow, collections::BTreeMap};

use protocol::{
    digest,
    eval::{Attribute, Attributes},
    signature::{PublicKey, SigningKey},
    snapshot::{Condition, Flag, FlagState, Head, Rule, Snapshot},
    what_if::{Draft, Failed, Keys, Question},
    wire::message::Push,
};
use serving::{clock::Clock, settings::Reader};
use time::OffsetDateTime;
use uuid::Uuid;

use super::{queue::WAITING, *};
use crate::EdgeSettings;

fn env_id() -> EnvId {
    Uuid::from_u128(1).into()
}

fn sampled(attributes: &[&str], keys: Keys) -> Sampled {
    Sampled {
        env_id: env_id(),
        attributes: attributes.iter().map(|&name| name.to_owned()).collect(),
        keys,
    }
}

fn context<'a>(key: &'a str, attributes: &[(&'static str, &'a str)]) -> Context<'a> {
    let attributes = attributes
        .iter()
        .map(|&(name, value)| (Cow::Borrowed(name), Attribute::Text(Cow::Borrowed(value))));
    Context {
        key: Cow::Borrowed(key),
        attributes: attributes.collect::<Attributes<'_>>(),
    }
}

fn flag(key: &str, rollout: Option<i64>, plan: Option<&str>) -> Flag {
    let rule = plan.map(|plan| Rule {
        conditions: vec![Condition {
            attribute: "plan".to_owned(),
            operator: "eq".to_owned(),
            values: vec![plan.to_owned()],
        }],
        percentage: 10_000,
        value: Some("true".to_owned()),
        ..Rule::default()
    });
    Flag {
        key: key.to_owned(),
        default_value: "false".to_owned(),
        state: Some(FlagState {
            enabled: true,
            default_value: rollout.is_none().then(|| "false".to_owned()),
            rules: rule.into_iter().collect(),
            percentage_rollout: rollout,
            ..FlagState::default()
        }),
        ..Flag::default()
    }
}

struct Asking {
    edge: Edge,
    findings: mpsc::Sender<Finding>,
    found: mpsc::Receiver<Finding>,
    asked: u8,
}

impl Asking {
    fn new(kept: Option<Sampled>) -> Self {
        let none = BTreeMap::new();
        let settings = EdgeSettings::load(&mut Reader::new(&none));
        let clock = Clock::manual(OffsetDateTime::UNIX_EPOCH);
        let edge = Edge::new(settings, clock, None);
        let snapshot = Snapshot {
            head: Head {
                env_id: env_id(),
                version: 7,
                ..Head::default()
            },
            flags: vec![
                flag("checkout", None, Some("pro")),
                flag("other", None, None),
            ],
            ..Snapshot::default()
        };
        let digest = digest::of(&snapshot);
        edge.apply(&Push::Snapshot(snapshot, digest));
        edge.sample(kept.as_slice());
        let (findings, found) = mpsc::channel(32);
        Self {
            edge,
            findings,
            found,
            asked: 0,
        }
    }

    /// A tenth of the users pays.
    fn answer(&self, users: u32) {
        let served = self.edge.parts().current.environment(env_id()).unwrap();
        for number in 0..users {
            let user = format!("user-{number}");
            let plan = if number.is_multiple_of(10) {
                "pro"
            } else {
                "free"
            };
            let context = context(&user, &[("plan", plan), ("mail", "m")]);
            self.edge
                .answered(&served, AskedFor::One("checkout"), &context);
        }
    }

    fn question(&mut self, kept: Sampled, draft: Flag) -> Question {
        self.asked += 1;
        Question {
            id: [self.asked; 16],
            sampled: kept,
            version: 7,
            draft: Draft {
                flags: vec![draft],
                ..Draft::default()
            },
            by: Some("plan".to_owned()),
            examples: 0,
            asked_ms: 0,
        }
    }

    async fn ask(&mut self, question: Question) -> Finding {
        let signed = Arc::new(question.unsigned());
        assert!(self.edge.question(&signed, self.findings.clone()));
        // A question that was answered is not answered again.
        assert!(!self.edge.question(&signed, self.findings.clone()));
        let finding = self.found.recv().await.unwrap();
        assert_eq!(finding.question, signed.question.id);
        assert_eq!(finding.check(), Ok(()));
        finding
    }
}

#[tokio::test]
async fn a_draft_is_compared_with_what_is_served() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    asking.answer(200);
    let draft = flag("checkout", None, Some("free"));
    let mut question = asking.question(kept.clone(), draft);
    question.examples = 3;
    let finding = asking.ask(question).await;
    assert_eq!((finding.version, finding.samples), (7, 200));
    assert_eq!((finding.answers, finding.changed), (200, 200));
    let transitions = finding.transitions.iter();
    let transitions: Vec<_> = transitions
        .map(|it| (&*it.flag_key, &*it.from, &*it.to, it.answers))
        .collect();
    assert_eq!(
        transitions,
        [
            ("checkout", "false", "true", 180),
            ("checkout", "true", "false", 20),
        ]
    );
    let groups = finding.groups.iter();
    let groups: Vec<_> = groups
        .map(|it| (it.value.as_deref(), it.answers, it.changed))
        .collect();
    assert_eq!(
        groups,
        [(Some("\"free\""), 180, 180), (Some("\"pro\""), 20, 20)]
    );
    assert_eq!(finding.examples.len(), 3);
    let example = &finding.examples[0];
    assert!(!example.key.contains("user") && !example.attributes_json.contains("mail"));

    // No examples unless they are asked for, and nothing about flags that stay as they are.
    let same = asking.question(kept.clone(), flag("checkout", None, Some("pro")));
    let finding = asking.ask(same).await;
    assert_eq!((finding.answers, finding.changed), (200, 0));
    assert!(finding.examples.is_empty() && finding.transitions.is_empty());
    let other = asking.question(kept, flag("other", None, Some("pro")));
    assert_eq!(asking.ask(other).await.answers, 0);
}

#[tokio::test]
async fn buckets_of_hashed_keys_are_a_draw_and_say_how_certain_they_are() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    asking.answer(200);
    let question = asking.question(kept, flag("checkout", Some(5_000), None));
    let finding = asking.ask(question).await;
    assert_eq!(finding.answers, 200);
    // Everybody is asked about twice: half of 180 change to true, and half of 20 to false.
    assert!((60..=140).contains(&finding.changed), "{}", finding.changed);
    // 200 users, each with a variance of a quarter, times one and a half.
    assert!(
        (40..=110).contains(&finding.var_changed),
        "{}",
        finding.var_changed
    );

    // As they are, keys have the buckets that they have.
    let kept = sampled(&["plan"], Keys::Plain);
    let mut asking = Asking::new(Some(kept.clone()));
    asking.answer(200);
    let question = asking.question(kept, flag("checkout", Some(5_000), None));
    assert_eq!(asking.ask(question).await.var_changed, 0);
}

#[tokio::test]
async fn what_is_not_sampled_as_the_question_says_is_not_told() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(None);
    asking.answer(10);
    assert_eq!(asking.edge.sampled_bytes(), 0);
    let draft = || flag("checkout", None, None);
    let question = asking.question(kept.clone(), draft());
    let not_sampled = Some(Failed::NotSampled);
    assert_eq!(asking.ask(question).await.failed, not_sampled);

    asking.edge.sample(std::slice::from_ref(&kept));
    asking.answer(200);
    for other in [
        sampled(&["plan"], Keys::Plain),
        sampled(&["mail", "plan"], Keys::Hashed),
    ] {
        let question = asking.question(other, draft());
        let finding = asking.ask(question).await;
        assert_eq!((finding.failed, finding.samples), (not_sampled, 0));
    }
    let question = asking.question(kept.clone(), draft());
    assert_eq!(asking.ask(question).await.changed, 20);

    // Whoever opts out is not remembered, nor is what is gone.
    asking.edge.sample(&[]);
    assert_eq!(asking.edge.sampled_bytes(), 0);
    asking.edge.sample(std::slice::from_ref(&kept));
    let question = asking.question(kept.clone(), draft());
    assert_eq!(asking.ask(question).await.samples, 0);
    asking.answer(200);
    let other = sampled(&["mail", "plan"], Keys::Hashed);
    asking.edge.sample(std::slice::from_ref(&other));
    let question = asking.question(other, draft());
    assert_eq!(asking.ask(question).await.samples, 0);
    asking.answer(200);
    assert!(asking.edge.sampled_bytes() > 0);
    asking.edge.apply(&Push::Removed { env_id: env_id() });
    assert_eq!(
        asking.edge.parts().what_if.reservoirs.load()[&env_id()]
            .copy(Duration::ZERO)
            .len(),
        0
    );
}

#[tokio::test]
async fn a_draft_that_cannot_be_prepared_is_refused() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    let mut draft = flag("checkout", None, None);
    draft.default_value = "{".to_owned();
    let question = asking.question(kept, draft);
    let finding = asking.ask(question).await;
    assert_eq!(
        (finding.failed, finding.version),
        (Some(Failed::DraftRefused), 7)
    );
}

#[tokio::test]
async fn a_question_that_nobody_trusted_has_signed_is_not_answered() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    let [ours, theirs] = [1, 2].map(|seed| SigningKey::from_seed(&[seed; 32]).unwrap());
    asking
        .edge
        .trust(vec![PublicKey::new(&ours.public_key()).unwrap()]);
    let question = asking.question(kept, flag("checkout", None, None));
    for signed in [question.clone().unsigned(), question.clone().sign(&theirs)] {
        assert!(
            !asking
                .edge
                .question(&Arc::new(signed), asking.findings.clone())
        );
    }
    // A signature that comes later counts.
    let signed = Arc::new(question.sign(&ours));
    assert!(asking.edge.question(&signed, asking.findings.clone()));
    assert!(asking.found.recv().await.is_some());
}

#[tokio::test]
async fn so_many_questions_wait_and_one_too_many_is_refused() {
    let kept = sampled(&["plan"], Keys::Hashed);
    let mut asking = Asking::new(Some(kept.clone()));
    // Nothing is answered before this test waits.
    for _ in 0..=WAITING {
        let question = asking.question(kept.clone(), flag("checkout", None, None));
        let signed = Arc::new(question.unsigned());
        assert!(asking.edge.question(&signed, asking.findings.clone()));
    }
    let mut failed = Vec::new();
    for _ in 0..=WAITING {
        failed.push(asking.found.recv().await.unwrap().failed);
    }
    let busy = failed
        .iter()
        .filter(|it| **it == Some(Failed::Busy))
        .count();
    assert_eq!(busy, 1, "{failed:?}");
}
