//! Migrations are embedded at build time: a new file must rebuild the crate.

fn main() {
    println!("cargo::rerun-if-changed=../../migrations");
}
