//! Variables, with a limit to how many there are and to what they hold.

use alloc::vec::Vec;

/// Variables, at most.
pub const VARIABLES_MAX: usize = 128;
/// Bytes of all names and values, at most.
pub const VARIABLES_BYTES: usize = 32 * 1024;

#[derive(Clone, Debug)]
struct Variable {
    name: Vec<u8>,
    value: Vec<u8>,
    exported: bool,
    fixed: bool,
}

/// The variables of a shell.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: Vec<Variable>,
    bytes: usize,
}

impl Variables {
    fn find(&mut self, name: &[u8]) -> Option<&mut Variable> {
        self.all.iter_mut().find(|variable| variable.name == name)
    }

    /// The value of a variable.
    pub fn get(&self, name: &[u8]) -> Option<&[u8]> {
        self.all.iter().find(|variable| variable.name == name).map(|variable| &variable.value[..])
    }

    /// Sets a variable.
    ///
    /// # Errors
    /// It is fixed, or there is no room.
    pub fn set(&mut self, name: &[u8], value: &[u8]) -> Result<(), &'static str> {
        let before = self.find(name).map(|variable| (variable.value.len(), variable.fixed));
        let bytes = match before {
            Some((_, true)) => return Err("a variable that is readonly cannot be set"),
            Some((length, false)) => self.bytes - length + value.len(),
            None if self.all.len() == VARIABLES_MAX => return Err("more than 128 variables"),
            None => self.bytes + name.len() + value.len(),
        };
        if bytes > VARIABLES_BYTES {
            return Err("variables have more than 32 KiB");
        }
        self.bytes = bytes;
        match self.find(name) {
            Some(variable) => variable.value = value.to_vec(),
            None => {
                let variable = Variable { name: name.to_vec(), value: value.to_vec(), exported: false, fixed: false };
                self.all.push(variable);
            }
        }
        Ok(())
    }

    /// Takes a variable away.
    ///
    /// # Errors
    /// It is fixed.
    pub fn unset(&mut self, name: &[u8]) -> Result<(), &'static str> {
        let Some(at) = self.all.iter().position(|variable| variable.name == name) else { return Ok(()) };
        if self.all[at].fixed {
            return Err("a variable that is readonly cannot be unset");
        }
        let gone = self.all.remove(at);
        self.bytes -= gone.name.len() + gone.value.len();
        Ok(())
    }

    /// Marks a variable, which is there, as one of the environment.
    pub fn export(&mut self, name: &[u8]) {
        if let Some(variable) = self.find(name) {
            variable.exported = true;
        }
    }

    /// Marks a variable, which is there, as one that is not changed any more.
    pub fn fix(&mut self, name: &[u8]) {
        if let Some(variable) = self.find(name) {
            variable.fixed = true;
        }
    }

    /// All variables or those of the environment, as lines `NAME=value`, sorted.
    pub fn lines(&self, only_exported: bool) -> Vec<u8> {
        let mut all: Vec<_> = self.all.iter().filter(|variable| variable.exported || !only_exported).collect();
        all.sort_by(|one, other| one.name.cmp(&other.name));
        let mut text = Vec::new();
        for variable in all {
            text.extend_from_slice(&variable.name);
            text.push(b'=');
            text.extend_from_slice(&variable.value);
            text.push(b'\n');
        }
        text
    }
}
