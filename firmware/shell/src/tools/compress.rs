//! `compress` and `uncompress`.

use alloc::vec::Vec;

use testbed_definitions::file::NAME_BYTES;
use testbed_definitions::syscall::{open, Error};

use super::context::{place_of, Context, Done, Options, Reader, Stop};
use super::lzw::{Packer, Unpacker};
use crate::system::File;

/// Where the result goes.
enum Target {
    Output,
    File(File, u32),
}

impl Target {
    fn put(&mut self, context: &mut Context, out: &mut Vec<u8>, at_once: bool) -> Result<(), Stop> {
        if out.len() < 1024 && !at_once {
            return Ok(());
        }
        match self {
            Target::Output => context.put(out)?,
            Target::File(file, at) => {
                context.system.write_at(*file, *at, out)?;
                *at += out.len() as u32;
            }
        }
        out.clear();
        Ok(())
    }
}

type Act = fn(&mut Context, &mut Reader, &mut Target) -> Result<(), Stop>;

fn pack(context: &mut Context, reader: &mut Reader, target: &mut Target) -> Result<(), Stop> {
    let mut packer = Packer::default();
    while let Some(piece) = reader.piece(context)? {
        piece.iter().for_each(|&byte| packer.push(byte));
        target.put(context, &mut packer.out, false)?;
    }
    packer.finish();
    target.put(context, &mut packer.out, true)
}

fn unpack(context: &mut Context, reader: &mut Reader, target: &mut Target) -> Result<(), Stop> {
    let mut unpacker = Unpacker::default();
    while let Some(piece) = reader.piece(context)? {
        for byte in piece {
            if let Err(what) = unpacker.push(byte) {
                return context.stop(b"", what, 1);
            }
            target.put(context, &mut unpacker.out, false)?;
        }
    }
    if let Err(what) = unpacker.finish() {
        return context.stop(b"", what, 1);
    }
    target.put(context, &mut unpacker.out, true)
}

pub(super) fn compress(context: &mut Context, words: &[Vec<u8>]) -> Done {
    all(context, words, pack, |name| Some([name, b".Z"].concat()))
}

pub(super) fn uncompress(context: &mut Context, words: &[Vec<u8>]) -> Done {
    all(context, words, unpack, |name| name.strip_suffix(b".Z").map(<[u8]>::to_vec))
}

fn all(context: &mut Context, words: &[Vec<u8>], act: Act, renamed: fn(&[u8]) -> Option<Vec<u8>>) -> Done {
    let (mut options, mut shows, mut forced) = (Options::new(words), false, false);
    while let Some(letter) = options.next() {
        match letter {
            b'c' => shows = true,
            b'f' => forced = true,
            _ => return Err(Stop::Usage),
        }
    }
    let names = options.words();
    if shows || names.is_empty() {
        context.each(names, |context, reader, _| act(context, reader, &mut Target::Output))?;
        return Ok(0);
    }
    for word in names {
        let (place, name) = place_of(context.system, word);
        let Some(mut reader) = context.open(word) else { continue };
        let new = match renamed(name) {
            Some(new) if new.len() <= NAME_BYTES && !new.is_empty() => new,
            Some(_) => {
                context.complain(word, "the name that the other file would have is too long");
                continue;
            }
            None => {
                context.complain(word, "the name does not end with .Z");
                continue;
            }
        };
        if !forced && context.system.open(place, &new, 0).is_ok() {
            context.complain(&new, Error::FileExists.meaning());
            continue;
        }
        let file = match context.system.open(place, &new, open::WRITE | open::CREATE | open::TRUNCATE) {
            Ok(file) => file,
            Err(error) => {
                context.complain(&new, error.meaning());
                continue;
            }
        };
        // The file goes only when the other is whole.
        let mut target = Target::File(file, 0);
        let (from, old) = (place, name.to_vec());
        match act(context, &mut reader, &mut target) {
            Ok(()) => {
                if let Err(error) = context.system.unlink(from, &old) {
                    context.complain(&old, error.meaning());
                }
            }
            Err(stop) => {
                let _ = context.system.unlink(place, &new);
                if let Stop::Error(error) = stop {
                    context.complain(word, error.meaning());
                }
            }
        }
    }
    Ok(0)
}
