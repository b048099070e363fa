//! What members may do in these tests.

/// Who acts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Actor {
    Owner,
    Admin,
    Developer,
    Viewer,
    /// A read-only token of the owner.
    Reader,
    /// The owner of another organization.
    Stranger,
}

impl Actor {
    pub const ALL: [Self; 6] = [
        Self::Owner,
        Self::Admin,
        Self::Developer,
        Self::Viewer,
        Self::Reader,
        Self::Stranger,
    ];
}

/// Flags, segments and environments are few, so that sequences meet again what they made.
pub const FLAGS: u8 = 4;
pub const SEGMENTS: u8 = 2;
/// Of these, the first three are there when the project is made.
pub const ENVIRONMENTS: u8 = 5;
pub const USERS: u8 = 2;
pub const VALUES: u8 = 3;
/// No schedule is further ahead, in seconds.
pub const AHEAD: u8 = 12;

#[derive(Clone, Debug)]
pub enum Operation {
    CreateFlag {
        flag: u8,
        default: u8,
        requires: Option<u8>,
    },
    UpdateFlag {
        flag: u8,
        default: u8,
        requires: Option<u8>,
    },
    Archive(u8),
    Restore(u8),
    DeleteFlag(u8),
    SetState {
        flag: u8,
        env: u8,
        state: State,
    },
    /// Has a state switched in so many seconds, or not any more.
    Schedule {
        flag: u8,
        env: u8,
        enable: bool,
        after: Option<u8>,
    },
    Kill {
        flag: u8,
        env: u8,
    },
    Promote {
        flag: u8,
        from: u8,
        to: u8,
    },
    CreateSegment {
        segment: u8,
        user: u8,
    },
    UpdateSegment {
        segment: u8,
        user: u8,
    },
    DeleteSegment(u8),
    CreateEnvironment(u8),
    DeleteEnvironment(u8),
    Protect {
        env: u8,
        protected: bool,
        approvals: u8,
    },
    /// Gives the developer a row for an environment.
    Permit {
        env: u8,
        toggle: bool,
        rules: bool,
    },
    /// Holds the developer to a custom role.
    Hold(Role),
    /// Asks for the approval of a state.
    Request {
        flag: u8,
        env: u8,
        state: State,
    },
    /// Requests, like keys, are named by the number of the step that made them.
    Review {
        request: usize,
        approve: bool,
        /// Whether the reviewer has looked at the state as it is.
        looks: bool,
    },
    Withdraw(usize),
    Draft(Vec<Edit>),
    /// Asks for the approval of a change set.
    Ask(usize),
    Judge {
        set: usize,
        approve: bool,
    },
    ApplySet {
        set: usize,
        /// Whether whoever applies it has looked at what it does now.
        looks: bool,
    },
    Reopen(usize),
    DeleteSet(usize),
    CreateKey(u8),
    RevokeKey(usize),
    RotateKey {
        key: usize,
        at_once: bool,
    },
}

/// What a developer may be held to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    Free,
    /// Everything that a developer may, but to switch flags by their states.
    NoToggles,
    /// Everything but kills and requests.
    NoKills,
    /// To read, and to ask for approval.
    Requests,
}

impl Role {
    pub const ALL: [Self; 4] = [Self::Free, Self::NoToggles, Self::NoKills, Self::Requests];

    /// `None`: without one.
    pub fn keys(self) -> Option<Vec<&'static str>> {
        const READING: [&str; 4] = [
            "flags.read",
            "segments.read",
            "environments.read",
            "approvals.read",
        ];
        const WRITING: [&str; 10] = [
            "flags.create",
            "flags.update",
            "flags.delete",
            "flags.toggle",
            "flags.edit_rules",
            "flags.promote",
            "flags.kill",
            "segments.write",
            "environments.create",
            "approvals.create",
        ];
        let left_out: &[&str] = match self {
            Self::Free => return None,
            Self::NoToggles => &["flags.toggle"],
            Self::NoKills => &["flags.kill", "approvals.create"],
            Self::Requests => &WRITING[..9],
        };
        let kept = WRITING.into_iter().filter(|key| !left_out.contains(key));
        Some(READING.into_iter().chain(kept).collect())
    }
}

/// A flag in an environment: whether it is on, what it serves, and a segment whose users get `rule` instead.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State {
    pub enabled: bool,
    pub value: Option<u8>,
    pub segment: Option<u8>,
}

/// A part of a change set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub flag: u8,
    pub default: Option<u8>,
    pub env: u8,
    pub state: State,
}

#[derive(Clone, Debug)]
pub struct Step {
    /// What others call what it makes.
    pub number: usize,
    pub actor: Actor,
    pub operation: Operation,
}

impl Operation {
    /// The change set that it changes.
    pub const fn set(&self) -> Option<usize> {
        match self {
            Self::Ask(set)
            | Self::Judge { set, .. }
            | Self::ApplySet { set, .. }
            | Self::Reopen(set)
            | Self::DeleteSet(set) => Some(*set),
            _ => None,
        }
    }
}

pub fn flag_key(flag: u8) -> String {
    format!("flag-{flag}")
}

pub fn segment_key(segment: u8) -> String {
    format!("segment-{segment}")
}

pub fn user_key(user: u8) -> String {
    format!("user-{user}")
}

pub fn value(value: u8) -> String {
    format!("v{value}")
}

pub fn env_slug(env: u8) -> String {
    match env {
        0 => "dev".to_owned(),
        1 => "staging".to_owned(),
        2 => "production".to_owned(),
        other => format!("extra-{other}"),
    }
}
