use sqlx::PgPool;

use super::*;
use base::{db::Db, waker::Waker};

#[tokio::test]
async fn a_panic_while_asking_keeps_nobody_from_asking_again() {
    let pool = PgPool::connect_lazy("postgres://nobody@127.0.0.1:1/none").unwrap();
    let replicas = Replicas::new(Db::new(pool, Waker::new()));
    let elsewhere = Arc::new(Elsewhere::new(Arc::default(), replicas));
    elsewhere.state().is_asking = true;
    let turn = Turn::new(&elsewhere);
    let asking = tokio::spawn(async move {
        let _turn = turn;
        panic!("while asking");
    });
    assert!(asking.await.is_err());
    assert!(!elsewhere.state().is_asking);

    // A turn that has ended does not release its successor's.
    let mut turn = Turn::new(&elsewhere);
    turn.end(&mut elsewhere.state());
    elsewhere.state().is_asking = true;
    drop(turn);
    assert!(elsewhere.state().is_asking);
}
