//! Everything that is left to chance, drawn from the seed.
//!
//! What a step does is rolled in order. The weather is a function of the seed, the place and the time instead: it is the same
//! however many datagrams there are, so a difference in one of them changes nothing else.
//!
//! Keys of hash maps, connection ids, back-off: all of these begin with bytes of the operating system, which here come from the
//! seed, for each thread anew. Only secrets of TLS are others in each run, and nothing depends on these but ciphertexts.

use std::{
    cell::Cell,
    fs::File,
    io::Read,
    ops::RangeInclusive,
    sync::atomic::{AtomicU64, Ordering},
};

/// The seed of this process, plus one; 0 outside of a world.
static SEED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static DRAWN: Cell<u64> = const { Cell::new(0) };
}

/// From here on, what the operating system calls random comes from the seed.
pub(crate) fn decide_everything(seed: u64) {
    SEED.store(seed.wrapping_add(1), Ordering::Relaxed);
}

/// A number that all of these lead to.
pub(crate) fn mix(parts: &[u64]) -> u64 {
    parts.iter().fold(0, |sum: u64, part| {
        let mut mixed = (sum ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    })
}

/// Rolled in order.
#[derive(Debug)]
pub(crate) struct Dice {
    seed: u64,
    rolled: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, rolled: 0 }
    }

    /// A number below `sides`.
    pub(crate) fn below(&mut self, sides: u64) -> u64 {
        self.rolled += 1;
        mix(&[self.seed, self.rolled]) % sides
    }

    pub(crate) fn within(&mut self, range: RangeInclusive<u64>) -> u64 {
        range.start() + self.below(range.end() - range.start() + 1)
    }

    pub(crate) fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).unwrap()
    }

    pub(crate) fn one_in(&mut self, sides: u64) -> bool {
        self.below(sides) == 0
    }
}

/// Takes the place of the C library's.
#[expect(unsafe_code, reason = "the library's function is called by its name")]
#[unsafe(no_mangle)]
extern "C" fn getrandom(bytes: *mut u8, length: usize, _flags: u32) -> isize {
    if length > 0 {
        // SAFETY: the caller owns that many bytes, as the function's contract has it.
        fill(unsafe { std::slice::from_raw_parts_mut(bytes, length) });
    }
    isize::try_from(length).unwrap_or(-1)
}

fn fill(bytes: &mut [u8]) {
    let seed = SEED.load(Ordering::Relaxed);
    if seed == 0 {
        File::open("/dev/urandom")
            .and_then(|mut file| file.read_exact(bytes))
            .expect("the operating system has random bytes");
        return;
    }
    for chunk in bytes.chunks_mut(8) {
        let drawn = DRAWN.get() + 1;
        DRAWN.set(drawn);
        let number = mix(&[seed, u64::MAX, drawn]).to_le_bytes();
        chunk.copy_from_slice(&number[..chunk.len()]);
    }
}
