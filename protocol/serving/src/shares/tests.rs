//! Who gets a place, who waits, and who is refused.

use futures_util::{FutureExt, future::BoxFuture};

use super::*;

type Entering<'a> = BoxFuture<'a, Result<Place<u8>, Full>>;

fn shares(places: usize, each: usize) -> Shares<u8> {
    let queue = Queue {
        each: 3,
        all: 5,
        patience: Duration::from_secs(1),
    };
    Shares::with_queue(places, each, queue)
}

fn entering(shares: &Shares<u8>, key: u8) -> Entering<'_> {
    let mut entering: Entering<'_> = Box::pin(shares.enter(key));
    assert!(entered(&mut entering).is_none());
    entering
}

fn entered(entering: &mut Entering<'_>) -> Option<Result<Place<u8>, Full>> {
    entering.now_or_never()
}

#[test]
fn an_organization_gets_no_more_than_its_share() {
    let shares = shares(3, 2);
    let first = shares.try_take(1).unwrap();
    let _second = shares.try_take(1).unwrap();
    assert_eq!(shares.try_take(1).unwrap_err(), Taken::Share);
    let _third = shares.try_take(2).unwrap();
    assert_eq!(shares.try_take(2).unwrap_err(), Taken::All);
    drop(first);
    assert!(shares.try_take(1).is_ok());
}

#[tokio::test]
async fn whoever_comes_new_is_next_however_many_others_wait() {
    let shares = shares(2, 2);
    let mut held = vec![
        shares.enter(1).await.unwrap(),
        shares.enter(1).await.unwrap(),
    ];
    let mut many: Vec<_> = (0..3).map(|_| entering(&shares, 1)).collect();
    let mut other = entering(&shares, 2);
    held.pop();
    let place = entered(&mut other).unwrap().unwrap();
    held.pop();
    // The first has one place fewer than before, and the other none that wait.
    let mine = entered(&mut many[0]).unwrap().unwrap();
    drop((place, mine));
    assert!(entered(&mut many[1]).is_some());
}

#[tokio::test]
async fn those_who_wait_take_turns_whatever_the_length_of_their_queues() {
    let shares = shares(1, 1);
    let mut held = shares.enter(1).await.unwrap();
    let mut first: Vec<_> = (0..3).map(|_| entering(&shares, 1)).collect();
    let mut second: Vec<_> = (0..2).map(|_| entering(&shares, 2)).collect();
    for of in [2, 1, 2, 1, 1] {
        drop(held);
        let queue = if of == 1 { &mut first } else { &mut second };
        held = entered(&mut queue[0]).expect("its turn").unwrap();
        drop(queue.remove(0));
    }
}

type Taking<'a> = BoxFuture<'a, Place<u8>>;

fn taking(shares: &Shares<u8>, key: u8) -> Taking<'_> {
    let mut taking: Taking<'_> = Box::pin(shares.take(key));
    assert!((&mut taking).now_or_never().is_none());
    taking
}

/// The place of whoever has its turn.
fn next(waiting: &mut Vec<Taking<'_>>) -> Place<u8> {
    let mut all = waiting.iter_mut().enumerate();
    let found = all.find_map(|(position, one)| Some((position, one.now_or_never()?)));
    let (position, place) = found.expect("somebody has its turn");
    drop(waiting.remove(position));
    place
}

#[tokio::test]
async fn whoever_comes_new_is_next_however_many_take_turns() {
    let shares = Shares::new(1, 1);
    let mut held = shares.take(0).await;
    let mut many: Vec<_> = (0..30).map(|number| taking(&shares, number % 10)).collect();
    for _ in 0..10 {
        drop(held);
        held = next(&mut many);
    }
    let mut other = taking(&shares, 10);
    drop(held);
    assert!((&mut other).now_or_never().is_some());
}

#[tokio::test]
async fn those_who_come_new_and_never_cease_hold_up_nobody_for_ever() {
    let shares = Shares::new(1, 1);
    let mut held = shares.take(0).await;
    let mut waits = taking(&shares, 0);
    let mut new = Vec::new();
    let mut turns = 0;
    loop {
        new.push(taking(&shares, 1 + turns));
        drop(held);
        if let Some(place) = (&mut waits).now_or_never() {
            drop(place);
            break;
        }
        held = next(&mut new);
        turns += 1;
    }
    assert!((50..=200).contains(&turns), "{turns}");
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_bounded_for_each_for_all_and_in_time() {
    let shares = shares(1, 1);
    let held = shares.enter(1).await.unwrap();
    let waiting: Vec<_> = (0..3).map(|_| entering(&shares, 1)).collect();
    assert_eq!(shares.enter(1).await.unwrap_err(), Full::Share);
    let others: Vec<_> = (2..4).map(|key| entering(&shares, key)).collect();
    assert_eq!(shares.enter(4).await.unwrap_err(), Full::All);
    drop(waiting);
    assert_eq!(shares.enter(4).await.unwrap_err(), Full::All);
    drop((others, held));
    assert!(shares.enter(4).await.is_ok());
    assert_eq!(shares.remembered(), 0);
}

#[tokio::test]
async fn a_place_outlives_those_who_left_while_they_waited() {
    let shares = shares(1, 1);
    let held = shares.enter(1).await.unwrap();
    let gone_before = entering(&shares, 2);
    let gone_after = entering(&shares, 3);
    drop(gone_before);
    drop(held);
    drop(gone_after);
    assert!(shares.try_take(4).is_ok());
    assert_eq!(shares.remembered(), 0);
}

#[tokio::test]
async fn a_place_that_is_passed_on_comes_back_before_others_of_the_same() {
    let shares = shares(1, 1);
    let place = shares.enter(1).await.unwrap();
    let place = place.pass().await.unwrap();
    let mut many: Vec<_> = (0..3).map(|_| entering(&shares, 1)).collect();
    let mut other = entering(&shares, 2);

    // The queue of the first is full, but those who have begun do not count.
    let mut back: Entering<'_> = Box::pin(place.pass());
    assert!(entered(&mut back).is_none());
    let of_other = entered(&mut other).unwrap().unwrap();
    assert!(entered(&mut many[0]).is_none());
    drop(of_other);
    let place = entered(&mut back).unwrap().unwrap();
    assert!(entered(&mut many[0]).is_none());
    // Among its own it goes on.
    let place = place.pass().now_or_never().unwrap().unwrap();
    drop(place);
    assert!(entered(&mut many[0]).is_some());
}

#[tokio::test(start_paused = true)]
async fn a_place_that_is_passed_on_and_does_not_come_back_in_time_is_not_waited_for() {
    let shares = shares(1, 1);
    let place = shares.enter(1).await.unwrap();
    let other = entering(&shares, 2);
    let back = place.pass();
    let (back, other) = tokio::join!(back, other);
    assert_eq!(back.unwrap_err(), Full::All);
    drop(other.unwrap());
    assert!(shares.enter(1).await.is_ok());
}
