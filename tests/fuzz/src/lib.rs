//! What peers and tenants send, as any bytes. Each target is a parser, or what is behind it, and panics where something does not
//! hold that has to hold for every input. `./dev fuzz` looks for such inputs by coverage; `corpus/` keeps what it found worth
//! keeping, which `./dev test` runs again, and mutates for some seconds.

mod addresses;
mod bodies;
mod contents;
mod edge;
mod files;
mod gateways;
mod link;
mod patterns;
mod scim;
mod sources;

/// A parser, and what has to hold.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The name, also of its folder in `corpus/`.
    pub name: &'static str,
    /// Panics if something does not hold.
    pub run: fn(&[u8]),
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "addresses",
        run: addresses::run,
    },
    Target {
        name: "bodies",
        run: bodies::run,
    },
    Target {
        name: "contents",
        run: contents::run,
    },
    Target {
        name: "edge",
        run: edge::run,
    },
    Target {
        name: "files",
        run: files::run,
    },
    Target {
        name: "gateways",
        run: gateways::run,
    },
    Target {
        name: "link",
        run: link::run,
    },
    Target {
        name: "patterns",
        run: patterns::run,
    },
    Target {
        name: "scim",
        run: scim::run,
    },
    Target {
        name: "sources",
        run: sources::run,
    },
];

/// The first byte, which chooses among what a target has, and the rest.
fn choice(bytes: &[u8]) -> (u8, &[u8]) {
    bytes
        .split_first()
        .map_or((0, bytes), |(first, rest)| (*first, rest))
}

/// The rest as text.
fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}
