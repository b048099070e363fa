//! What payers do, and what becomes of the events that follow.

use proptest::prelude::*;

/// What a payer does.
#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Pays on a page of `gateway_redirect`.
    Subscribe,
    /// Pays on two of them.
    SubscribeTwice,
    /// Pays by form; whether the browser comes back.
    PayByForm(bool),
    CancelWithPeriod,
    CancelNow,
    /// In the portal of the gateway.
    TakeBack,
    EndThere,
    /// From now on no month can be paid for.
    CardFails,
    /// It can again, and what is owed is paid.
    CardIsRepaired,
    Nothing,
}

/// What becomes of an event.
#[derive(Clone, Copy, Debug)]
pub(super) enum Fate {
    AtOnce,
    Twice,
    Lost,
    /// After so many more events.
    Late(usize),
}

/// What one payer does, with so many days in between.
#[derive(Clone, Debug)]
pub(super) struct Script {
    pub(super) acts: Vec<(Act, usize)>,
    pub(super) fates: Vec<Fate>,
}

fn act() -> impl Strategy<Value = Act> {
    prop_oneof![
        4 => Just(Act::Subscribe),
        2 => Just(Act::SubscribeTwice),
        2 => any::<bool>().prop_map(Act::PayByForm),
        2 => Just(Act::CancelWithPeriod),
        1 => Just(Act::CancelNow),
        2 => Just(Act::TakeBack),
        1 => Just(Act::EndThere),
        3 => Just(Act::CardFails),
        2 => Just(Act::CardIsRepaired),
        1 => Just(Act::Nothing),
    ]
}

fn fate() -> impl Strategy<Value = Fate> {
    prop_oneof![
        2 => Just(Fate::AtOnce),
        1 => Just(Fate::Twice),
        2 => Just(Fate::Lost),
        2 => (1_usize..5).prop_map(Fate::Late),
    ]
}

pub(super) fn script() -> impl Strategy<Value = Script> {
    let pause = prop_oneof![3 => 0_usize..3, 1 => 10_usize..20];
    let acts = prop::collection::vec((act(), pause), 1..7);
    (acts, prop::collection::vec(fate(), 16)).prop_map(|(acts, fates)| Script { acts, fates })
}
