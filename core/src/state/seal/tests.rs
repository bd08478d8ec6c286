use super::*;
use proptest::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// A clock that stands until it is moved, and randomness that only counts.
#[derive(Debug, Default)]
struct Fixed {
    now: AtomicU64,
    drawn: AtomicU64,
    dry: bool,
}

impl Environment for Fixed {
    fn monotonic_ms(&self) -> u64 {
        self.unix_ms()
    }

    fn unix_ms(&self) -> u64 {
        self.now.load(Ordering::Relaxed)
    }

    fn random(&self, bytes: &mut [u8]) -> Result<(), String> {
        if self.dry {
            return Err("no randomness".to_owned());
        }
        for chunk in bytes.chunks_mut(8) {
            let drawn = self.drawn.fetch_add(1, Ordering::Relaxed).to_be_bytes();
            chunk.copy_from_slice(&drawn[8 - chunk.len()..]);
        }
        Ok(())
    }
}

const BINDING: Binding<'static> =
    Binding { principal: "alice", method: "tools/call", target: "pay", arguments: [7; 32] };

fn sealer(keys: &[[u8; 32]]) -> Sealer {
    Sealer::new(keys, Arc::new(Fixed::default())).unwrap()
}

#[test]
fn a_state_opens_after_a_restart_with_the_same_key_r088() {
    let sealed = sealer(&[[1; 32]]).seal(&BINDING, 10, b"{}").unwrap();
    assert_eq!(sealer(&[[1; 32]]).open(&BINDING, &sealed), Ok(b"{}".to_vec()));
    assert_eq!(sealer(&[[2; 32]]).open(&BINDING, &sealed), Err(SealFault::UnknownKey));
}

#[test]
fn keys_rotate_newest_first_and_all_open() {
    let old = sealer(&[[1; 32]]).seal(&BINDING, 10, b"old").unwrap();
    let both = sealer(&[[2; 32], [1; 32]]);
    assert_eq!(both.open(&BINDING, &old), Ok(b"old".to_vec()));
    let new = both.seal(&BINDING, 10, b"new").unwrap();
    assert_eq!(sealer(&[[2; 32]]).open(&BINDING, &new), Ok(b"new".to_vec()));
    assert_eq!(sealer(&[[1; 32]]).open(&BINDING, &new), Err(SealFault::UnknownKey));
}

#[test]
fn without_keys_one_is_drawn_and_ends_with_the_process() {
    let environment: Arc<dyn Environment> = Arc::new(Fixed::default());
    let first = Sealer::new(&[], Arc::clone(&environment)).unwrap();
    let second = Sealer::new(&[], environment).unwrap();
    assert!(first.is_ephemeral() && !sealer(&[[0; 32]]).is_ephemeral());
    let sealed = first.seal(&BINDING, 10, b"x").unwrap();
    assert_eq!(first.open(&BINDING, &sealed), Ok(b"x".to_vec()));
    assert_eq!(second.open(&BINDING, &sealed), Err(SealFault::UnknownKey));
}

#[test]
fn a_lack_of_randomness_is_told() {
    let dry: Arc<dyn Environment> = Arc::new(Fixed { dry: true, ..Fixed::default() });
    assert_eq!(Sealer::new(&[], Arc::clone(&dry)).unwrap_err(), "no randomness");
    assert!(Sealer::new(&[[1; 32]], dry).unwrap().seal(&BINDING, 10, b"").is_err());
}

#[test]
fn a_state_lasts_to_its_expiry_and_no_longer_mrtr09() {
    let environment = Arc::new(Fixed::default());
    let server = Sealer::new(&[[1; 32]], Arc::<Fixed>::clone(&environment)).unwrap();
    let sealed = server.seal(&BINDING, 1_000, b"x").unwrap();
    for (now, expected) in
        [(0, Ok(b"x".to_vec())), (999, Ok(b"x".to_vec())), (1_000, Err(SealFault::Expired))]
    {
        environment.now.store(now, Ordering::Relaxed);
        assert_eq!(server.open(&BINDING, &sealed), expected, "at {now}");
    }
}

#[test]
fn no_other_request_can_use_it_x06_mrtr09_r088() {
    let server = sealer(&[[1; 32]]);
    let sealed = server.seal(&BINDING, 10, b"x").unwrap();
    let mut arguments = [7; 32];
    arguments[31] ^= 1;
    let others = [
        Binding { principal: "bob", ..BINDING },
        Binding { principal: "", ..BINDING },
        Binding { method: "prompts/get", ..BINDING },
        Binding { target: "pay2", ..BINDING },
        Binding { arguments, ..BINDING },
        // The same letters, parted elsewhere.
        Binding { principal: "alicet", method: "ools/call", ..BINDING },
        Binding { method: "tools/callp", target: "ay", ..BINDING },
    ];
    for other in others {
        assert_eq!(server.open(&other, &sealed), Err(SealFault::Rejected), "{other:?}");
    }
}

#[test]
fn the_same_payload_never_looks_the_same_and_never_shows() {
    let sealer = Sealer::new(&[[1; 32]], Arc::new(crate::environment::System)).unwrap();
    let first = sealer.seal(&BINDING, u64::MAX, b"secret-secret-secret").unwrap();
    let second = sealer.seal(&BINDING, u64::MAX, b"secret-secret-secret").unwrap();
    assert_ne!(first, second);
    let bytes = URL_SAFE_NO_PAD.decode(&first).unwrap();
    assert!(!bytes.windows(6).any(|window| window == b"secret"));
    assert!(!bytes.windows(4).any(|window| window == [1; 4]), "the key itself");
}

#[test]
fn what_was_never_a_state_is_malformed() {
    let sealer = sealer(&[[1; 32]]);
    let good = sealer.seal(&BINDING, 10, b"x").unwrap();
    let long = "A".repeat(1 << 20);
    for text in ["", "x", "{}", "ä", "\u{0}", "AQ", "AQAAAA", &long, &format!("{good}="), &format!(" {good}")]
    {
        assert_eq!(sealer.open(&BINDING, text), Err(SealFault::Malformed));
    }
}

#[test]
fn messages_are_short_and_differ() {
    let faults = [SealFault::Malformed, SealFault::UnknownKey, SealFault::Rejected, SealFault::Expired];
    for (n, fault) in faults.into_iter().enumerate() {
        assert!(fault.to_string().len() < 200 && fault.message().starts_with("requestState "));
        assert!(faults[..n].iter().all(|other| other.message() != fault.message()));
    }
}

proptest! {
    // Each case opens some thousand damaged states.
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn any_payload_and_binding_comes_back(
        payload in prop::collection::vec(any::<u8>(), 0..200), principal in ".*", target in ".*", arguments in any::<[u8; 32]>(),
    ) {
        let sealer = sealer(&[[1; 32]]);
        let binding = Binding { principal: &principal, method: "tools/call", target: &target, arguments };
        let sealed = sealer.seal(&binding, 1, &payload).unwrap();
        prop_assert_eq!(sealer.open(&binding, &sealed), Ok(payload));
    }

    #[test]
    fn every_truncation_flip_suffix_and_case_change_is_refused_mrtr08(
        payload in prop::collection::vec(any::<u8>(), 0..40), suffix in "[A-Za-z0-9_=+/ \n-]{1,9}",
    ) {
        let sealer = sealer(&[[1; 32], [2; 32]]);
        let sealed = sealer.seal(&BINDING, 10, &payload).unwrap();
        for end in 0..sealed.len() {
            prop_assert!(sealer.open(&BINDING, &sealed[..end]).is_err(), "cut to {}", end);
        }
        let (behind, before) = (format!("{sealed}{suffix}"), format!("{suffix}{sealed}"));
        prop_assert!(sealer.open(&BINDING, &behind).is_err() && sealer.open(&BINDING, &before).is_err());
        let bytes = URL_SAFE_NO_PAD.decode(&sealed).unwrap();
        for bit in 0..bytes.len() * 8 {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            prop_assert!(sealer.open(&BINDING, &URL_SAFE_NO_PAD.encode(flipped)).is_err(), "bit {}", bit);
        }
        for (n, c) in sealed.char_indices().filter(|(_, c)| c.is_ascii_alphabetic()) {
            let other = if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
            let changed = format!("{}{other}{}", &sealed[..n], &sealed[n + 1..]);
            prop_assert!(sealer.open(&BINDING, &changed).is_err(), "case of {}", n);
        }
    }
}
