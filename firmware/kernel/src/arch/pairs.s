# Loads and stores of a register pair (Zilsd): `ld` and `sd` of RV32, spelt out for assemblers that do not know them. The first register is even, and the
# address a multiple of eight, which only the offset's part of can be checked here.

    .macro load_pair n, offset, base
    .if (\n & 1) | ((\offset) & 7)
    .error "a pair begins at an even register and at a multiple of eight"
    .endif
    .insn i 0x03, 3, x\n, \offset(\base)
    .endm

    .macro store_pair n, offset, base
    .if (\n & 1) | ((\offset) & 7)
    .error "a pair begins at an even register and at a multiple of eight"
    .endif
    .insn s 0x23, 3, x\n, \offset(\base)
    .endm

