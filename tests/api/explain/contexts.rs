//! Contexts that may not mean what their author thinks.

use serde_json::json;

use super::Setup;

#[tokio::test]
async fn attributes_in_the_wrong_place_are_warned_about() {
    let setup = Setup::new().await;
    for (context, place, message) in [
        (
            json!({"key": "user-1", "my plan": "pro"}),
            "context.my%20plan",
            "only key and attributes are read; what rules look at belongs into attributes",
        ),
        (
            json!({"key": "user-1", "attributes": {"attributes": {"plan": "pro"}}}),
            "context.attributes.attributes",
            "one attribute of this name; what rules look at belongs into context.attributes",
        ),
    ] {
        let question = setup.question_with(&json!({"context": context}));
        let told = setup.explain(question).await;
        told.expect_status(200);
        assert_eq!(told.text("/result/reason"), "FALLTHROUGH");
        let warning = json!([{"place": place, "message": message}]);
        assert_eq!(told.body["warnings"], warning);
    }
    let plain = json!({"key": "user-1", "attributes": {"attributes": "red"}});
    let plain = setup.explain(setup.question_with(&json!({"context": plain})));
    assert_eq!(plain.await.body["warnings"], json!([]));
}
