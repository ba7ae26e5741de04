//! Arrays that are spread over all processes of a program: the model's indirect memory.
//!
//! Where an element is follows from its index ([`Spread`]). [`Array::write`] is one `bsp_put`,
//! [`Array::read`] one `bsp_get`. [`Array::read_all`] reads many elements in two supersteps: each
//! process puts a list of places to every owner, and the owners put the elements back, so that two
//! messages go between any two processes however many elements are read. What a process asks for
//! several times can be asked for once ([`Array::combine`]).

use testbed_definitions::limits::GROUP_MEMBERS;
pub use testbed_kernel_core::spread::{Home, Layout, Spread};

use crate::safe::{Area, Plain, Process};

/// Words in front of a list of places: how many they are, and where the first element goes.
const HEAD: usize = 2;
/// Elements that are put back at a time.
const CHUNK: usize = 64;
/// Indices that [`Array::combine`] remembers.
const REMEMBERED: usize = 64;

/// What a process lends an array.
pub struct Lent<T: 'static> {
    /// [`Spread::room`] elements.
    pub elements: &'static mut [T],
    /// As many as are read at once at most.
    pub answers: &'static mut [T],
    /// [`list_words`] words.
    pub lists: &'static mut [u32],
    /// [`own_words`] words.
    pub own: &'static mut [u32],
}

/// Words for the lists of all processes, each of which reads `most` elements at once at most.
pub const fn list_words(processes: usize, most: usize) -> usize {
    processes * (most + HEAD)
}

/// Words for a process's own lists.
pub const fn own_words(processes: usize, most: usize) -> usize {
    HEAD * processes + 3 * most
}

/// An array of `T`, spread over all processes.
pub struct Array<T: 'static> {
    spread: Spread,
    elements: Area<T>,
    answers: Area<T>,
    lists: Area<u32>,
    own: &'static mut [u32],
    most: usize,
    combining: bool,
}

/// What a process asks for: for each of its reads the number of the request that answers it, for
/// each request where its element is, and later where the answer comes.
struct Requests<'a> {
    of_read: &'a mut [u32],
    keys: &'a mut [u32],
    /// The lists for all owners, one behind the other.
    lists: &'a mut [u32],
}

/// A process and a place in a word: a process has fewer than 2^26 elements.
fn key(home: Home) -> u32 {
    const { assert!(GROUP_MEMBERS <= 1 << 6) };
    (home.process << 26 | home.place) as u32
}

fn process_of(key: u32) -> usize {
    (key >> 26) as usize
}

impl<T: Plain> Array<T> {
    /// Spreads an array; all processes do so alike. It can be used from the next superstep on, and
    /// each process reads at most as many elements at once as there are `answers`.
    #[track_caller]
    pub fn new(bsp: &mut Process, elements: usize, layout: Layout, lent: Lent<T>) -> Self {
        let all = bsp.nprocs();
        let most = lent.answers.len();
        let Some(spread) = Spread::new(elements, all, layout) else {
            bsp.misuse(format_args!("an array of {elements} elements on {all} processes"))
        };
        let wanted = [spread.room(), list_words(all, most), own_words(all, most)];
        let found = [lent.elements.len(), lent.lists.len(), lent.own.len()];
        if wanted.iter().zip(found).any(|(wanted, found)| *wanted > found) {
            bsp.misuse(format_args!("an array needs room for {wanted:?} elements and words, and has {found:?}"));
        }
        // A list that has not come is empty.
        lent.lists.fill(0);
        Array {
            spread,
            elements: bsp.register(lent.elements),
            answers: bsp.register(lent.answers),
            lists: bsp.register(lent.lists),
            own: lent.own,
            most,
            combining: false,
        }
    }

    /// Whether [`Self::read_all`] asks once for what a process reads several times. It remembers few
    /// elements, so not all of what is read several times is found.
    pub fn combine(&mut self, combining: bool) {
        self.combining = combining;
    }

    pub fn spread(&self) -> &Spread {
        &self.spread
    }

    /// The elements of this process, by place.
    pub fn own<'a>(&self, bsp: &'a mut Process) -> &'a mut [T] {
        self.elements.of_mut(bsp)
    }

    #[track_caller]
    fn home(&self, bsp: &mut Process, index: usize) -> Home {
        match self.spread.home(index) {
            Some(home) => home,
            None => bsp.misuse(format_args!("element {index} of an array of {}", self.spread.elements())),
        }
    }

    /// Writes an element when the superstep ends. Of several writes that of the process with the
    /// highest number lasts, and of its own the last.
    #[track_caller]
    pub fn write(&self, bsp: &mut Process, index: usize, value: T) {
        let home = self.home(bsp, index);
        bsp.put(home.process, &[value], self.elements, home.place);
    }

    /// Reads an element, as it was before anything is written, to a place of an area when the
    /// superstep ends.
    #[track_caller]
    pub fn read(&self, bsp: &mut Process, index: usize, to: (Area<T>, usize)) {
        let home = self.home(bsp, index);
        bsp.get(home.process, (self.elements, home.place), to, 1);
    }

    /// Reads many elements, as they are when it begins; all processes do so at the same time, each
    /// what it needs. It ends two supersteps. The result is how many elements other processes have
    /// asked this one for, and itself.
    #[track_caller]
    pub fn read_all(&mut self, bsp: &mut Process, indices: &[u32], values: &mut [T]) -> usize {
        let most = self.most;
        if indices.len() > most || values.len() < indices.len() {
            let (count, room) = (indices.len(), values.len());
            bsp.misuse(format_args!("{count} elements read at once, of at most {most}, to {room} values"));
        }
        self.ask(bsp, indices);
        bsp.sync();
        let served = self.serve(bsp);
        bsp.sync();
        let answers = self.answers.of(bsp);
        let (of_read, keys) = self.own.split_at(most);
        values.iter_mut().zip(of_read).take(indices.len()).for_each(|(value, request)| {
            *value = answers[keys[*request as usize] as usize];
        });
        served
    }

    /// Puts to each owner the places of what is asked for, and notes where the answers will be.
    #[track_caller]
    fn ask(&mut self, bsp: &mut Process, indices: &[u32]) {
        let (me, all, most) = (bsp.pid(), bsp.nprocs(), self.most);
        let mut starts = [0; GROUP_MEMBERS + 1];
        let mut last = [(u32::MAX, 0); REMEMBERED];
        let mut count = 0;
        for (read, index) in indices.iter().enumerate() {
            let remembered = &mut last[*index as usize % REMEMBERED];
            if self.combining && remembered.0 == *index {
                self.own[read] = remembered.1;
                continue;
            }
            *remembered = (*index, count as u32);
            let home = self.home(bsp, *index as usize);
            starts[home.process + 1] += 1;
            let requests = self.requests();
            requests.of_read[read] = count as u32;
            requests.keys[count] = key(home);
            count += 1;
        }
        (0..all).for_each(|owner| starts[owner + 1] += starts[owner]);
        let lists = self.lists;
        let mut requests = self.requests();
        requests.sort(count, &starts[..all]);
        for owner in (me + 1..all).chain(0..=me) {
            let (start, end) = (starts[owner], starts[owner + 1]);
            if start == end {
                continue;
            }
            let list = &mut requests.lists[start + HEAD * owner..][..end - start + HEAD];
            (list[0], list[1]) = ((end - start) as u32, start as u32);
            bsp.put(owner, list, lists, me * (most + HEAD));
        }
    }

    fn requests(&mut self) -> Requests<'_> {
        let (of_read, rest) = self.own.split_at_mut(self.most);
        let (keys, lists) = rest.split_at_mut(self.most);
        Requests { of_read, keys, lists }
    }

    /// Puts back what has been asked for.
    #[track_caller]
    fn serve(&mut self, bsp: &mut Process) -> usize {
        let (me, all, length) = (bsp.pid(), bsp.nprocs(), self.most + HEAD);
        let mut served = 0;
        let mut chunk = [self.elements.of(bsp)[0]; CHUNK];
        for asker in (me + 1..all).chain(0..=me) {
            let list = asker * length;
            let [count, start] = [0, 1].map(|at| self.lists.of(bsp)[list + at] as usize);
            // The next list that comes may be none.
            self.lists.of_mut(bsp)[list] = 0;
            served += count;
            for done in (0..count).step_by(CHUNK) {
                let part = CHUNK.min(count - done);
                let places = &self.lists.of(bsp)[list + HEAD + done..][..part];
                let elements = self.elements.of(bsp);
                chunk.iter_mut().zip(places).for_each(|(value, place)| *value = elements[*place as usize]);
                bsp.put(asker, &chunk[..part], self.answers, start + done);
            }
        }
        served
    }
}

impl Requests<'_> {
    /// Sorts `count` requests by owner into the lists, and notes for each where its answer will be;
    /// `starts` tells how many are before each owner's.
    fn sort(&mut self, count: usize, starts: &[usize]) {
        let mut next = [0; GROUP_MEMBERS];
        next[..starts.len()].copy_from_slice(starts);
        for number in 0..count {
            let key = self.keys[number];
            let owner = process_of(key);
            let at = next[owner];
            next[owner] += 1;
            self.lists[at + HEAD * (owner + 1)] = key & ((1 << 26) - 1);
            self.keys[number] = at as u32;
        }
    }
}
