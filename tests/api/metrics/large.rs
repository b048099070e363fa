//! Reports of more rows than one adds up.

use harness::App;
use serde_json::json;

use super::PATIENT;
use super::series::SERIES;

#[tokio::test]
async fn a_report_of_more_counts_than_are_added_up_is_400() {
    let (app, owner) = App::with_owner_and(&[PATIENT]).await;
    let fill = "INSERT INTO evaluation_series (org_id, step, starts_at, env_id, flag_key, reason, value, variant_key, count)
                SELECT $1::uuid, 60, to_timestamp(60 * (number / 2000)), $1::uuid, 'a', number::text, '', '', 1
                FROM generate_series(0, 600000) AS number";
    app.execute(fill, &[&owner.org_id]).await;
    let query = format!("{SERIES}?from=0&to=18060&step=1m&flag_key=a&by=flag_key");
    let words = "more than 600000 counts are between from and to: choose a shorter time, a longer step, or an environment";
    owner.get(&query).await.expect_error(400, words);
    let shorter = owner.get(&query.replace("18060", "18000")).await;
    assert_eq!(
        shorter.expect_status(200).body["series"][0]["points"][0],
        json!([0, 2_000])
    );
}
