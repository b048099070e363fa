//! Who gets a place, who waits, and who is refused.

use futures_util::{FutureExt, future::BoxFuture};
use tokio::time::{Instant, sleep};

use super::{state::FORGOTTEN_AT_ONCE, *};

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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

#[tokio::test(start_paused = true)]
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

/// Takes a place again and again, each time for so long.
async fn use_for_ever(shares: Shares<u8>, key: u8, time: Duration) {
    loop {
        let _place = shares.take(key).await;
        sleep(time).await;
    }
}

/// The longest that somebody waits who needs a place for a millisecond, a hundred times.
async fn longest_wait(shares: &Shares<u8>, key: u8) -> Duration {
    let mut longest = Duration::ZERO;
    for _ in 0..100 {
        let begun = Instant::now();
        let place = shares.take(key).await;
        longest = longest.max(begun.elapsed());
        sleep(Duration::from_millis(1)).await;
        drop(place);
    }
    longest
}

#[tokio::test(start_paused = true)]
async fn who_needs_places_briefly_waits_for_one_turn_of_those_who_need_them_long() {
    let shares = Shares::new(2, 1);
    for key in 1..=20 {
        tokio::spawn(use_for_ever(
            shares.clone(),
            key,
            Duration::from_millis(100),
        ));
    }
    // They have all had several turns.
    sleep(Duration::from_secs(5)).await;
    let longest = longest_wait(&shares, 0).await;
    assert!(longest <= Duration::from_millis(101), "{longest:?}");
}

fn grouped(places: usize, each: usize, group: usize) -> Shares<u8, char> {
    let queue = Queue {
        each: 8,
        all: 64,
        patience: Duration::from_secs(10),
    };
    Shares::in_groups(places, each, group, queue)
}

#[tokio::test(start_paused = true)]
async fn a_group_gets_no_more_than_its_share_however_many_are_in_it() {
    let shares = grouped(3, 2, 2);
    let first = shares.enter_of(1, 'a').await.unwrap();
    let _second = shares.enter_of(2, 'a').await.unwrap();
    let mut third = Box::pin(shares.enter_of(3, 'a'));
    assert!((&mut third).now_or_never().is_none());
    // There is a place, also for somebody of the group who comes from elsewhere.
    let elsewhere = shares.enter_of(1, 'b').await.unwrap();
    drop(elsewhere);
    assert!((&mut third).now_or_never().is_none());
    drop(first);
    assert!((&mut third).now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn a_place_lets_in_whoever_waited_for_its_key_and_whoever_waited_for_its_group() {
    let shares = grouped(3, 1, 1);
    let place = shares.enter_of(1, 'a').await.unwrap();
    let mut of_key = Box::pin(shares.enter_of(1, 'b'));
    let mut of_group = Box::pin(shares.enter_of(2, 'a'));
    assert!((&mut of_key).now_or_never().is_none());
    assert!((&mut of_group).now_or_never().is_none());
    drop(place);
    let _of_key = (&mut of_key).now_or_never().unwrap().unwrap();
    assert!((&mut of_group).now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn who_waits_behind_others_of_its_key_whose_group_is_full_is_let_in() {
    let shares = grouped(2, 2, 1);
    let _place = shares.enter_of(1, 'a').await.unwrap();
    let mut full = Box::pin(shares.enter_of(2, 'a'));
    assert!((&mut full).now_or_never().is_none());
    assert!(shares.enter_of(2, 'b').now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn many_of_one_group_hold_up_another_group_for_one_turn() {
    let shares = grouped(2, 2, 2);
    for key in 1..=20 {
        let shares = shares.clone();
        tokio::spawn(async move {
            loop {
                let _place = shares.enter_of(key, 'a').await.unwrap();
                sleep(Duration::from_millis(100)).await;
            }
        });
    }
    sleep(Duration::from_secs(5)).await;
    // More than a twenty-first part, and each time within the turn that had begun.
    for _ in 0..20 {
        let begun = Instant::now();
        let place = shares.enter_of(0, 'b').await.unwrap();
        assert!(begun.elapsed() <= Duration::from_millis(101));
        sleep(Duration::from_millis(100)).await;
        drop(place);
    }
}

#[tokio::test(start_paused = true)]
async fn who_held_a_place_for_a_minute_waits_for_a_bounded_time() {
    let shares = Shares::new(1, 1);
    let place = shares.take(0).await;
    tokio::spawn(use_for_ever(shares.clone(), 1, Duration::from_millis(100)));
    sleep(Duration::from_secs(60)).await;
    let mut again = Box::pin(place.pass());
    let begun = Instant::now();
    (&mut again).await.unwrap();
    let waited = begun.elapsed();
    assert!(waited <= Duration::from_secs(3), "{waited:?}");
}

#[tokio::test(start_paused = true)]
async fn those_who_rest_are_forgotten() {
    let shares = Shares::new(1, 1);
    tokio::spawn(use_for_ever(shares.clone(), 0, Duration::from_millis(1)));
    for _ in 0..20 {
        for key in 1..=255 {
            drop(shares.take(key).await);
        }
    }
    assert!(shares.remembered() <= 2 * 2 + FORGOTTEN_AT_ONCE);
}
