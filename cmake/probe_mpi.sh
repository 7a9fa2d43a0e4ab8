#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Copyright the Casper developers
# Which MPI functions does this MPI library really have? usage: probe_mpi.sh MPICC NAMES OUT.h
#
# NAMES lists functions, separated by blanks (see mpi_names.txt); a name behind "removed:" is one of
# MPI-1 that headers no longer declare. A function counts if mpi.h declares PMPI_X (removed names are
# excused) and a program that refers to PMPI_X *links*; versions and headers alone are not believed.
# OUT.h gets CSP_HAVE_MPI_X (0 or 1) for each, the lists CSP_MPI_EACH, CSP_MPI_EACH_REMOVED, and
# CSP_CONST_REQUESTS: const, or nothing with headers that lack it in MPI_Request_get_status_all and its kin.
# It is rewritten only when its content changes.
set -eu
LC_ALL=C
export LC_ALL
if [ $# -ne 3 ]; then
    echo "usage: $0 MPICC NAMES OUT.h" >&2
    exit 2
fi
cc=$1 names=$2 out=$3
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed 's/#.*//' "$names" | tr -s ' \t' '\n\n' | sed '/^$/d' >"$tmp/all"

# Declared: every PMPI_X( of the preprocessed header.
cat >"$tmp/header.c" <<'EOF'
#include <mpi.h>
#if defined(OPEN_MPI) && __has_include(<mpi-ext.h>)
#include <mpi-ext.h>
#endif
EOF
if ! $cc -E "$tmp/header.c" >"$tmp/header.i" 2>"$tmp/err"; then
    echo "probe_mpi.sh: '$cc -E' cannot preprocess #include <mpi.h>:" >&2
    cat "$tmp/err" >&2
    exit 1
fi
sed '/^#/d' "$tmp/header.i" | tr '\n' ' ' >"$tmp/line"
grep -oE 'PMPIX?_[A-Za-z0-9_]+[[:space:]]*\(' "$tmp/line" | tr -d ' \t(' | sort -u >"$tmp/declared"
const=const
if grep -qE 'PMPI_Request_get_status_all[[:space:]]*\([^,]*,[[:space:]]*MPI_Request' "$tmp/line"; then
    const=
fi
awk 'NR == FNR { decl[$1] = 1; next }
     sub(/^removed:/, "") || ("P" $1) in decl' "$tmp/declared" "$tmp/all" >"$tmp/wanted"

# Defined: link a program that refers to all of them; take out what the linker misses; until it links
# (some linkers name only the first few).
while :; do
    awk '{ decl = decl "void P" $1 "(void);\n"; ref = ref "    P" $1 ",\n" }
         END { printf "%svoid (*volatile csp_table[])(void) = {\n%s    0};\n", decl, ref
               print "int main(void)\n{\n    return csp_table[0] == 0;\n}" }' \
        "$tmp/wanted" >"$tmp/link.c"
    if $cc -fno-builtin -o "$tmp/link" "$tmp/link.c" >"$tmp/err" 2>&1; then
        break
    fi
    grep -i undefined "$tmp/err" | grep -oE 'PMPIX?_[A-Za-z0-9_]+' | sed 's/^P//' |
        sort -u >"$tmp/missing" || :
    if [ ! -s "$tmp/missing" ]; then
        echo "probe_mpi.sh: '$cc' cannot link a program with the MPI library:" >&2
        head -n 20 "$tmp/err" >&2
        exit 1
    fi
    awk 'NR == FNR { miss[$1] = 1; next } !($1 in miss)' "$tmp/missing" "$tmp/wanted" >"$tmp/rest"
    mv "$tmp/rest" "$tmp/wanted"
done
if [ ! -s "$tmp/wanted" ]; then
    echo "probe_mpi.sh: '$cc' links with no MPI function at all; is it an MPI compiler?" >&2
    exit 1
fi

{
    echo "/* Made by probe_mpi.sh; do not edit. */"
    echo "#ifndef CSP_MPI_HAVE_H"
    echo "#define CSP_MPI_HAVE_H"
    awk 'NR == FNR { have[$1] = 1; next }
         { removed = sub(/^removed:/, ""); field = $1
           sub(/^MPI_/, "", field); sub(/^MPIX_/, "X_", field)
           printf "#define CSP_HAVE_%s %d\n", $1, $1 in have
           if ($1 in have) { if (removed) old = old " \\\n    X(" field ", " $1 ")"
                             else each = each " \\\n    X(" field ", " $1 ")" } }
         END { printf "#define CSP_MPI_EACH(X)%s\n#define CSP_MPI_EACH_REMOVED(X)%s\n", each, old }' \
        "$tmp/wanted" "$tmp/all"
    echo "#define CSP_CONST_REQUESTS $const"
    echo "#endif"
} >"$tmp/have.h"
cmp -s "$tmp/have.h" "$out" || cp "$tmp/have.h" "$out"
