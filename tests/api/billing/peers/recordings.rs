//! Answers of the libraries that were recorded (`tests/gateways/recorded/`).

use std::fs;
use std::path::PathBuf;

use harness::places;
use serde_json::{Value, json};

use super::{Library, questions};

const RECORD: &str = "HALYARD_RECORD_GATEWAYS";

/// The answers of one library.
pub(super) struct Recordings(Vec<Value>);

impl Recordings {
    pub(super) fn of(library: Library) -> Self {
        Self(read(library.name()))
    }

    /// What the library answered to a question.
    #[track_caller]
    pub(super) fn answer(&self, question: &Value) -> &Value {
        let found = self
            .0
            .iter()
            .find(|recorded| recorded["asked"] == *question);
        let found = found.unwrap_or_else(|| {
            panic!("no answer is recorded: {RECORD}=1 records it\n{question:#}")
        });
        &found["answered"]
    }
}

/// What is recorded under a name.
pub(super) fn read(name: &str) -> Vec<Value> {
    let text = fs::read_to_string(path(name)).expect("the recordings");
    serde_json::from_str(&text).expect("recordings in JSON")
}

/// Compares recordings with what would be recorded now, or records it if that is wanted.
#[track_caller]
pub(super) fn compare(name: &str, fresh: &[Value]) {
    if is_recording() {
        let text = serde_json::to_string_pretty(fresh).expect("JSON");
        fs::write(path(name), text + "\n").expect("the repository can be written");
        return;
    }
    let recorded = read(name);
    assert_eq!(
        recorded.len(),
        fresh.len(),
        "{name} is stale: {RECORD}=1 ./dev test recorded writes it anew"
    );
    for (recorded, fresh) in recorded.iter().zip(fresh) {
        assert!(
            recorded == fresh,
            "{name} is stale: {RECORD}=1 ./dev test recorded writes it anew\nrecorded {recorded:#}\nnow {fresh:#}"
        );
    }
}

/// Whether the recordings are to be written anew.
pub(super) fn is_recording() -> bool {
    std::env::var_os(RECORD).is_some()
}

fn path(name: &str) -> PathBuf {
    let folder = places::repository().join("tests/gateways/recorded");
    folder.join(format!("{name}.json"))
}

/// Holds the questions to the recorded ones, and the answers too where the library is there.
async fn check(library: Library, questions: &[Value]) {
    let answers = library.ask(questions).await;
    assert!(
        answers.is_some() || !is_recording(),
        "only the library can be recorded"
    );
    let answers = answers.unwrap_or_else(|| {
        let recordings = Recordings::of(library);
        let answer = |question| recordings.answer(question).clone();
        questions.iter().map(answer).collect()
    });
    let pairs = questions.iter().zip(answers);
    let fresh = pairs.map(|(asked, answered)| json!({"asked": asked, "answered": answered}));
    compare(library.name(), &fresh.collect::<Vec<_>>());
}

#[tokio::test]
async fn the_recorded_answers_of_the_form_gateway_are_those_of_its_library() {
    check(Library::Payu, &questions::of_payu()).await;
}

#[tokio::test]
async fn the_recorded_answers_of_the_redirect_gateway_are_those_of_its_library() {
    check(Library::Stripe, &questions::of_stripe().await).await;
}
