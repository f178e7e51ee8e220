/* arc/lib.h - the standard library as the compiler sees it: names, parameters, and where each may
 * stand.
 *
 * A constant table, any thread. What the members do at run time is arc_host's.
 */
#ifndef ARC_LIB_H
#define ARC_LIB_H

#include "arc/type.h"

enum arc_lib_use {
    ARC_USE_FLOW = 1, /* name{...} in a flow */
    ARC_USE_CALL = 2, /* name(...) in a body or expression */
    ARC_USE_FOR = 4,  /* range: the head of a for */
};

/* X(ID, module or NULL, member, old bare name or NULL, uses) */
#define ARC_LIB_MEMBERS(X)                                                                         \
    X(TIME_INTERVAL, "time", "interval", "interval", ARC_USE_FLOW)                                 \
    X(TIME_WAIT, "time", "wait", "wait", ARC_USE_FLOW)                                             \
    X(TIME_NOW, "time", "now", "now", ARC_USE_FLOW | ARC_USE_CALL)                                 \
    X(MATH_AVG, "math", "avg", "avg", ARC_USE_FLOW)                                                \
    X(MATH_MIN, "math", "min", "min", ARC_USE_FLOW)                                                \
    X(MATH_MAX, "math", "max", "max", ARC_USE_FLOW)                                                \
    X(MATH_DERIVATIVE, "math", "derivative", "derivative", ARC_USE_FLOW)                           \
    X(CONTROL_SET_AUTHORITY, "control", "set_authority", "set_authority", ARC_USE_FLOW)            \
    X(STATUS_SET, "status", "set", "set_status", ARC_USE_FLOW | ARC_USE_CALL)                      \
    X(STABLE_FOR, "stable", "for", "stable_for", ARC_USE_FLOW)                                     \
    X(SELECT, NULL, "select", NULL, ARC_USE_FLOW)                                                  \
    X(LEN, NULL, "len", NULL, ARC_USE_CALL)                                                        \
    X(RANGE, NULL, "range", NULL, ARC_USE_FOR)

enum arc_lib_id {
#define ARC_LIB_ENUM(ID, module, member, bare, use) ARC_LIB_##ID,
    ARC_LIB_MEMBERS(ARC_LIB_ENUM)
#undef ARC_LIB_ENUM
        ARC_LIB_COUNT
};

enum arc_lib_param_kind {
    ARC_LIB_PLAIN,   /* the prim, with unit ns when `is_time` */
    ARC_LIB_NUMERIC, /* the type variable T of the member: any number */
    ARC_LIB_CHANNEL, /* a channel of any type */
};

enum { ARC_LIB_MAX_PARAMS = 3 };

struct arc_lib_param {
    const char *name;
    enum arc_lib_param_kind kind;
    enum telem_type prim;
    bool is_time;     /* i64 ns */
    bool is_optional; /* the default is 0; for ARC_LIB_CHANNEL: no channel */
};

struct arc_lib_member {
    enum arc_lib_id id;
    const char *module; /* NULL: needs no import */
    const char *name;
    const char *bare; /* deprecated name that needs no import, or NULL */
    unsigned use;     /* enum arc_lib_use, or-ed */
    struct arc_lib_param config[ARC_LIB_MAX_PARAMS];
    size_t n_config;
    /* Inputs of the node. A member without inputs is triggered by an edge, whose value is ignored.
     */
    struct arc_lib_param inputs[ARC_LIB_MAX_PARAMS];
    size_t n_inputs;
    /* Outputs; one without name is named "". */
    struct arc_lib_param outputs[ARC_LIB_MAX_PARAMS];
    size_t n_outputs;
};

const struct arc_lib_member *arc_lib_get(enum arc_lib_id id);

/* By text. NULL when there is none. */
bool arc_lib_has_module(const char *module);
const struct arc_lib_member *arc_lib_find(const char *module, const char *name);

/* A name that needs no import: select, len, range, and the deprecated ones. */
const struct arc_lib_member *arc_lib_find_bare(const char *name);

#endif
