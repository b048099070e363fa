//! Where processes listen, and what they tell of it.

use std::fs;
use std::net::TcpListener;

use harness::mails::in_folder;
use harness::{Stack, eventually};

use crate::scene::Scene;

#[tokio::test]
async fn a_process_that_cannot_tell_where_it_listens_does_not_start() {
    let mut stack = Stack::start().await;
    let mut edge = stack.enrolled_edge(&[]);
    stack.control.kill();
    for process in [&mut stack.control, &mut edge.process] {
        process.set("ADDRESS_FILE", "/nowhere/addresses");
        let log = process.refuses_to_start().await;
        let told = log.lines().last().unwrap();
        let reason = ": cannot write ADDRESS_FILE /nowhere/addresses: No such file or directory";
        assert!(told.contains(reason), "{told}");
    }
}

#[tokio::test]
async fn a_process_whose_addresses_are_taken_names_all_of_them_with_their_settings() {
    let mut stack = Stack::start().await;
    let mut relay = stack.enrolled_relay(&[]);
    let taken = [
        ("EDGE_HTTP_ADDR", stack.control.address("http"), ""),
        ("EDGE_ADMIN_ADDR", stack.control.address("admin"), ""),
        ("EDGE_RELAY_ADDR", stack.quic().to_owned(), " (UDP)"),
    ];
    for (setting, address, _) in &taken {
        relay.process.set(setting, address);
    }
    let log = relay.process.refuses_to_start().await;
    let mut expected = "halyard-edge: some addresses cannot be used:".to_owned();
    for (setting, address, kind) in &taken {
        expected += &format!("\n  {setting}: cannot listen on {address}{kind}: ");
        expected += "Address already in use (os error 98)";
    }
    assert_eq!(log.trim_end(), expected);

    let edge = stack.edge().await;
    stack.control.kill();
    let (http, admin) = (edge.process.address("http"), edge.process.address("admin"));
    stack.control.set("CONTROL_HTTP_ADDR", &http);
    stack.control.set("CONTROL_ADMIN_ADDR", &admin);
    let log = stack.control.refuses_to_start().await;
    for told in [
        format!("CONTROL_HTTP_ADDR: cannot listen on {http}: "),
        format!("CONTROL_ADMIN_ADDR: cannot listen on {admin}: "),
    ] {
        assert!(log.contains(&told), "{log}");
    }
    assert!(!log.contains("CONTROL_QUIC_ADDR"), "{log}");
}

#[tokio::test]
async fn links_in_mail_name_the_port_that_the_system_chose() {
    let folder = tempfile::tempdir().unwrap();
    let route = format!("dir:{}", folder.path().display());
    let stack = Stack::start_with(&[("SMTP_URL", &route)]).await;
    let owner = stack.signup("acme").await;
    let mail = eventually("the mail to prove the address", async || {
        in_folder(folder.path()).pop()
    })
    .await;
    assert_eq!(mail.to, owner.email);
    let path = mail.link().strip_prefix(&stack.url).unwrap();
    stack.anonymous().get(path).await.expect_status(302);
}

/// The harness promises that tests and edges find a process where it was before.
#[tokio::test]
async fn a_process_whose_port_was_borrowed_comes_back_to_it() {
    let mut scene = Scene::start().await;
    let address = scene.edge.process.address("http");
    scene.edge.process.kill();
    let borrowed = TcpListener::bind(&address).unwrap();
    let log = scene.edge.process.log_file().to_owned();
    let giving_back = async {
        eventually("the edge finds its port taken", || async {
            let log = fs::read_to_string(&log).unwrap();
            log.contains("Address already in use").then_some(())
        })
        .await;
        drop(borrowed);
    };
    tokio::join!(scene.edge.start(), giving_back);
    assert_eq!(scene.edge.process.address("http"), address);
    scene.edge_serves("v0").await;
}
