// The C side of the Verilator engine: runs cycles without crossing the ABI in each of them.
//
// Built together with the model that Verilator generates (class Vtop) into one shared object. Signals are found by name
// in the scopes that the `.vlt` file made public, so that this file does not depend on the machine's shape.
//
// Time: a model that has been evaluated with the clock low shows the signals of cycle t. tb_run samples them, then makes
// the rising edge that ends t. Wave files get a sample a half cycle, at the machine
// time in picoseconds at which it begins; the clock rises when a cycle begins.

#include <climits>
#include <cstdint>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_syms.h"
#if TB_WAVES == 1
#include "verilated_vcd_c.h"
typedef VerilatedVcdC WaveFile;
#elif TB_WAVES == 2
#include "verilated_fst_c.h"
typedef VerilatedFstC WaveFile;
#endif

namespace {

struct TraceWord {
    uint64_t cycle;
    uint32_t word;
    uint32_t pad;
};

struct ConsoleByte {
    uint64_t cycle;
    uint32_t processor;
    uint32_t byte;
};

struct Exit {
    uint64_t cycle;
    uint32_t processor;
    uint32_t code;
};

struct Retirement {
    uint64_t cycle;
    uint32_t pc, instruction, value, cause, tval, address, data;
    uint8_t trap, half, rd, load, store, mask, pad[2];
};

// What tb_bind_processor binds, in this order.
enum Point {
    RETIRE_VALID, RETIRE_HALF, RETIRE_TRAP, RETIRE_PC, RETIRE_INSTRUCTION, RETIRE_RD, RETIRE_VALUE, RETIRE_CAUSE,
    RETIRE_TVAL,
    RETIRE_LOAD, RETIRE_STORE, RETIRE_ADDRESS, RETIRE_DATA, RETIRE_MASK,
    TX_VALID, TX_DATA, EXIT_VALID, EXIT_CODE, POINTS
};

// A processor that is not in the hardware has no points.
struct Processor {
    const void* point[POINTS] = {};
    uint64_t retired = 0;
    bool exited = false;
};

uint8_t bit(const void* signal) { return *static_cast<const uint8_t*>(signal); }
uint32_t word(const void* signal) { return *static_cast<const uint32_t*>(signal); }

// What sends bytes to the machine over its serial line, bit by bit; `Line` of the rust-hdl engine does the same.
struct Line {
    static constexpr uint64_t DIVISOR_AT = 2, BIT = 16, BITS = 10;
    // The UART's divisor, bit 0 inverted.
    const uint16_t* divisor = nullptr;
    std::deque<uint8_t> waiting;
    bool sending = false;
    uint64_t begin = 0;
    // Cycles of a bit; 0 until the receiver has seen the start bit.
    uint64_t bit = 0;
    uint8_t byte = 0;

    // The line's level in `cycle`; `room`: the UART has some then.
    bool level(uint64_t cycle, bool room) {
        if (sending) {
            if (cycle == begin + DIVISOR_AT) {
                uint64_t set = *divisor ^ 1;
                bit = BIT * (set ? set : 1);
            }
            uint64_t bits = bit ? (cycle - begin) / bit : 0;
            if (bits == 0) return false;
            if (bits < BITS - 1) return byte >> (bits - 1) & 1;
            if (bits < BITS) return true;
            sending = false;
        }
        if (!room || waiting.empty()) return true;
        sending = true;
        begin = cycle;
        bit = 0;
        byte = waiting.front();
        waiting.pop_front();
        return false;
    }
};

struct Testbed {
    VerilatedContext context;
    std::unique_ptr<Vtop> top;
    uint64_t cycle = 0;
    Line line;
    std::vector<Processor> processors;
    int recorded = -1;
    std::vector<TraceWord> trace;
    std::vector<ConsoleByte> console;
    std::vector<Exit> exits;
    std::vector<Retirement> retirements;
#if TB_WAVES
    std::unique_ptr<WaveFile> waves;
    uint64_t waves_until = 0;
    uint32_t clock_hz = 1;
#endif

    Testbed() {
        // Waves need this before the model exists; it costs nothing until a file is opened.
        context.traceEverOn(TB_WAVES != 0);
        top.reset(new Vtop(&context, "TOP"));
        top->clock = 0;
    }
    void record(const Processor& p) {
        Retirement r;
        std::memset(&r, 0, sizeof r);
        r.cycle = cycle;
        r.trap = bit(p.point[RETIRE_TRAP]);
        r.half = bit(p.point[RETIRE_HALF]);
        r.pc = word(p.point[RETIRE_PC]);
        r.instruction = word(p.point[RETIRE_INSTRUCTION]);
        r.rd = bit(p.point[RETIRE_RD]);
        r.value = word(p.point[RETIRE_VALUE]);
        r.cause = word(p.point[RETIRE_CAUSE]);
        r.tval = word(p.point[RETIRE_TVAL]);
        r.load = bit(p.point[RETIRE_LOAD]);
        r.store = bit(p.point[RETIRE_STORE]);
        r.address = word(p.point[RETIRE_ADDRESS]);
        r.data = word(p.point[RETIRE_DATA]);
        r.mask = bit(p.point[RETIRE_MASK]);
        retirements.push_back(r);
    }
    void sample() {
        if (top->trace_valid) trace.push_back({cycle, top->trace_word, 0});
        for (unsigned i = 0; i < processors.size(); ++i) {
            Processor& p = processors[i];
            if (!p.point[0]) continue;
            if (bit(p.point[RETIRE_VALID])) {
                if (!bit(p.point[RETIRE_TRAP])) ++p.retired;
                if (recorded == static_cast<int>(i)) record(p);
            } else if (bit(p.point[RETIRE_HALF]) && recorded == static_cast<int>(i)) {
                record(p);
            }
            if (bit(p.point[TX_VALID])) console.push_back({cycle, i, bit(p.point[TX_DATA])});
            if (bit(p.point[EXIT_VALID]) && !p.exited) {
                p.exited = true;
                // The register shows the store one cycle after it was made.
                exits.push_back({cycle - 1, i, word(p.point[EXIT_CODE])});
            }
        }
    }
    // Writes one half of the current cycle to the wave file, if there is one and it goes so far.
    void dump(unsigned half) {
#if TB_WAVES
        if (!waves || cycle >= waves_until) return;
        // Picoseconds, which are Verilator's unit; as `time_of` in waves.rs.
        unsigned __int128 halves = 2 * static_cast<unsigned __int128>(cycle) + half;
        waves->dump(static_cast<uint64_t>(halves * 1000000000000u / (2 * uint64_t(clock_hz))));
#else
        (void)half;
#endif
    }
    // Sets the serial line for this cycle; `rts` is a matter of registers, so it does not follow.
    void drive() {
        if (line.sending || !line.waiting.empty()) top->rx = line.level(cycle, top->rts);
    }
    void step() {
        sample();
        top->clock = 1;
        top->eval();
        ++cycle;
        dump(0);
        top->clock = 0;
        drive();
        top->eval();
        dump(1);
    }
};

}  // namespace

#define TB extern "C" __attribute__((visibility("default")))

TB Testbed* tb_new(uint32_t reset_vector, uint32_t processors) {
    Testbed* t = new Testbed;
    t->top->reset_vector = reset_vector;
    t->top->rx = 1;
    t->top->trace_ready = 1;
    t->processors.resize(processors);
    t->top->eval();
    return t;
}

TB void tb_delete(Testbed* t) {
    t->top->final();
    delete t;
}

// Verilator's own spelling of a name with `$`, which some versions keep in their tables.
static std::string encoded(const char* name) {
    std::string text;
    for (; *name; ++name) {
        if (*name == '$') text += "__024";
        else text += *name;
    }
    return text;
}

// Storage of a public signal and its bits an element; null if there is none of that name.
TB void* tb_find(Testbed* t, const char* scope, const char* name, uint32_t* element_bytes) {
    const VerilatedScope* found = t->context.scopeFind(scope);
    if (!found) found = t->context.scopeFind(encoded(scope).c_str());
    if (!found) return nullptr;
    VerilatedVar* var = found->varFind(name);
    if (!var) var = found->varFind(encoded(name).c_str());
    if (!var) return nullptr;
    *element_bytes = static_cast<uint32_t>(var->entSize());
    return var->datap();
}

TB void tb_bind_processor(Testbed* t, uint32_t processor, const void* const* points) {
    for (int i = 0; i < POINTS; ++i) t->processors[processor].point[i] = points[i];
}

// Settles combinational logic after a write to memory.
TB void tb_eval(Testbed* t) { t->top->eval(); }

TB void tb_run(Testbed* t, uint64_t until) {
    while (t->cycle < until) t->step();
}

// Where the divisor of the UART on the serial line is.
TB void tb_bind_line(Testbed* t, const uint16_t* divisor) { t->line.divisor = divisor; }

TB void tb_give(Testbed* t, const uint8_t* bytes, uint64_t count) {
    t->line.waiting.insert(t->line.waiting.end(), bytes, bytes + count);
    t->drive();
    t->top->eval();
}

TB uint64_t tb_waiting(const Testbed* t) { return t->line.waiting.size(); }

TB uint64_t tb_cycle(const Testbed* t) { return t->cycle; }
TB uint64_t tb_retired(const Testbed* t, uint32_t processor) { return t->processors[processor].retired; }
TB void tb_record(Testbed* t, int32_t processor) { t->recorded = processor; }

#define TB_BUFFER(name, type)                                                         \
    TB const type* tb_##name(const Testbed* t, uint64_t* count) {                     \
        *count = t->name.size();                                                      \
        return t->name.data();                                                        \
    }                                                                                 \
    TB void tb_clear_##name(Testbed* t) { t->name.clear(); }

TB_BUFFER(trace, TraceWord)
TB_BUFFER(console, ConsoleByte)
TB_BUFFER(exits, Exit)
TB_BUFFER(retirements, Retirement)

// Opens a wave file for the cycles from now to `until` - 1; `scope` (hierarchical name, "" for all) and `depth` (its
// levels, from 1; 0 for all) select signals. The clock is low in the first cycle of a file, which did not see it rise.
// Returns 0, or -1 if this build has no waves, -2 if the file cannot be written.
TB int32_t tb_open_waves(Testbed* t, const char* path, const char* scope, int32_t depth, uint64_t until,
                         uint32_t clock_hz) {
#if TB_WAVES
    t->waves.reset(new WaveFile);
    // To Verilator, 0 levels mean all of every scope.
    if (*scope) t->waves->dumpvars(depth ? depth : INT_MAX, scope);
    t->top->trace(t->waves.get(), 99);
    t->waves->open(path);
    if (!t->waves->isOpen()) {
        t->waves.reset();
        return -2;
    }
    t->waves_until = until;
    t->clock_hz = clock_hz;
    t->dump(0);
    t->dump(1);
    return 0;
#else
    (void)t, (void)path, (void)scope, (void)depth, (void)until, (void)clock_hz;
    return -1;
#endif
}

// Ends the wave file at the first cycle that is not in it.
TB void tb_close_waves(Testbed* t) {
#if TB_WAVES
    if (t->waves) {
        t->waves->close();
        t->waves.reset();
    }
#else
    (void)t;
#endif
}
