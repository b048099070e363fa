//! What the types of answers are, and what is answered where there is none.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod sample;

use std::sync::Arc;

use halyard::{Client, Context, ErrorKind, Reason, State};
use serde_json::{Value, json};

use self::sample::{environment, flag};

fn client() -> Client {
    let flags = vec![
        flag("bool", "true"),
        flag("int", "12"),
        flag("whole", "5.0"),
        flag("number", "1.5"),
        flag("large", "1e300"),
        flag("text", r#""say \"hi\"""#),
        flag("json", r#"{"a":[1,2]}"#),
    ];
    Client::from_snapshot(environment(7, flags)).unwrap()
}

#[test]
fn each_type_is_answered() {
    let (client, user) = (client(), Context::new("user-1"));
    assert!(client.bool("bool", &user, false));
    assert_eq!(client.int("int", &user, 0), 12);
    assert_eq!(client.int("whole", &user, 0), 5);
    assert_eq!(client.number("int", &user, 0.0), 12.0);
    assert_eq!(client.number("number", &user, 0.0), 1.5);
    assert_eq!(&*client.string("text", &user, "none"), "say \"hi\"");
    assert_eq!(
        *client.json("json", &user, Value::Null),
        json!({"a": [1, 2]})
    );
    assert_eq!(*client.json("bool", &user, Value::Null), json!(true));
}

#[test]
fn a_text_and_a_json_value_are_parsed_once() {
    let (client, user) = (client(), Context::new("user-1"));
    let twice = || client.string("text", &user, "");
    assert!(Arc::ptr_eq(&twice(), &twice()));
    let twice = || client.json("json", &user, Value::Null);
    assert!(Arc::ptr_eq(&twice(), &twice()));
}

#[test]
fn a_value_of_another_type_is_the_default_of_the_caller() {
    let (client, user) = (client(), Context::new("user-1"));
    let answer = client.bool_detail("text", &user, true);
    assert_eq!(
        (answer.value, answer.error),
        (true, Some(ErrorKind::TypeMismatch))
    );
    assert_eq!((answer.reason, answer.version), (Reason::Error, Some(7)));
    for key in ["number", "large", "bool", "text", "json"] {
        let answer = client.int_detail(key, &user, -1);
        assert_eq!(
            (answer.value, answer.error),
            (-1, Some(ErrorKind::TypeMismatch)),
            "{key}"
        );
    }
    for key in ["bool", "text", "json"] {
        assert_eq!(client.number(key, &user, -1.0), -1.0, "{key}");
    }
    for key in ["bool", "int", "json"] {
        assert_eq!(&*client.string(key, &user, "none"), "none", "{key}");
    }
}

#[test]
fn a_flag_that_is_not_there_is_the_default_of_the_caller() {
    let (client, user) = (client(), Context::new("user-1"));
    let answer = client.string_detail("absent", &user, "none");
    assert_eq!(&*answer.value, "none");
    assert_eq!(answer.error, Some(ErrorKind::FlagNotFound));
    assert_eq!((answer.reason, answer.variant), (Reason::NotFound, None));
}

#[tokio::test]
async fn a_client_without_flags_says_that_it_is_not_ready() {
    let client = Client::builder("srv_1", "http://127.0.0.1:9/");
    let client = client.start_without_waiting().unwrap();
    let answer = client.bool_detail("bool", &Context::default(), true);
    assert_eq!((answer.value, answer.version), (true, None));
    assert_eq!(answer.error, Some(ErrorKind::ProviderNotReady));
    assert_eq!(client.status().state, State::NotReady);
}

#[tokio::test]
async fn settings_that_cannot_be_used_are_told() {
    for (key, url, why) in [
        (
            "cli_1",
            "https://edge",
            "the API key is not one of a server (srv_…)",
        ),
        (
            "srv_\n",
            "https://edge",
            "the API key has characters that none has",
        ),
        ("srv_1", "edge", "the edge's address is not a URL"),
        ("srv_1", "ftp://edge", "the edge's address is none of HTTP"),
    ] {
        let refused = Client::builder(key, url).start().await.unwrap_err();
        assert_eq!(refused.to_string(), why);
    }
}
