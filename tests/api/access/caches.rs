//! What a token opens is kept by no cache, neither in a browser nor on the way there.

use harness::App;
use harness::access::protected;
use reqwest::Method;

use super::things::Things;
use super::{Complaints, ask};

#[tokio::test]
async fn no_cache_keeps_what_a_token_opens() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let anonymous = app.anonymous();
    let mut complaints = Complaints::default();
    let reads = protected()
        .into_iter()
        .filter(|row| row.method == Method::GET && !row.streams);
    for row in reads {
        for (who, caller) in [("the owner", &*owner), ("anonymous", &anonymous)] {
            let answer = ask(caller, &row, &things.path(&row), "{}").await;
            let policy = answer.headers.get("cache-control");
            let is_kept = policy.is_none_or(|policy| policy != "no-store");
            complaints.check(!is_kept, &row, who, answer.status);
        }
    }
}
