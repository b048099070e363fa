//! The dashboard is embedded at build time: a new file must rebuild the crate.

fn main() {
    println!("cargo::rerun-if-changed=../dashboard/dist");
}
