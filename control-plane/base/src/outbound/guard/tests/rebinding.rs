//! Names that lead elsewhere at the second look-up, or to several places at once.

use super::{ACME, Names, PATIENCE, get, guard_of_loopback, parsed, receiver::Forbidden};
use crate::outbound::guard::{Guard, Resolver, SendError};

/// An address for documentation, which is not refused. No test connects to it.
const PUBLIC: &str = "203.0.113.7";
const REFUSED: &str = "url must not lead to a private, local or reserved address";

fn guard(resolver: Resolver) -> Guard {
    Guard::new(Vec::new(), resolver, PATIENCE)
}

#[tokio::test]
async fn a_name_that_turns_to_this_machine_after_its_admission_gets_no_connection() {
    let listener = Forbidden::start();
    let names = Names::default().with("hooks.example.com", &[&[PUBLIC], &["127.0.0.1"]]);
    let guard = guard(names.resolver());
    let text = format!("http://hooks.example.com:{}/", listener.port());
    let url = parsed(&guard, &text);

    assert_eq!(guard.admit("url", &url, ACME).await, Ok(()));
    let sent = guard.send(&url, ACME, get()).await;
    assert!(matches!(sent, Err(SendError::Refused)), "{sent:?}");
    assert_eq!(names.asked(), 2);
    listener.assert_untouched();
}

#[tokio::test]
async fn one_refused_address_among_others_refuses_the_name() {
    let listener = Forbidden::start();
    for bad in [
        "127.0.0.1",
        "10.0.0.1",
        "::1",
        "::ffff:127.0.0.1",
        "64:ff9b::7f00:1",
        "fe80::1",
    ] {
        for answer in [[PUBLIC, bad], [bad, PUBLIC], ["2001:db8::1", bad]] {
            let names = Names::default().with("hooks.example.com", &[&answer]);
            let guard = guard(names.resolver());
            let text = format!("http://hooks.example.com:{}/", listener.port());
            let url = parsed(&guard, &text);
            let admitted = guard.admit("url", &url, ACME).await;
            assert_eq!(admitted.unwrap_err().to_string(), REFUSED, "{answer:?}");
            let sent = guard.send(&url, ACME, get()).await;
            assert!(
                matches!(sent, Err(SendError::Refused)),
                "{answer:?}: {sent:?}"
            );
        }
    }
    listener.assert_untouched();
}

/// The ninth and later ones would not be tried, but are checked all the same.
#[tokio::test]
async fn a_refused_address_at_the_end_of_many_refuses_the_name() {
    let mut answer = vec![PUBLIC; 500];
    answer.push("10.0.0.1");
    let names = Names::default().with("hooks.example.com", &[&answer]);
    let guard = guard(names.resolver());
    let url = parsed(&guard, "http://hooks.example.com/");
    assert!(guard.admit("url", &url, ACME).await.is_err());
    let sent = guard.send(&url, ACME, get()).await;
    assert!(matches!(sent, Err(SendError::Refused)), "{sent:?}");
}

/// An address stored under a more permissive setting.
#[tokio::test]
async fn an_address_is_judged_again_by_the_guard_that_calls_it() {
    let listener = Forbidden::start();
    let resolver = Names::default().resolver();
    let lax = guard_of_loopback(resolver.clone(), PATIENCE);
    let strict = guard(resolver);
    let text = format!("http://127.0.0.1:{}/", listener.port());
    let url = parsed(&lax, &text);

    assert_eq!(strict.parse("url", &text).unwrap_err().to_string(), REFUSED);
    assert!(strict.admit("url", &url, ACME).await.is_err());
    let sent = strict.send(&url, ACME, get()).await;
    assert!(matches!(sent, Err(SendError::Refused)), "{sent:?}");
    listener.assert_untouched();
}

#[tokio::test]
async fn a_name_that_does_not_resolve_is_admitted_and_cannot_be_called() {
    let names = Names::default().with("empty.example.com", &[&[]]);
    let guard = guard(names.resolver());
    for name in ["missing.example.com", "empty.example.com"] {
        let url = parsed(&guard, &format!("https://{name}/hook"));
        assert_eq!(guard.admit("url", &url, ACME).await, Ok(()), "{name}");
        let sent = guard.send(&url, ACME, get()).await;
        assert!(
            matches!(sent, Err(SendError::NotFound(_))),
            "{name}: {sent:?}"
        );
    }
}

/// `localhost` is refused as a name. Here it is any name for this machine, as the system's hosts file may have many.
#[tokio::test]
async fn the_systems_answers_are_judged_too() {
    let resolver = Resolver::new(|_| {
        use std::net::ToSocketAddrs;
        let addresses = ("localhost", 0).to_socket_addrs()?;
        Ok(addresses.map(|address| address.ip()).collect())
    });
    let guard = guard(resolver);
    let url = parsed(&guard, "http://alias.example.com/");
    assert!(guard.admit("url", &url, ACME).await.is_err());
}
