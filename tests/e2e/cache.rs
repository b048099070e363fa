//! The copy on disk may be lost or damaged: the edge then starts empty, never wrong.

use std::fs;
use std::path::{Path, PathBuf};

use crate::scene::Scene;

#[tokio::test]
async fn a_damaged_copy_is_dropped_and_fetched_again() {
    let mut scene = Scene::start().await;
    scene.edge.process.terminate();
    let files = files_in(&scene.edge.cache());
    assert!(!files.is_empty(), "the edge keeps a copy");
    for file in &files {
        damage(file);
    }

    scene.edge.start().await;
    scene.edge_serves("v0").await;
    scene.serve("v1").await;
    assert_eq!(scene.value().await, "v1");

    // The new copy is whole again.
    scene.edge.process.terminate();
    scene.stack.control.kill();
    scene.edge.start().await;
    assert_eq!(scene.value().await, "v1");
}

#[tokio::test]
async fn an_edge_serves_without_a_copy() {
    let mut scene = Scene::start_with(&[("EDGE_CACHE", "none")]).await;
    assert!(files_in(&scene.edge.cache()).is_empty());
    scene.edge.process.kill();
    scene.edge.start().await;
    scene.edge_serves("v0").await;
}

fn files_in(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(files_in(&path));
        } else {
            files.push(path);
        }
    }
    files
}

/// Overwrites the middle of a file, as a bad disk would.
fn damage(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 4..bytes.len() * 3 / 4;
    bytes[middle].fill(0xa5);
    fs::write(file, bytes).unwrap();
}
