//! A plan below an endpoint's gate is 402, before anything is looked for.

use harness::App;
use harness::access::{Plan, protected};

use super::things::{Things, nowhere};
use super::{Complaints, call};

#[tokio::test]
async fn a_plan_below_the_gate_is_402() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let mut complaints = Complaints::default();
    for row in protected() {
        for plan in row.plan.refused() {
            app.set_plan(&owner, plan).await;
            for (path, body) in [(things.path(&row), "{}"), (nowhere(&row), "{")] {
                let status = call(&owner, &row, &path, body).await;
                complaints.check(status == 402, &row, plan, status);
            }
        }
    }
}

#[tokio::test]
async fn what_has_no_gate_is_open_to_every_plan() {
    let (app, owner) = App::with_owner().await;
    let things = Things::of(&app, &owner).await;
    let mut complaints = Complaints::default();
    app.set_plan(&owner, "free").await;
    let rows = protected().into_iter().filter(|row| row.plan == Plan::Any);
    for row in super::in_order(rows.collect()) {
        // A body without anything is refused before a limit of the plan is met.
        let status = call(&owner, &row, &things.path(&row), "{}").await;
        complaints.check(status != 402, &row, "free", status);
    }
}
