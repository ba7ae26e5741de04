//! The C interface of a compiled model, as `shim.cpp` has it.

use std::ffi::{c_char, c_void};

use libloading::{Library, Symbol};

#[repr(C)]
pub struct RawTrace {
    pub cycle: u64,
    pub word: u32,
    pad: u32,
}

/// A console byte or an exit: they have the same shape.
#[repr(C)]
pub struct RawByProcessor {
    pub cycle: u64,
    pub processor: u32,
    pub value: u32,
}

#[repr(C)]
pub struct RawRetirement {
    pub cycle: u64,
    pub pc: u32,
    pub instruction: u32,
    pub value: u32,
    pub cause: u32,
    pub tval: u32,
    pub address: u32,
    pub data: u32,
    pub trap: u8,
    pub half: u8,
    pub rd: u8,
    pub load: u8,
    pub store: u8,
    pub mask: u8,
    pad: [u8; 2],
}

/// `struct Testbed` of the shim.
#[repr(C)]
pub struct Handle {
    _opaque: [u8; 0],
}

pub type Buffer<T> = unsafe extern "C" fn(*const Handle, *mut u64) -> *const T;
pub type Clear = unsafe extern "C" fn(*mut Handle);

/// The functions of a shared object, which stays loaded as long as any model of it lives.
pub struct Functions {
    pub new: unsafe extern "C" fn(u32, u32) -> *mut Handle,
    pub delete: unsafe extern "C" fn(*mut Handle),
    pub find: unsafe extern "C" fn(*mut Handle, *const c_char, *const c_char, *mut u32) -> *mut c_void,
    pub bind_processor: unsafe extern "C" fn(*mut Handle, u32, *const *const c_void),
    pub bind_line: unsafe extern "C" fn(*mut Handle, *const u16),
    pub give: unsafe extern "C" fn(*mut Handle, *const u8, u64),
    pub waiting: unsafe extern "C" fn(*const Handle) -> u64,
    pub eval: unsafe extern "C" fn(*mut Handle),
    pub run: unsafe extern "C" fn(*mut Handle, u64),
    pub cycle: unsafe extern "C" fn(*const Handle) -> u64,
    pub retired: unsafe extern "C" fn(*const Handle, u32) -> u64,
    pub record: unsafe extern "C" fn(*mut Handle, i32),
    pub trace: (Buffer<RawTrace>, Clear),
    pub console: (Buffer<RawByProcessor>, Clear),
    pub exits: Buffer<RawByProcessor>,
    pub retirements: (Buffer<RawRetirement>, Clear),
    pub open_waves: unsafe extern "C" fn(*mut Handle, *const c_char, *const c_char, i32, u64, u32) -> i32,
    pub close_waves: unsafe extern "C" fn(*mut Handle),
    _library: Library,
}

impl Functions {
    /// The functions of a library.
    ///
    /// # Safety
    /// The library must have each of these names with the type that shim.cpp defines it with.
    pub unsafe fn of(library: Library) -> Result<Self, libloading::Error> {
        // SAFETY: by contract.
        unsafe {
            Ok(Functions {
                new: get(&library, "tb_new")?,
                delete: get(&library, "tb_delete")?,
                find: get(&library, "tb_find")?,
                bind_processor: get(&library, "tb_bind_processor")?,
                bind_line: get(&library, "tb_bind_line")?,
                give: get(&library, "tb_give")?,
                waiting: get(&library, "tb_waiting")?,
                eval: get(&library, "tb_eval")?,
                run: get(&library, "tb_run")?,
                cycle: get(&library, "tb_cycle")?,
                retired: get(&library, "tb_retired")?,
                record: get(&library, "tb_record")?,
                trace: (get(&library, "tb_trace")?, get(&library, "tb_clear_trace")?),
                console: (get(&library, "tb_console")?, get(&library, "tb_clear_console")?),
                exits: get(&library, "tb_exits")?,
                retirements: (get(&library, "tb_retirements")?, get(&library, "tb_clear_retirements")?),
                open_waves: get(&library, "tb_open_waves")?,
                close_waves: get(&library, "tb_close_waves")?,
                _library: library,
            })
        }
    }
}

/// # Safety
/// `T` must be the type of the function `name`.
unsafe fn get<T: Copy>(library: &Library, name: &str) -> Result<T, libloading::Error> {
    // SAFETY: by contract.
    let symbol: Symbol<'_, T> = unsafe { library.get(name.as_bytes())? };
    Ok(*symbol)
}
