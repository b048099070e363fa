//! Processes that listen on sockets of systemd: while one restarts, its clients wait and none is refused.

use std::{sync::Arc, time::Duration};

use harness::{Caller, patience::patience, process::Process, sockets::Sockets};
use serving::clock::Clock;
use tempfile::TempDir;
use tokio::{
    net::UnixDatagram,
    time::{sleep, timeout},
};

use super::{LONG, balancer::Balancer, end};
use crate::scene::{Scene, eventually_serves, readiness, state_serving, value_at};

const CLIENTS: usize = 8;

const BUSY: &[(&str, &str)] = &[("SHUTDOWN_DELAY", "1s"), ("RATE_EVALUATION", "0")];

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_edge_on_a_socket_of_systemd_restarts_and_refuses_no_connection() {
    let mut scene = Scene::start().await;
    let mut edge = scene.stack.enrolled_edge(BUSY);
    edge.process.give(Sockets::http_and_admin());
    edge.start().await;
    let address = edge.process.address("http").parse().unwrap();
    let clients = Balancer::without_probes(address, &scene.key);
    restart_twice_under_load(&mut edge.process, &clients).await;
    assert_eq!(value_at(&edge.with_key(&scene.key)).await, "v0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_control_plane_on_sockets_of_systemd_restarts_and_refuses_no_connection() {
    let mut scene = Scene::start().await;
    let control = &mut scene.stack.control;
    control.terminate();
    control.give(Sockets::http_and_quic());
    for (setting, value) in BUSY {
        control.set(setting, value);
    }
    scene.stack.start_control().await;
    let control = &mut scene.stack.control;
    scene.edge.process.terminate();
    scene
        .edge
        .process
        .set("EDGE_UPSTREAM", &control.address("quic"));
    scene.edge.start().await;

    let address = control.address("http").parse().unwrap();
    let clients = Balancer::without_probes(address, &scene.key);
    restart_twice_under_load(control, &clients).await;
    let control = Caller::new(&control.url("http"), Clock::system());
    let owner = scene.owner.at(control.base());
    owner.change(&scene.state_path(), state_serving("v1")).await;
    eventually_serves(&scene.sdk(), "v1").await;
}

/// The clients keep connections, and make new ones when they are asked to.
async fn restart_twice_under_load(process: &mut Process, clients: &Arc<Balancer>) {
    let load = clients.start(CLIENTS);
    for _ in 0..2 {
        let before = clients.answered();
        while clients.answered() < before + 500 {
            sleep(Duration::from_millis(50)).await;
        }
        assert!(process.terminate().success());
        process.start().await;
    }
    let before = clients.answered();
    while clients.answered() < before + 500 {
        sleep(Duration::from_millis(50)).await;
    }
    clients.end();
    load.join_all().await;
    assert_eq!(clients.failures(), Vec::<String>::new());
}

#[tokio::test]
async fn a_socket_that_nothing_listens_on_is_refused() {
    let mut scene = Scene::start().await;
    let mut edge = scene.stack.enrolled_edge(&[]);
    edge.process.give(Sockets::http_and_quic());
    let log = edge.process.refuses_to_start().await;
    assert!(
        log.contains("the socket `quic` was passed and is not used"),
        "{log}"
    );
}

#[tokio::test]
async fn systemd_learns_when_an_edge_is_ready_and_when_it_stops() {
    let mut scene = Scene::start().await;
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("notify");
    let systemd = UnixDatagram::bind(&path).unwrap();
    let mut edge = scene.stack.enrolled_edge(&[LONG]);
    edge.process.set("NOTIFY_SOCKET", path.to_str().unwrap());
    scene.stack.control.kill();
    edge.process.start().await;
    let told = next(&systemd).await;
    assert!(
        told.starts_with("STATUS=") && !told.contains("READY"),
        "{told}"
    );

    scene.stack.start_control().await;
    let mut told = next(&systemd).await;
    while told.starts_with("STATUS=") {
        told = next(&systemd).await;
    }
    assert_eq!(told, "READY=1\nSTATUS=ready\n");
    assert_eq!(readiness(&edge).await["status"], "ready");
    edge.process.ask_to_stop();
    assert_eq!(next(&systemd).await, "STOPPING=1\nSTATUS=stopping\n");
    assert!(end(&mut edge.process).await.success());
}

async fn next(systemd: &UnixDatagram) -> String {
    let mut message = [0; 1_000];
    let received = timeout(patience(), systemd.recv(&mut message)).await;
    let length = received.unwrap().unwrap();
    String::from_utf8(message[..length].to_vec()).unwrap()
}
