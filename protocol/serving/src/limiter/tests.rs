use futures_util::{FutureExt, future::BoxFuture};

use super::*;

fn limiter(total: usize, per_key: usize) -> Limiter<u8> {
    Limiter::new(Limit {
        total,
        per_key,
        queue: 3,
        queue_total: 5,
        patience: Duration::from_secs(10),
        share: Some("share"),
        ..Limit::UNBOUNDED
    })
}

type Entering<'a> = BoxFuture<'a, Result<Permit<u8>, Full>>;

fn waiting(limiter: &Limiter<u8>, key: u8) -> Entering<'_> {
    let mut entering: Entering<'_> = Box::pin(limiter.enter(key));
    assert!((&mut entering).now_or_never().is_none());
    entering
}

fn bound(entered: Result<Permit<u8>, Full>) -> Bound {
    entered.unwrap_err().bound
}

#[tokio::test(start_paused = true)]
async fn a_key_has_its_share_of_the_total() {
    let limiter = limiter(3, 2);
    let first = limiter.try_enter(1).unwrap();
    let _second = limiter.try_enter(1).unwrap();
    assert_eq!(bound(limiter.try_enter(1)), Bound::Share);
    assert_eq!(bound(limiter.enter(1).await), Bound::Share);
    let _third = limiter.try_enter(2).unwrap();
    assert_eq!(bound(limiter.try_enter(2)), Bound::Total);
    assert_eq!(bound(limiter.enter(2).await), Bound::Total);
    drop(first);
    assert!(limiter.try_enter(1).is_ok());
}

#[tokio::test(start_paused = true)]
async fn a_key_with_a_long_queue_holds_up_another_for_its_share_alone() {
    let limiter = limiter(1, 1);
    let held = limiter.enter(1).await.unwrap();
    let mut own: Vec<_> = (0..3).map(|_| waiting(&limiter, 1)).collect();
    let other = waiting(&limiter, 2);
    drop(held);
    assert!((&mut own[0]).now_or_never().is_none());
    let other = other.now_or_never().expect("it is next").unwrap();
    drop(other);
    assert!((&mut own[0]).now_or_never().is_some());
}

#[tokio::test(start_paused = true)]
async fn the_queue_is_bounded_per_key_and_in_total_and_unused_keys_are_forgotten() {
    let limiter = limiter(1, 1);
    let held = limiter.enter(1).await.unwrap();
    let own: Vec<_> = (0..3).map(|_| waiting(&limiter, 1)).collect();
    assert_eq!(bound(limiter.enter(1).await), Bound::Share);
    let others = [waiting(&limiter, 2), waiting(&limiter, 3)];
    assert_eq!(bound(limiter.enter(4).await), Bound::Total);
    drop((held, own, others));
    assert!(limiter.enter(4).await.is_ok());
    assert_eq!(limiter.keys(), 0);
}

#[tokio::test(start_paused = true)]
async fn a_permit_that_is_passed_on_comes_back_after_other_keys_and_before_its_own() {
    let limiter = limiter(1, 1);
    let permit = limiter.enter(1).await.unwrap().pass().await.unwrap();
    let mut own = waiting(&limiter, 1);
    let mut other = waiting(&limiter, 2);
    let mut back = Box::pin(permit.pass());
    assert!((&mut back).now_or_never().is_none());
    drop((&mut other).now_or_never().expect("its turn").unwrap());
    assert!((&mut own).now_or_never().is_none());
    drop(back.now_or_never().expect("its turn").unwrap());
    assert!(own.now_or_never().is_some());
}

#[tokio::test]
async fn work_whose_caller_is_gone_holds_its_permit() {
    let limiter = limiter(2, 1);
    let (release, held) = std::sync::mpsc::channel::<()>();
    let mut working = Box::pin(limiter.run(1, move || held.recv().is_ok()));
    assert!((&mut working).now_or_never().is_none());
    drop(working);
    assert_eq!(bound(limiter.try_enter(1)), Bound::Share);
    assert_eq!(limiter.run(2, || 7).await.unwrap(), 7);
    drop(release);
}
