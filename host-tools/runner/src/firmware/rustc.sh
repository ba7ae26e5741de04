#!/bin/sh
# rustc, with metadata that do not tell where the checkout is. Cargo hashes the path of a crate that
# is outside of the workspace, rustc mixes that into names of symbols, and by those the functions of
# a program are ordered: so programs would be others in every checkout, and take other times.
rustc=$1
shift
for argument; do
    shift
    case $argument in
    metadata=*) argument=metadata=$CARGO_PKG_NAME-$CARGO_PKG_VERSION ;;
    esac
    set -- "$@" "$argument"
done
exec "$rustc" "$@"
