//! The whole environment, wherever it comes from.

use harness::FilesEdge;

use super::{ask, fetch, tag, value};
use crate::{
    relays::one_level,
    scene::{FLAG, Scene},
};

#[tokio::test(flavor = "multi_thread")]
async fn a_snapshot_answers_as_the_edge_does_wherever_it_is_fetched() {
    let mut scene = Scene::start().await;
    let (_relay, leaf) = one_level(&mut scene).await;
    scene.serve("v1").await;
    let built_in = scene.sdk().at(&scene.stack.url);
    let separate = fetch(&scene.sdk()).await;
    assert_eq!(value(&separate, FLAG), "v1");
    for sdk in [built_in, leaf.with_key(&scene.key)] {
        let environment = fetch(&sdk).await;
        assert_eq!(tag(&environment), tag(&separate));
        assert_eq!(value(&environment, FLAG), "v1");
    }
    let known = format!("\"{}\"", tag(&separate));
    let same = ask(&scene.sdk(), &[("if-none-match", &known)]).await;
    assert_eq!((same.status.as_u16(), same.body.len()), (304, 0));
    scene.serve("v2").await;
    scene.edge_serves("v2").await;
    let other = ask(&scene.sdk(), &[("if-none-match", &known)]).await;
    assert_eq!(other.status, 200);
    assert_eq!(value(&fetch(&scene.sdk()).await, FLAG), "v2");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edge_that_has_only_its_copy_on_disk_serves_snapshots() {
    let mut scene = Scene::start_with(&[("EDGE_GREETING_WAIT", "1s")]).await;
    for version in 1..=5 {
        scene.serve(&format!("v{version}")).await;
    }
    scene.edge_serves("v5").await;
    let before = tag(&fetch(&scene.sdk()).await);
    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.start().await;
    let after = fetch(&scene.sdk()).await;
    assert_eq!(tag(&after), before);
    assert_eq!(value(&after, FLAG), "v5");
}

#[tokio::test(flavor = "multi_thread")]
async fn files_are_served_to_sdks_without_a_key() {
    let flags = "
flags:
  beta:
    flag_type: string
    default_value: old
    environments:
      live: {enabled: true, default_value: new}
";
    let mut edge = FilesEdge::new("flags.yaml", &[], &[]);
    edge.write("flags.yaml", flags);
    edge.start().await;
    let environment = fetch(&edge.caller()).await;
    assert_eq!(value(&environment, "beta"), "new");
    let mut stream = edge.caller().stream(super::STREAM).await;
    let at = stream.next().await.unwrap();
    assert_eq!((at.name.as_str(), at.id), ("at", Some(tag(&environment))));
    edge.write("flags.yaml", &flags.replace("new", "newer"));
    let refetch = stream.next().await.unwrap();
    assert_eq!(refetch.name, "refetch");
    let environment = fetch(&edge.caller()).await;
    assert_eq!(refetch.id, Some(tag(&environment)));
    assert_eq!(value(&environment, "beta"), "newer");
}
