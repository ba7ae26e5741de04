//! The key that both ends make of their token, and the authentication codes that it makes.

use constant_time_eq::constant_time_eq_16;

/// Bytes of an authentication code: BLAKE3 keyed, cut to half, so that small packets have room.
pub const MAC_BYTES: usize = 16;
/// Characters of a token, at least.
pub const TOKEN_LENGTH: usize = 16;
/// What the key is for, so that the same token elsewhere makes another one.
const CONTEXT: &str = "testbed probe, key of datagrams, version 1";

/// Why a token is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the token has {0} characters, and at least {TOKEN_LENGTH} are needed, or it could be guessed")]
pub struct TokenError(usize);

/// The key of all datagrams between two ends.
#[derive(Clone)]
pub struct Key([u8; 32]);

impl std::fmt::Debug for Key {
    /// A key is never shown.
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Key(..)")
    }
}

impl Key {
    /// The key that belongs to a token; white space around the token does not count.
    ///
    /// # Errors
    /// A token of fewer than [`TOKEN_LENGTH`] characters.
    pub fn of_token(token: &str) -> Result<Key, TokenError> {
        let token = token.trim();
        let length = token.chars().count();
        match length < TOKEN_LENGTH {
            true => Err(TokenError(length)),
            false => Ok(Key(blake3::derive_key(CONTEXT, token.as_bytes()))),
        }
    }

    /// A key of these bytes, which nobody else knows.
    pub fn secret(bytes: [u8; 32]) -> Key {
        Key(bytes)
    }

    /// The authentication code of a text in parts.
    pub fn mac(&self, parts: &[&[u8]]) -> [u8; MAC_BYTES] {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        for part in parts {
            hasher.update(part);
        }
        let mut mac = [0; MAC_BYTES];
        mac.copy_from_slice(&hasher.finalize().as_bytes()[..MAC_BYTES]);
        mac
    }

    /// Whether a text in parts has this authentication code, found out in the same time either way.
    pub fn verifies(&self, parts: &[&[u8]], mac: &[u8; MAC_BYTES]) -> bool {
        constant_time_eq_16(&self.mac(parts), mac)
    }
}
