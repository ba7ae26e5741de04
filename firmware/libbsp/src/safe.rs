//! The primitives for programs in Rust, without a word that is unsafe: what others may write to is
//! lent to the library, and can be looked at between two ends of supersteps only.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::panic::Location;

use crate::begin::Start;
use crate::site::Site;
use crate::state::Bsp;

/// Types of which any bytes are a value, so that another process can have written them.
///
/// # Safety
/// It is so.
pub unsafe trait Plain: Copy + 'static {}

macro_rules! plain {
    ($($name:ty),*) => {
        // SAFETY: numbers.
        $(unsafe impl Plain for $name {})*
    };
}
plain!(u8, i8, u16, i16, u32, i32, u64, i64, usize, isize, f32, f64);
// SAFETY: as its elements, without padding.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Names the program's main function, a `fn(Arguments, &mut Process) -> u32`, which runs in each
/// process; its result is the process's exit code. `processes` is how many there may be, 0 for as
/// many as there are processors.
#[macro_export]
macro_rules! program {
    ($main:path, $processes:expr) => {
        $crate::memory!();
        #[no_mangle]
        extern "C" fn program_main(address: *const u8, bytes: usize) -> ! {
            let main: fn(libtos::Arguments, &mut $crate::safe::Process) -> u32 = $main;
            // SAFETY: called once by the start-up code with what the kernel passed, which stays.
            let arguments = unsafe { core::slice::from_raw_parts(address, bytes) };
            $crate::safe::run($crate::Start { arguments }, $processes, main)
        }
    };
}

struct Only(UnsafeCell<Bsp>);
// SAFETY: `run` is called once and lends it to one thread.
unsafe impl Sync for Only {}
static BSP: Only = Only(UnsafeCell::new(Bsp::new()));

/// What [`program!`] makes of a program.
pub fn run(
    start: Start,
    processes: fn(libtos::Arguments) -> usize,
    main: fn(libtos::Arguments, &mut Process) -> u32,
) -> ! {
    let own = start.split().1;
    // SAFETY: the kernel's range.
    let arguments = unsafe { libtos::Arguments::from_kernel(own.as_ptr(), own.len()) };
    // SAFETY: called once by the start-up code.
    let bsp = unsafe { &mut *BSP.0.get() };
    bsp.begin(start, processes(arguments));
    let mut process = Process { bsp };
    let code = main(arguments, &mut process);
    process.bsp.end();
    libtos::exit(code)
}

/// A process of a bulk-synchronous program.
pub struct Process {
    bsp: &'static mut Bsp,
}

/// Memory of this process that others write to and read: `count` values of type `T`. The same number
/// names it in all processes.
pub struct Area<T> {
    start: *mut T,
    count: usize,
    of: PhantomData<T>,
}

impl<T> Clone for Area<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Area<T> {}

impl<T: Plain> Area<T> {
    /// What is there. The library is lent meanwhile, so that no superstep can end.
    pub fn of<'a>(&self, _: &'a Process) -> &'a [T] {
        // SAFETY: made from a slice that is never given back; nobody writes before the superstep
        // ends, for which the process is needed.
        unsafe { core::slice::from_raw_parts(self.start, self.count) }
    }

    /// The same, to be changed.
    pub fn of_mut<'a>(&self, _: &'a mut Process) -> &'a mut [T] {
        // SAFETY: as above; the process is lent for changes to one area at a time.
        unsafe { core::slice::from_raw_parts_mut(self.start, self.count) }
    }

    /// How many values there are.
    pub fn len(&self) -> usize {
        self.count
    }
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
}

impl Process {
    #[track_caller]
    fn here(&mut self) -> &mut Bsp {
        self.bsp.at(Site::of(Location::caller()));
        self.bsp
    }

    /// Ends the program, with the caller's place and this reason.
    #[track_caller]
    pub(crate) fn misuse(&mut self, reason: core::fmt::Arguments) -> ! {
        self.here().misuse(reason)
    }

    pub fn pid(&self) -> usize {
        self.bsp.pid()
    }
    pub fn nprocs(&self) -> usize {
        self.bsp.nprocs()
    }
    /// Seconds since the process began.
    pub fn time(&self) -> f64 {
        self.bsp.time()
    }

    /// The end of a superstep.
    #[track_caller]
    pub fn sync(&mut self) {
        self.here().sync();
    }

    /// Memory that others may write to and read from the next superstep on. All processes register
    /// theirs in the same order.
    #[track_caller]
    pub fn register<T: Plain>(&mut self, memory: &'static mut [T]) -> Area<T> {
        let area = Area { start: memory.as_mut_ptr(), count: memory.len(), of: PhantomData };
        self.here().push_reg(area.start as usize, size_of_val(memory));
        area
    }

    /// Ends a registration.
    #[track_caller]
    pub fn release<T: Plain>(&mut self, area: Area<T>) {
        self.here().pop_reg(area.start as usize);
    }

    /// Copies values to the area of another process, from value `offset` on.
    #[track_caller]
    pub fn put<T: Plain>(&mut self, pid: usize, values: &[T], area: Area<T>, offset: usize) {
        let bytes = size_of_val(values);
        // SAFETY: the slice's own memory; the end of the superstep sees to the area's bounds.
        unsafe { self.here().put(pid, values.as_ptr().cast(), area.start as usize, offset * size_of::<T>(), bytes) }
    }

    /// Copies `count` values of an area of this process to that of another one: where each begins.
    #[track_caller]
    pub fn put_area<T: Plain>(&mut self, pid: usize, from: (Area<T>, usize), to: (Area<T>, usize), count: usize) {
        if from.1 + count > from.0.count {
            let all = from.0.count;
            self.here().misuse(format_args!("put of {count} values from value {} of {all}", from.1));
        }
        let (offset, bytes) = (to.1 * size_of::<T>(), count * size_of::<T>());
        // SAFETY: the area has so many values.
        unsafe { self.here().put(pid, from.0.start.add(from.1).cast(), to.0.start as usize, offset, bytes) }
    }

    /// As [`Self::put_area`]; what is long is not copied before the superstep ends. So neither area may
    /// be changed, or be the target of anything else, until then.
    #[track_caller]
    pub fn hpput_area<T: Plain>(&mut self, pid: usize, from: (Area<T>, usize), to: (Area<T>, usize), count: usize) {
        if from.1 + count > from.0.count {
            let all = from.0.count;
            self.here().misuse(format_args!("hpput of {count} values from value {} of {all}", from.1));
        }
        let (offset, bytes) = (to.1 * size_of::<T>(), count * size_of::<T>());
        // SAFETY: the area has so many values. Whoever changes them meanwhile sends either the old
        // ones or the new ones: plain values all of them.
        unsafe { self.here().hpput(pid, from.0.start.add(from.1).cast(), to.0.start as usize, offset, bytes) }
    }

    /// Copies `count` values of another process's area, from value `offset` on, to an area here, when
    /// the superstep ends.
    #[track_caller]
    pub fn get<T: Plain>(&mut self, pid: usize, from: (Area<T>, usize), to: (Area<T>, usize), count: usize) {
        if to.1 + count > to.0.count {
            let all = to.0.count;
            self.here().misuse(format_args!("get of {count} values to value {} of {all}", to.1));
        }
        let (offset, bytes) = (from.1 * size_of::<T>(), count * size_of::<T>());
        // SAFETY: the area has room, and nobody looks at it before the superstep has ended.
        unsafe { self.here().get(pid, from.0.start as usize, offset, to.0.start.add(to.1).cast(), bytes) }
    }

    /// As [`Self::get`]; what is long comes at any time before the superstep has ended, and is what is
    /// there then. So neither area may be changed, or be the target of anything else, until then.
    #[track_caller]
    pub fn hpget<T: Plain>(&mut self, pid: usize, from: (Area<T>, usize), to: (Area<T>, usize), count: usize) {
        if to.1 + count > to.0.count {
            let all = to.0.count;
            self.here().misuse(format_args!("hpget of {count} values to value {} of {all}", to.1));
        }
        let (offset, bytes) = (from.1 * size_of::<T>(), count * size_of::<T>());
        // SAFETY: as for `get`; whoever changes them meanwhile has values of either kind, plain all of
        // them.
        unsafe { self.here().hpget(pid, from.0.start as usize, offset, to.0.start.add(to.1).cast(), bytes) }
    }

    /// Bytes of tags from the next superstep on.
    #[track_caller]
    pub fn set_tagsize<T: Plain>(&mut self) -> usize {
        self.here().set_tagsize(size_of::<T>())
    }

    /// Sends a message, with a tag of the size that was set.
    #[track_caller]
    pub fn send<G: Plain, T: Plain>(&mut self, pid: usize, tag: &G, values: &[T]) {
        let set = self.bsp.tag_bytes as usize;
        if set != size_of::<G>() {
            self.here().misuse(format_args!("send with a tag of {} bytes, while tags have {set}", size_of::<G>()));
        }
        let (tag, from, bytes) = ((tag as *const G).cast(), values.as_ptr().cast(), size_of_val(values));
        // SAFETY: the slices' own memory.
        unsafe { self.here().send(pid, tag, from, bytes) }
    }

    /// Takes the next message that the superstep before has brought: its tag, and its values, which
    /// stay where they are until this one ends.
    #[track_caller]
    pub fn receive<G: Plain, T: Plain>(&mut self) -> Option<(G, &[T])> {
        let (tag, at, bytes) = self.here().hpmove()?;
        // SAFETY: a message and its tag begin at multiples of eight and have come from another
        // process's plain values.
        Some(unsafe { ((tag as *const G).read(), core::slice::from_raw_parts(at as *const T, bytes / size_of::<T>())) })
    }

    /// Messages that have not been taken, and their bytes.
    pub fn qsize(&self) -> (usize, usize) {
        self.bsp.qsize()
    }

    /// Ends all processes.
    pub fn abort(&mut self, reason: core::fmt::Arguments) -> ! {
        libtos::println!("{reason}");
        self.bsp.end_all()
    }
}
