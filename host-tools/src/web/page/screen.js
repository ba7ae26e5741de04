// A processor's console: lines of text, as much of a terminal as programs use.

const LINES_MAX = 2000;
// A shell's question begins with it (definitions::asking).
const ENQUIRY = "\x05";

class Screen {
  constructor() {
    this.finished = [];
    this.dropped = 0;
    this.line = [];
    this.column = 0;
    this.escape = null;
    // The line is a shell's question to whoever types, which nobody has to see.
    this.isAsking = false;
    this.decoder = new TextDecoder();
  }

  /** Takes bytes that the processor has printed. */
  take(bytes) {
    for (const character of this.decoder.decode(bytes, { stream: true })) {
      if (this.isAsking) this.isAsking = character !== "\n";
      else if (character === ENQUIRY && !this.line.length && this.escape === null) this.isAsking = true;
      else if (this.escape !== null) this.inEscape(character);
      else this.plain(character);
    }
  }

  plain(character) {
    switch (character) {
      case "\n":
        this.finished.push(this.line.join(""));
        this.line = [];
        this.column = 0;
        break;
      case "\r":
        this.column = 0;
        break;
      case "\b":
        this.column = Math.max(0, this.column - 1);
        break;
      case "\t":
        do this.put(" ");
        while (this.column % 8);
        break;
      case "\x1b":
        this.escape = "";
        break;
      default:
        if (character >= " " && character !== "\x7f") this.put(character);
    }
    const over = this.finished.length - LINES_MAX;
    if (over > 0) {
      this.finished.splice(0, over);
      this.dropped += over;
    }
  }

  put(character) {
    while (this.line.length < this.column) this.line.push(" ");
    this.line[this.column++] = character;
  }

  /** Cursor and erasing within the line; what else a sequence asks for is left out. */
  inEscape(character) {
    if (this.escape === "" && character !== "[") {
      this.escape = null;
      return;
    }
    this.escape += character;
    if (this.escape.length > 20) this.escape = null;
    if (this.escape === "[" || this.escape === null || !/[@-~]/.test(character)) return;
    const number = parseInt(this.escape.slice(1), 10);
    const count = Number.isNaN(number) ? 1 : number;
    this.escape = null;
    if (character === "C") this.column += Math.min(count, 500);
    if (character === "D") this.column = Math.max(0, this.column - count);
    if (character === "G") this.column = Math.max(0, Math.min(count, 500) - 1);
    if (character === "P") this.line.splice(this.column, count);
    if (character === "K") {
      if (number === 2) this.line = [];
      else if (number === 1) for (let place = 0; place <= this.column; place++) this.line[place] = " ";
      else this.line.length = Math.min(this.line.length, this.column);
    }
    if (character === "J" && number === 2) this.finished = [];
  }

  get text() {
    return this.finished.map((line) => line + "\n").join("") + this.line.join("");
  }
}
