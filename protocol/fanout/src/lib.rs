//! What sends environments to edges over the link.
//!
//! A [`Source`] has the environments: the control plane, which compiles them from its database, or a relay, which
//! received them itself. The [`Hub`] knows what each connected edge holds, is owed and has acknowledged; [`serve`] gives
//! edges sessions over QUIC. The first sender to an edge has the source make a message, and the others share its bytes.
//! Acknowledgements return to the hub, where whoever wrote the change waits.

pub mod frames;
mod greeting;
mod hub;
mod line;
mod link;
mod outbox;
mod questions;
mod report;
mod sight;
mod source;
mod telemetry;
mod tls;
mod wanted;

pub use protocol::wire::relay::Fingerprint;

pub use self::{
    greeting::{Greeting, Guest, NotGreeted, Rewound},
    hub::{
        Change, Ended, Flushes, Following, HeldFor, Hub, Identity, Interest, Regions, Seen,
        Sighting, Subscription,
    },
    line::while_moving,
    link::{Identify, ServeError, Serving, serve, serve_on},
    outbox::{Outbox, Outgoing},
    questions::Untold,
    report::{Acknowledged, ConnectedEdge, HeldEnvironment, PresentEdge, Progress, Reached},
    sight::Sight,
    source::{
        Admission, AllAsked, AllSampled, Asked, Frame, LastTimestamp, Lookup, NotAdmitted, NotNow,
        Rehearsals, Rehearsed, Reporter, Signers, Source, Update,
    },
    tls::{ServerIdentity, TlsError, fingerprint, is_signing},
    wanted::{AskedFor, Wanted},
};
