// Loops that are worth the machine's wider vector instructions.
#pragma once

// Compiles a function for AVX2 too and takes at load what the machine has. The results are the
// same: nothing is contracted or reassociated. Sanitizers cannot run before the choice is made.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define RETREE_VECTOR __attribute__((target_clones("avx2", "default")))
#else
#define RETREE_VECTOR
#endif
