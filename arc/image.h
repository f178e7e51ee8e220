/* arc/image.h - a compiled Arc program: everything that a host needs to run it, and nothing else.
 *
 * Life cycle: arc_compile (arc/compile.h) -> arc_verify (arc/verify.h; arc_compile does it) ->
 * hosts read it -> arc_image_free. After arc_compile the image never changes: any number of hosts
 * and threads may share one. All memory belongs to image->arena.
 *
 * Shape. Flat arrays with dense u32 indexes; objects that belong together are neighbours, so a list
 * is a range (`first`, `n`) of an array, or of image->lists where the objects do not lie side by
 * side. ARC_NONE stands for "no such object". A host makes its own arrays next to these, of the
 * sizes that the counts give (channels, outputs, inputs, nodes, scopes, state, stack), at load; a
 * cycle then needs no allocation but for strings and series.
 *
 * Objects.
 * - Output: where a node puts samples. The outputs of a node are neighbours. Every node has at
 * least one: a sink, and any node without outputs of its own, has a u8 output that fires one 1 when
 * the node has run.
 * - Edge: from an output to an input of a node, or to the node's bare trigger (input ARC_NONE). A
 *   firing output makes the target pending; a conditional edge does so only if the output's last
 *   sample is truthy. An input has one source at most.
 * - Activation: an output that starts a scope at once when it fires (entry points at the root,
 *   inline bodies, named sequences in a stage), by the same rule of `conditional`.
 * - Scope: parallel (members run in the order of the array, which is stratum order) or sequential
 *   (its members are its items, parallel or sequential scopes, of which one is current). Scope 0 is
 * the root. What is an item by the language but no scope (a flow, a single) is wrapped in a
 * parallel scope; a top-level stage, and an inline stage that stands in no sequence, are wrapped in
 * a sequential scope with one item. So every node but those of the root lies in some sequential
 *   scope, and every transition has an owner.
 * - Transition: of a sequential scope, in the order in which they are looked at. Ready when its
 *   output fired in this cycle since the transition was last taken, and (truthy) the last sample is
 *   truthy, and the source's scope is active. Completion of an item is a transition like any other.
 *   One whose target is the current item, or a top-level scope that holds the source, changes
 *   nothing when it is taken.
 *
 * Costs. A host keeps a ready bit for each member of each scope (member_first + i) and walks set
 * bits: it sets the bit of a node that became pending, and of the scopes around it up to the root.
 * Nothing looks at a node that has nothing to do: a channel lists its sources, a scope lists its
 * nodes that run in every cycle and those that run once when it is activated, an output lists what
 * it triggers. A transition's bit is set by the firing output (output.transitions).
 */
#ifndef ARC_IMAGE_H
#define ARC_IMAGE_H

#include "arc/op.h"
#include "base/arena.h"
#include "telem/type.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARC_NONE UINT32_MAX
#define ARC_NO_REG UINT16_MAX

/* Limits, all checked by the compiler with a diagnostic and by the verifier. */
enum {
    ARC_MAX_CODE = 32767,      /* instructions in a body: every jump fits 16 bits */
    ARC_MAX_REGS = 4096,       /* registers of a body */
    ARC_MAX_BATCH_REGS = 128,  /* columns of a batch body */
    ARC_MAX_ARGS = 255,        /* inputs + config of a function */
    ARC_MAX_CALL_DEPTH = 1100, /* nested calls; one more is the `recursion` fault */
    ARC_MAX_NODES = 1 << 20,   /* nodes, edges, scopes and the like, each */
    ARC_MAX_STATE = 1 << 24,   /* slots of state memory */
    ARC_MAX_FORMAT = 1000,     /* width and precision of a placeholder */
    ARC_MAX_SCOPE_DEPTH = 512, /* scopes in scopes */
};

enum {
    ARC_DEFAULT_BUDGET = 10000000,     /* instructions in a cycle */
    ARC_DEFAULT_HEAP_BYTES = 10 << 20, /* live strings and series of a program */
};

/* A part of another array. */
struct arc_image_range {
    uint32_t first, n;
};

struct arc_image_string {
    const char *text; /* n bytes, and a NUL that is not counted */
    uint32_t n;
};

/* A series literal whose elements are all constant; SLOAD makes a fresh copy. */
struct arc_image_series {
    uint8_t type; /* enum telem_type of the elements */
    uint32_t n;
    const void *data; /* n elements, telem_type_size() each */
};

/* A checked placeholder spec of a format string: [flags][width][.precision]verb. */
struct arc_image_format {
    char verb;
    bool sharp, plus, space, minus, zero;
    int16_t width;     /* 0: none */
    int16_t precision; /* -1: none */
};

/* ---- code ------------------------------------------------------------------------------------ */

/* One way of executing a function: a range of image->code and the frame that it needs. */
struct arc_image_body {
    struct arc_image_range code; /* n == 0: this body does not exist */
    uint16_t n_regs;
    uint16_t k_reg;     /* first constant register */
    uint16_t n_k;       /* regs[k_reg + i] = consts[k_first + i] when the frame is made */
    uint16_t state_reg; /* regs[state_reg + i] = state slot i, see state_mode */
    uint32_t k_first;
};

/* Where a value that leaves a function stands when the body has ended. */
struct arc_image_func_output {
    uint8_t type;       /* enum telem_type, or ARC_VT_SERIES | element type */
    uint16_t reg;       /* ARC_NO_REG: the operand of RET that ended the body */
    uint16_t flag_reg;  /* u8 register: non-zero when the output was produced; ARC_NO_REG: always */
    uint16_t batch_reg; /* the same in the batch body; batch_reg is always a register */
    uint16_t batch_flag_reg;
};

enum arc_state_mode {
    ARC_STATE_NONE, /* no stateful variables of its own (functions it calls may have some) */
    /* In registers while the body runs: the machine copies all n_state slots to state_reg.. when
     * the frame is made and back when it ends (RET). Between the runs of one batch they may stay.
     */
    ARC_STATE_REGS,
    ARC_STATE_SLOTS, /* the function may call itself: STLD and STST on the slots */
};

/* A function, or the expression of a node. Argument registers: inputs, then config values. */
struct arc_image_func {
    const char *name; /* "pid"; an expression has the name of its place, such as "expression" */
    uint32_t line;
    struct arc_image_body body; /* sample by sample; always there */
    /* Straight-line: every instruction over all rows, see ARC_OPF_BATCH; code.n == 0: none. Rows
     * are independent, arguments and constants are columns too. */
    struct arc_image_body batch;
    struct arc_image_range args; /* of func_args: vt of each; chan arguments have ARC_VT_CHAN */
    uint16_t n_inputs;           /* the first arguments; the rest are config values */
    uint8_t result;              /* vt of what RET carries; ARC_VT_NONE: the body ends with RET0 */
    uint8_t state_mode;          /* enum arc_state_mode */
    struct arc_image_range outputs; /* of func_outputs: of a node made from this function */
    /* Its own stateful variables: slots of state_types and state_init (the value at reset). A str
     * slot's initial value is an index into strings; a series slot starts as ref 0. */
    struct arc_image_range state;
    /* Where slots lie when a node runs this function as its root: the slots of function g that is
     * reached from here start at node.state.first + lists[state_map + g.state_id]. ARC_NONE:
     * nothing that is reached has state. */
    uint32_t state_map;
    uint32_t state_id;     /* dense over the functions that have state; ARC_NONE: no state */
    uint32_t n_root_state; /* slots of a node with this root: all functions reached, once each */
    uint32_t stack_regs;   /* registers that a run from here needs at most, with all its calls */
    bool calls;            /* has a CALL */
    bool recursive;        /* may come back to itself */
    bool writes;           /* may queue channel samples, itself or through calls */
    bool is_expression;
};

/* ---- graph ----------------------------------------------------------------------------------- */

struct arc_image_channel {
    const char *name;
    uint8_t type;      /* enum telem_type as the channel has it: TELEM_TIMESTAMP too */
    bool reads;        /* a body or an expression reads its newest sample, or might */
    bool writes;       /* a sink, a body, set_authority or an authority entry names it */
    bool source;       /* has source nodes; the host subscribes, and echoes, if reads || source */
    int16_t authority; /* 0..255, or -1: the program's default */
    struct arc_image_range sources; /* of lists: its source nodes, in node order */
};

/* X(NAME, text). User code first, then the library (in the order of its page in the manual). */
#define ARC_IMAGE_NODES(X)                                                                         \
    X(SOURCE, "source")                                                                            \
    X(SINK, "sink")                                                                                \
    X(CONST, "constant")                                                                           \
    X(EXPR, "expression")                                                                          \
    X(FUNC, "function")                                                                            \
    X(INTERVAL, "time.interval")                                                                   \
    X(WAIT, "time.wait")                                                                           \
    X(NOW, "time.now")                                                                             \
    X(AVG, "math.avg")                                                                             \
    X(MIN, "math.min")                                                                             \
    X(MAX, "math.max")                                                                             \
    X(DERIVATIVE, "math.derivative")                                                               \
    X(SET_AUTHORITY, "control.set_authority")                                                      \
    X(STATUS_SET, "status.set")                                                                    \
    X(STABLE_FOR, "stable.for")                                                                    \
    X(SELECT, "select")

enum arc_image_node_kind {
#define ARC_IMAGE_NODE_ENUM(name, text) ARC_IMAGE_NODE_##name,
    ARC_IMAGE_NODES(ARC_IMAGE_NODE_ENUM)
#undef ARC_IMAGE_NODE_ENUM
        ARC_IMAGE_NODE_COUNT
};

/* When a node runs without an incoming edge. A node with one (ARC_RUN_TRIGGERED) runs when pending.
 * A timer that has run asks for its next run by a deadline. */
enum arc_image_node_run {
    ARC_RUN_TRIGGERED, /* has an incoming edge */
    ARC_RUN_DATA,      /* source at the head: when its channel has samples above the watermark */
    ARC_RUN_ONCE,      /* in the first walk after each activation of its scope */
    ARC_RUN_ALWAYS,    /* in every walk of its scope: an expression without trigger */
};

/* The value of a constant, a default, or a config parameter. */
struct arc_image_value {
    uint8_t vt;        /* a number type, TELEM_STR, ARC_VT_CHAN | type, or ARC_VT_NONE: left out */
    union arc_reg reg; /* number; str: index into strings in u64; chan: index into channels */
};

/* Sorted by output. */
struct arc_image_edge {
    uint32_t node;  /* target */
    uint32_t input; /* index into inputs, or ARC_NONE: bare trigger */
    bool conditional;
};

struct arc_image_activation {
    uint32_t output;
    uint32_t scope;
    bool conditional;
};

struct arc_image_input {
    uint32_t node;
    uint8_t type;    /* as of its source */
    uint32_t source; /* output that feeds it; ARC_NONE: it holds one sample, `constant` */
    struct arc_image_value constant; /* default */
};

struct arc_image_output {
    uint32_t node;
    uint8_t type;     /* enum telem_type (a timestamp is an i64), or ARC_VT_SERIES | element type */
    const char *name; /* "" for an unnamed one */
    struct arc_image_range edges;       /* of edges */
    struct arc_image_range activations; /* of activations */
    struct arc_image_range transitions; /* of lists: the transitions that wait for this output */
};

/* Inputs of library nodes are: avg, min, max: `input`, then `reset` if that is wired; derivative,
 * stable.for, select: one; interval, wait, now, set_authority, status.set: none (bare trigger).
 * SOURCE, CONST and EXPR have none, SINK has one. Config of library nodes, in this order: interval
 * period; wait duration; avg, min, max duration, count; set_authority value, channel; status.set
 * key_or_name, message, variant; stable.for duration. A FUNC node's config values are the arguments
 * after its inputs. CONST: config[0] is the value. */
struct arc_image_node {
    uint8_t kind;     /* enum arc_image_node_kind */
    uint8_t run;      /* enum arc_image_node_run */
    uint32_t line;    /* of the text, from 1 */
    uint32_t scope;   /* the parallel scope that it is a member of */
    uint32_t member;  /* its place there: index into members */
    uint32_t stratum; /* for the reader of a listing */
    uint32_t func;    /* FUNC, EXPR; else ARC_NONE */
    uint32_t channel; /* SOURCE, SINK; else ARC_NONE */
    struct arc_image_range inputs, outputs, config;
    struct arc_image_range state; /* slots of the program's state memory: FUNC, EXPR */
};

enum arc_image_member_kind { ARC_MEMBER_NODE, ARC_MEMBER_SCOPE };

struct arc_image_member {
    uint32_t kind : 1; /* enum arc_image_member_kind */
    uint32_t id : 31;  /* node or scope */
};

struct arc_image_scope {
    const char *name; /* "" if it has none */
    uint32_t line;
    uint32_t parent; /* ARC_NONE for the root */
    uint32_t member; /* its place in the parent: index into members; ARC_NONE for the root */
    uint32_t stratum;
    uint32_t owner; /* the sequential scope whose item this scope is or lies in; itself if it is
                       sequential; ARC_NONE for the root */
    uint32_t top;   /* the member of the root that contains it (or itself); ARC_NONE for the root */
    uint32_t depth; /* root 0 */
    bool sequential;
    bool auto_start; /* activated with its parent; never set for items of a sequence */
    bool inline_body;
    bool wrapper;                       /* made by the compiler around one item */
    struct arc_image_range members;     /* parallel: in running order; sequential: the items */
    struct arc_image_range transitions; /* sequential: of transitions, in the order of looking */
    /* Node lists of this scope alone, of lists. */
    struct arc_image_range always;  /* nodes with ARC_RUN_ALWAYS */
    struct arc_image_range once;    /* nodes with ARC_RUN_ONCE: due when the scope is activated */
    struct arc_image_range sources; /* nodes with ARC_RUN_DATA: watermarks to set on activation */
    struct arc_image_range starts;  /* scopes with auto_start: to activate with this one */
};

enum arc_image_target {
    ARC_TO_ITEM, /* another item of the owner: index into its members, 0.. */
    ARC_TO_TOP,  /* a scope of the root: activate it, deactivate the owner */
    ARC_TO_END,  /* deactivate the owner */
};

struct arc_image_transition {
    uint32_t output; /* source */
    uint32_t owner;  /* sequential scope */
    uint8_t target_kind;
    bool truthy;     /* needs a truthy last sample: `=>` and completions; else `->` */
    bool completion; /* of an item, not written in the text */
    uint32_t target; /* item index or scope; ARC_NONE with END */
    uint32_t line;
};

/* ---- the image ------------------------------------------------------------------------------- */

struct arc_image {
    struct base_arena arena;

    struct arc_insn *code;
    uint32_t *code_lines; /* source line of each instruction */
    uint32_t n_code;

    struct arc_image_func *funcs;
    uint32_t n_funcs;
    uint8_t *func_args; /* vt */
    uint32_t n_func_args;
    struct arc_image_func_output *func_outputs;
    uint32_t n_func_outputs;
    uint8_t *state_types; /* vt of each declared slot, by function */
    union arc_reg *state_init;
    uint32_t n_state_slots;

    union arc_reg *consts;
    uint8_t *const_types; /* enum telem_type, numbers only */
    uint32_t n_consts;
    struct arc_image_string *strings; /* strings[0] is "" */
    uint32_t n_strings;
    struct arc_image_series *series;
    uint32_t n_series;
    struct arc_image_format *formats;
    uint32_t n_formats;

    struct arc_image_channel *channels; /* those that the program names */
    uint32_t n_channels;
    int16_t default_authority; /* 0..255; 255 if the program names none */

    struct arc_image_node *nodes; /* in source order */
    uint32_t n_nodes;
    struct arc_image_input *inputs;
    uint32_t n_inputs;
    struct arc_image_output *outputs;
    uint32_t n_outputs;
    struct arc_image_edge *edges;
    uint32_t n_edges;
    struct arc_image_activation *activations;
    uint32_t n_activations;
    struct arc_image_value *config;
    uint32_t n_config;

    struct arc_image_scope *scopes; /* parents before children, else in source order */
    uint32_t n_scopes;
    struct arc_image_member *members;
    uint32_t n_members;
    struct arc_image_transition *transitions; /* by owner */
    uint32_t n_transitions;

    uint32_t *lists;
    uint32_t n_lists;

    /* What a host provides. */
    uint32_t n_state;    /* slots of state memory, all nodes together */
    uint32_t stack_regs; /* registers of the call stack, the largest of all root functions */
    uint32_t batch_regs; /* the largest n_regs of all batch bodies: columns */
    uint32_t n_timers;   /* nodes that may ask for a deadline */
};

const char *arc_image_node_text(enum arc_image_node_kind kind);

/* Frees the image and all that it holds. NULL is allowed. */
void arc_image_free(struct arc_image *image);

#endif
