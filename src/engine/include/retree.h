/* The C interface of the engine: what Python calls through ctypes.
 *
 * Arrays come as `retree_array` views of C-contiguous memory; what a function cannot size before it
 * runs, it puts into a `retree_result` in the order that its comment gives. Every function returns
 * a status; `retree_last_error` has the sentence. `retree/engine.py` reads the declarations from
 * these headers, so each is written as one statement with plain parameter types; the fields of a
 * rule are numbers of 64 bits, one on a line, and Python passes them by name. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
#define RETREE_C extern "C"
#else
#define RETREE_C
#endif
#if defined(_WIN32)
#define RETREE_EXPORT RETREE_C __declspec(dllexport)
#else
#define RETREE_EXPORT RETREE_C __attribute__((visibility("default")))
#endif

/* Raise it with every change of a declaration in these headers. */
#define RETREE_INTERFACE 7

enum {
    RETREE_OK = 0,
    RETREE_INVALID = 1,
    RETREE_NO_MEMORY = 2,
    RETREE_INTERRUPTED = 3,
    RETREE_FAILED = 4
};

enum {
    RETREE_FLOAT64 = 0,
    RETREE_INT32 = 1,
    RETREE_INT64 = 2,
    RETREE_UINT8 = 3,
    RETREE_UINT64 = 4,
    RETREE_INT8 = 5,
    RETREE_VIEWS = 6 /* retree_array, for arguments that are many arrays */
};

typedef struct retree_array {
    void *data;
    int64_t shape[3];
    int32_t ndim;
    int32_t type;
} retree_array;

typedef struct retree_result retree_result;

RETREE_EXPORT int32_t retree_interface(void);
RETREE_EXPORT const char *retree_last_error(void);

/* A long call asks `ensure`, `check`, `release` (PyGILState_Ensure, PyErr_CheckSignals,
 * PyGILState_Release) some twenty times a second, and PyErr_Fetch for what was raised. */
RETREE_EXPORT void retree_set_python(void *ensure, void *release, void *check, void *fetch);
RETREE_EXPORT void retree_take_raised(void **type, void **value, void **traceback);

RETREE_EXPORT retree_result *retree_result_new(void);
RETREE_EXPORT void retree_result_free(retree_result *result);
/* All arrays of a result as one of RETREE_VIEWS. */
RETREE_EXPORT const retree_array *retree_result_views(const retree_result *result);

#include "retree/arithmetic.h"
#include "retree/c45.h"
#include "retree/cart.h"
#include "retree/clustering.h"
#include "retree/cmdt.h"
#include "retree/forests.h"
#include "retree/java_random.h"
#include "retree/latent.h"
#include "retree/oblique.h"
#include "retree/pruning.h"
#include "retree/relief.h"
#include "retree/structure.h"
#include "retree/stump.h"
#include "retree/traverse.h"
#include "retree/weighted_columns.h"
#include "retree/weka.h"
