//! Regular expressions of POSIX, basic and extended, without references back to what has matched.
//!
//! An expression becomes a program for a machine that follows all ways at once, so that the time is
//! bounded by the product of both lengths. Of the matches that begin first the longest counts.

mod set;

use alloc::vec::Vec;

/// Instructions of an expression, at most.
pub const INSTRUCTIONS_MAX: usize = 1500;
/// Brackets in one another, at most.
const DEPTH_MAX: usize = 12;
/// Where matches and the first nine brackets begin and end.
const SLOTS: usize = 20;

/// Where a match, and each bracket in it, begins and ends.
pub type Slots = [Option<usize>; SLOTS];

#[derive(Clone, Debug)]
enum Step {
    Byte(u8),
    Any,
    Set([u32; 8]),
    Start,
    End,
    /// One way, which is preferred, and another.
    Split(usize, usize),
    Jump(usize),
    Save(usize),
    Match,
}

/// An expression.
#[derive(Clone, Debug)]
pub struct Regex {
    steps: Vec<Step>,
    ignores_case: bool,
}

struct Compiler<'t> {
    text: &'t [u8],
    at: usize,
    steps: Vec<Step>,
    extended: bool,
    brackets: usize,
    depth: usize,
}

type Compiled<T> = Result<T, &'static str>;

impl Regex {
    /// Reads an expression, a basic or an extended one.
    ///
    /// # Errors
    /// It is none, or too long.
    pub fn new(text: &[u8], extended: bool, ignores_case: bool) -> Compiled<Regex> {
        let lower = text.to_ascii_lowercase();
        let text = if ignores_case { &lower } else { text };
        let mut compiler = Compiler { text, at: 0, steps: Vec::new(), extended, brackets: 0, depth: 0 };
        compiler.push(Step::Save(0))?;
        compiler.alternatives()?;
        if compiler.at < text.len() {
            return Err("a bracket that closes without one that opens");
        }
        compiler.push(Step::Save(1))?;
        compiler.push(Step::Match)?;
        Ok(Regex { steps: compiler.steps, ignores_case })
    }

    /// An expression that stands for a text.
    pub fn fixed(text: &[u8], ignores_case: bool) -> Compiled<Regex> {
        let mut steps = alloc::vec![Step::Save(0)];
        if text.len() > INSTRUCTIONS_MAX - 3 {
            return Err("a text of more than 1497 bytes");
        }
        steps.extend(text.iter().map(|byte| Step::Byte(if ignores_case { byte.to_ascii_lowercase() } else { *byte })));
        steps.extend([Step::Save(1), Step::Match]);
        Ok(Regex { steps, ignores_case })
    }

    /// The first match that begins at `from` or behind; a line's beginning is at 0.
    pub fn find(&self, line: &[u8], from: usize) -> Option<Slots> {
        let mut now: Vec<(usize, Slots)> = Vec::new();
        let mut next = Vec::new();
        let mut seen = alloc::vec![usize::MAX; self.steps.len()];
        let mut best: Option<Slots> = None;
        for at in from..=line.len() {
            if best.is_none() {
                self.follow(0, at, line, [None; SLOTS], &mut now, &mut seen);
            }
            if now.is_empty() && best.is_some() {
                break;
            }
            // Threads that follow are for the next place; `seen` tells places apart.
            for (step, slots) in now.drain(..) {
                if let Step::Match = self.steps[step] {
                    let is_better =
                        best.is_none_or(|best| slots[0] < best[0] || slots[0] == best[0] && slots[1] > best[1]);
                    if is_better {
                        best = Some(slots);
                    }
                    continue;
                }
                if best.is_some_and(|best| slots[0] > best[0]) {
                    continue;
                }
                let Some(&byte) = line.get(at) else { continue };
                let byte = if self.ignores_case { byte.to_ascii_lowercase() } else { byte };
                let is_match = match &self.steps[step] {
                    Step::Byte(wanted) => *wanted == byte,
                    Step::Any => true,
                    Step::Set(set) => set[byte as usize / 32] & 1 << (byte % 32) != 0,
                    _ => false,
                };
                if is_match {
                    self.follow(step + 1, at + 1, line, slots, &mut next, &mut seen);
                }
            }
            core::mem::swap(&mut now, &mut next);
        }
        best
    }

    /// Adds the threads that come of one at a step, in order of preference.
    fn follow(
        &self,
        first: usize,
        at: usize,
        line: &[u8],
        slots: Slots,
        threads: &mut Vec<(usize, Slots)>,
        seen: &mut [usize],
    ) {
        let mut stack = alloc::vec![(first, slots)];
        while let Some((step, mut slots)) = stack.pop() {
            if core::mem::replace(&mut seen[step], at) == at {
                continue;
            }
            match self.steps[step] {
                Step::Jump(to) => stack.push((to, slots)),
                Step::Split(one, other) => stack.extend([(other, slots), (one, slots)]),
                Step::Save(slot) => {
                    slots[slot] = Some(at);
                    stack.push((step + 1, slots));
                }
                Step::Start if at == 0 => stack.push((step + 1, slots)),
                Step::End if at == line.len() => stack.push((step + 1, slots)),
                Step::Start | Step::End => {}
                _ => threads.push((step, slots)),
            }
        }
    }
}

impl Compiler<'_> {
    fn push(&mut self, step: Step) -> Compiled<()> {
        if self.steps.len() == INSTRUCTIONS_MAX {
            return Err("an expression that is too long");
        }
        self.steps.push(step);
        Ok(())
    }

    fn rest(&self) -> &[u8] {
        &self.text[self.at..]
    }
    /// Passes an operator, which has a `\` ahead of it in a basic expression.
    fn takes(&mut self, sign: u8) -> bool {
        let found = match self.extended {
            true => self.rest().first() == Some(&sign),
            false => self.rest().starts_with(&[b'\\', sign]),
        };
        self.at += if !found {
            0
        } else if self.extended {
            1
        } else {
            2
        };
        found
    }

    fn alternatives(&mut self) -> Compiled<()> {
        let start = self.steps.len();
        self.branch()?;
        let mut ends = Vec::new();
        while self.takes(b'|') {
            self.insert(start, Step::Split(0, 0))?;
            ends.iter_mut().for_each(|end| *end += 1);
            ends.push(self.steps.len());
            self.push(Step::Jump(0))?;
            let other = self.steps.len();
            self.branch()?;
            // All that was before is one way, what follows the other.
            self.steps[start] = Step::Split(start + 1, other);
        }
        let end = self.steps.len();
        for jump in ends {
            self.steps[jump] = Step::Jump(end);
        }
        Ok(())
    }

    /// Puts a step ahead of others, which move.
    fn insert(&mut self, at: usize, step: Step) -> Compiled<()> {
        if self.steps.len() == INSTRUCTIONS_MAX {
            return Err("an expression that is too long");
        }
        for other in &mut self.steps[at..] {
            match other {
                Step::Jump(to) => *to += 1,
                Step::Split(one, two) => (*one, *two) = (*one + 1, *two + 1),
                _ => {}
            }
        }
        self.steps.insert(at, step);
        Ok(())
    }

    fn branch(&mut self) -> Compiled<()> {
        let mut is_first = true;
        loop {
            let start = self.steps.len();
            let repeats = self.atom(is_first)?;
            let Some(repeats) = repeats else { return Ok(()) };
            if repeats {
                self.repeated(start)?;
                is_first = false;
            }
        }
    }

    /// An atom; whether something behind it may repeat it, or `None` if there is none.
    fn atom(&mut self, is_first: bool) -> Compiled<Option<bool>> {
        let rest = self.rest();
        let closes: &[u8] = if self.extended { b")" } else { b"\\)" };
        let divides: &[u8] = if self.extended { b"|" } else { b"\\|" };
        if rest.is_empty() || rest.starts_with(divides) || rest.starts_with(closes) && self.depth > 0 {
            return Ok(None);
        }
        if self.takes(b'(') {
            return self.bracket().map(|()| Some(true));
        }
        let byte = self.rest()[0];
        self.at += 1;
        let ends = self.rest().is_empty() || self.rest().starts_with(divides) || self.rest().starts_with(closes);
        match byte {
            b'.' => self.push(Step::Any)?,
            b'[' => self.set()?,
            b'^' if self.extended || is_first => {
                self.push(Step::Start)?;
                return Ok(Some(false));
            }
            b'$' if self.extended || ends => {
                self.push(Step::End)?;
                return Ok(Some(false));
            }
            b'*' | b'+' | b'?' if self.extended && is_first => return Err("nothing to repeat"),
            b'\\' => {
                let byte = *self.rest().first().ok_or("a `\\` at the end")?;
                self.at += 1;
                match byte {
                    b'1'..=b'9' => return Err("a reference back, which this does not know"),
                    b')' if !self.extended => return Err("a bracket that closes without one that opens"),
                    b'n' => self.push(Step::Byte(b'\n'))?,
                    _ => self.push(Step::Byte(byte))?,
                }
            }
            _ => self.push(Step::Byte(byte))?,
        }
        Ok(Some(true))
    }

    fn bracket(&mut self) -> Compiled<()> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err("more than 12 brackets in one another");
        }
        self.brackets += 1;
        let number = self.brackets;
        if 2 * number + 1 < SLOTS {
            self.push(Step::Save(2 * number))?;
        }
        self.alternatives()?;
        if 2 * number + 1 < SLOTS {
            self.push(Step::Save(2 * number + 1))?;
        }
        if !self.takes(b')') {
            return Err("a bracket that opens without one that closes");
        }
        self.depth -= 1;
        Ok(())
    }

    /// What says how often the steps from `start` on are repeated.
    fn repeated(&mut self, start: usize) -> Compiled<()> {
        loop {
            if self.rest().first() == Some(&b'*') {
                self.at += 1;
                self.star(start)?;
            } else if self.takes(b'+') {
                let end = self.steps.len();
                self.push(Step::Split(start, end + 1))?;
            } else if self.takes(b'?') {
                self.insert(start, Step::Split(0, 0))?;
                self.steps[start] = Step::Split(start + 1, self.steps.len());
            } else if self.takes(b'{') {
                self.counted(start)?;
            } else {
                return Ok(());
            }
        }
    }

    fn star(&mut self, start: usize) -> Compiled<()> {
        self.insert(start, Step::Split(0, 0))?;
        self.push(Step::Jump(start))?;
        self.steps[start] = Step::Split(start + 1, self.steps.len());
        Ok(())
    }

    fn count(&mut self) -> Option<usize> {
        let digits = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = crate::number::parse(&self.rest()[..digits]);
        self.at += digits;
        value.and_then(|value| usize::try_from(value).ok())
    }

    fn counted(&mut self, start: usize) -> Compiled<()> {
        let least = self.count().ok_or("behind `{` comes a number")?;
        let mut most = Some(least);
        if self.rest().first() == Some(&b',') {
            self.at += 1;
            most = self.count();
        }
        if !self.takes(b'}') {
            return Err("`{` without `}`");
        }
        if least > 255 || most.is_some_and(|most| most > 255 || most < least) {
            return Err("numbers in `{…}` go up to 255, and up");
        }
        let block: Vec<Step> = self.steps.drain(start..).collect();
        for _ in 0..least {
            self.again(&block, start)?;
        }
        match most {
            None => {
                let from = self.steps.len();
                self.again(&block, start)?;
                self.star(from)
            }
            Some(most) => {
                for _ in least..most {
                    let from = self.steps.len();
                    self.again(&block, start)?;
                    self.insert(from, Step::Split(0, 0))?;
                    self.steps[from] = Step::Split(from + 1, self.steps.len());
                }
                Ok(())
            }
        }
    }

    /// Appends steps that were at `start`.
    fn again(&mut self, block: &[Step], start: usize) -> Compiled<()> {
        let base = self.steps.len();
        let moved = |to: usize| to - start + base;
        for step in block {
            let step = match step {
                Step::Jump(to) => Step::Jump(moved(*to)),
                Step::Split(one, two) => Step::Split(moved(*one), moved(*two)),
                other => other.clone(),
            };
            self.push(step)?;
        }
        Ok(())
    }

    fn set(&mut self) -> Compiled<()> {
        let (set, length) = set::read(self.rest())?;
        self.at += length;
        self.push(Step::Set(set))
    }
}
