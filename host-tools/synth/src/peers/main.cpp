// Runs a peer's core until its program stores to `tohost`; writes the cycles from reset to that, and the value.
// Arguments: byte address of tohost, most cycles, and +image=FILE for the memory.
#include "Vpeer.h"
#include "verilated.h"
#include <cstdio>
#include <cstdlib>

int main(int argc, char **argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: peer TOHOST MAX_CYCLES +image=FILE\n");
        return 2;
    }
    const unsigned long long most = std::strtoull(argv[2], nullptr, 0);
    VerilatedContext context;
    context.commandArgs(argc, argv);
    Vpeer peer{&context};
    peer.tohost = std::strtoul(argv[1], nullptr, 0);
    auto cycle = [&](bool reset) {
        peer.reset = reset;
        peer.clock = 0;
        peer.eval();
        peer.clock = 1;
        peer.eval();
    };
    for (int i = 0; i < 16; i++) cycle(true);
    for (unsigned long long count = 1; count <= most; count++) {
        cycle(false);
        if (peer.done) {
            std::printf("%llu %u\n", count, peer.value);
            return 0;
        }
    }
    std::fprintf(stderr, "no store to tohost within %llu cycles\n", most);
    return 1;
}
