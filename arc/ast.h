/* arc/ast.h - the tree of an Arc program, first as parsed, then as checked.
 *
 * Life cycle: arc_parse() builds it in an arena, arc_check() (arc/compile.h) completes it; it lives
 * as long as the arena and does not change any more. One thread while it is built, any thread
 * afterwards.
 *
 * After a check without errors:
 *   - every expression has its type, with no name left to look up: kinds marked "parsed" are gone,
 *     constants are ARC_EXPR_LITERAL with the value in the exact type, reading a channel is an
 * explicit ARC_EXPR_READ, both operands of a binary operator have the same prim;
 *   - aliases of channels are gone: their uses read and write the channel itself;
 *   - `x op= e` is `x = x op e`, except on an element, whose index is evaluated once;
 *   - calls have one argument for each parameter, defaults filled in;
 *   - a flow is a list of nodes (with the implicit sources of a head expression) and typed edges
 * between them, transitions with their targets, inline bodies with what starts them, and what
 * completes it as an item of a sequence;
 *   - indexes are dense: functions, variables of a function, channels, scopes, nodes, so that plain
 * arrays beside the tree do.
 */
#ifndef ARC_AST_H
#define ARC_AST_H

#include "arc/diag.h"
#include "arc/lib.h"
#include "arc/type.h"

struct arc_ident; /* an interned name, see arc/lexer.h */
struct arc_func;
struct arc_scope;
struct arc_flow;
struct arc_var;
struct arc_expr;

/* ---- Values ------------------------------------------------------------------------------- */

/* A constant. `type` says which member holds it: number prims in `number` as telem/type.h widens
 * them, a str as bytes (NUL-terminated, but it may hold NULs of its own). */
struct arc_value {
    struct arc_type type;
    union telem_value number;
    const char *str;
    size_t str_len;
};

/* ---- Channels ----------------------------------------------------------------------------- */

/* A channel that the program names. */
struct arc_channel {
    const char *name;
    uint32_t index;       /* dense, in program->channels */
    uint32_t table_index; /* its place in the table given to arc_check() */
    struct arc_type type; /* scalar: of one sample */
    bool is_read;         /* source, or read in a body or expression that some node runs */
    bool is_written;      /* sink, written by a body that some node runs, or has an authority */
    bool has_authority;   /* listed in an authority declaration or in control.set_authority */
    int16_t authority;    /* the declared 0..255; -1: none declared */
};

/* A channel as an operand: a fixed one, or what a chan parameter stands for. Exactly one is set. */
struct arc_chan_ref {
    struct arc_channel *channel;
    struct arc_var *param; /* ARC_VAR_CONFIG or ARC_VAR_INPUT of type chan */
};

/* A set of channels: bit i of word i/64 for channel index i; channels beyond n_words are not in it.
 */
struct arc_chan_set {
    uint64_t *words;
    uint32_t n_words;
};

static inline bool arc_chan_set_has(const struct arc_chan_set *set, uint32_t index)
{
    return index / 64 < set->n_words && (set->words[index / 64] >> (index % 64) & 1) != 0;
}

/* ---- Variables and functions -------------------------------------------------------------- */

enum arc_var_kind {
    ARC_VAR_CONFIG, /* fixed per node; a change lasts for one run. Type chan: the node's channel */
    ARC_VAR_INPUT,  /* argument of a call or input of a node */
    ARC_VAR_OUTPUT, /* named output: zero at the start of each run */
    ARC_VAR_LOCAL,
    ARC_VAR_STATE, /* stateful: set the first time control reaches its declaration, then kept */
    ARC_VAR_LOOP,
    ARC_VAR_ALIAS, /* of a channel: needs no storage, is not in func->vars */
};

struct arc_var {
    const char *name;
    struct arc_ident *ident;
    enum arc_var_kind kind;
    struct arc_type type;
    struct arc_span span; /* of the name in the declaration */
    uint32_t index;       /* in func->vars, unique within the function */
    uint32_t kind_index;  /* among the variables of its kind in the function, in source order */
    bool has_default;     /* config and input */
    struct arc_value def; /* the default, converted to `type` */
    struct arc_expr *def_expr; /* parsed */
    bool is_assigned;          /* anywhere in the body (an output: no warning) */
    bool chan_is_read;    /* type chan: the body or a function it hands the channel to reads it */
    bool chan_is_written; /* likewise */
    struct arc_chan_ref alias; /* ARC_VAR_ALIAS */
};

struct arc_func {
    const char *name;
    struct arc_ident *ident;
    uint32_t index; /* in program->funcs */
    struct arc_span span;
    struct arc_span name_span;
    struct arc_var **config;
    size_t n_config;
    struct arc_var **inputs;
    size_t n_inputs;
    /* One unnamed output: `result` has a shape and n_outputs is 0. Named ones: `result` is
     * ARC_SHAPE_NONE, a call is an error. Neither: no output. */
    struct arc_type result;
    struct arc_span result_span;
    struct arc_var **outputs;
    size_t n_outputs;
    struct arc_block *body;

    struct arc_var **vars; /* all of them: config, inputs, outputs, then in source order */
    size_t n_vars;
    size_t n_state; /* variables of kind ARC_VAR_STATE; their kind_index is 0..n_state-1 */

    struct arc_func **callees; /* functions called directly in the body, each once */
    size_t n_callees;

    /* Fixed channels that a run may read or write, also through called functions. Channels that
     * come in by a chan parameter are not in them: see arc_var.chan_is_read and the node's config.
     */
    struct arc_chan_set reads;
    struct arc_chan_set writes;

    bool is_used;   /* some node runs it, directly or through calls */
    bool is_broken; /* had a syntax error: nothing about it is reported further */
};

/* ---- Expressions -------------------------------------------------------------------------- */

/* X(KIND, members of the union that hold it) */
#define ARC_EXPR_KINDS(X)                                                                          \
    X(NAME, name)         /* parsed: an identifier */                                              \
    X(MEMBER, member)     /* parsed: module.name */                                                \
    X(ERROR, none)        /* parsed: a syntax error stood here */                                  \
    X(LITERAL, value)     /* a number or str of the type */                                        \
    X(VAR, var)           /* the value of a variable that is no channel */                         \
    X(CHAN, chan)         /* the channel itself, only as an argument for a chan parameter */       \
    X(READ, chan)         /* the channel's newest sample */                                        \
    X(NEG, unary)         /* number or series */                                                   \
    X(NOT, unary)         /* u8 or series u8 */                                                    \
    X(BINARY, binary)     /* see enum arc_op */                                                    \
    X(AND, binary)        /* both u8, short-circuit, result 0 or 1 */                              \
    X(OR, binary)         /* likewise */                                                           \
    X(CALL, call)         /* a function of the program; no value: only as a statement */           \
    X(LIB_CALL, lib_call) /* len, time.now, status.set; parsed: nothing else than CALL */          \
    X(INDEX, index)       /* an element of a series, or a byte (u8) of a str */                    \
    X(SLICE, slice)       /* of a series or a str: a copy */                                       \
    X(CAST, unary)        /* number to number; to the prim of `type`. See below */                 \
    X(STR, unary)         /* str(x) of a number or a str */                                        \
    X(SERIES, series)     /* a new series of the elements */                                       \
    X(FORMAT, format)     /* a format string with at least one placeholder */

enum arc_expr_kind {
#define ARC_EXPR_ENUM(KIND, member) ARC_EXPR_##KIND,
    ARC_EXPR_KINDS(ARC_EXPR_ENUM)
#undef ARC_EXPR_ENUM
};

/* X(NAME, text). Arithmetic gives the operands' prim, comparisons give u8. With a series on one
 * side or both, the operator works per element and the result is a series. On str: ADD, EQ and NE.
 */
#define ARC_OPS(X)                                                                                 \
    X(ADD, "+")                                                                                    \
    X(SUB, "-")                                                                                    \
    X(MUL, "*")                                                                                    \
    X(DIV, "/")                                                                                    \
    X(MOD, "%")                                                                                    \
    X(POW, "^")                                                                                    \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(LT, "<")                                                                                     \
    X(LE, "<=")                                                                                    \
    X(GT, ">")                                                                                     \
    X(GE, ">=")

enum arc_op {
#define ARC_OP_ENUM(NAME, text) ARC_BIN_##NAME,
    ARC_OPS(ARC_OP_ENUM)
#undef ARC_OP_ENUM
        ARC_BIN_COUNT
};

static inline bool arc_op_is_comparison(enum arc_op op)
{
    return op >= ARC_BIN_EQ;
}

const char *arc_op_text(enum arc_op op);

enum { ARC_FMT_MAX = 1000 }; /* largest width and precision of a placeholder */

/* How a placeholder shows its value. verb 0: the form of str(). */
struct arc_fmt_spec {
    char verb;         /* d b o O x X c f e E g G s q, or 0 */
    bool alt;          /* '#' */
    bool plus;         /* '+' */
    bool space;        /* ' ' */
    bool left;         /* '-' */
    bool zero;         /* '0' */
    int16_t width;     /* 0: none */
    int16_t precision; /* -1: none */
};

/* Text, then the placeholder's expression: NULL in the last part when the text ends the string. */
struct arc_fmt_part {
    const char *text;
    size_t text_len;
    struct arc_expr *expr; /* number or str scalar */
    struct arc_fmt_spec spec;
    struct arc_span spec_span;
};

/* A number literal before it has its type. */
struct arc_number {
    bool is_float; /* written with a point */
    bool is_negative;
    uint64_t magnitude;          /* is_float false: at most 2^63 */
    double real;                 /* the value as a double, sign included */
    const struct arc_unit *unit; /* NULL: none written */
};

struct arc_expr {
    enum arc_expr_kind kind;
    uint16_t depth; /* of the tree below, at most ARC_DEPTH_TREE */
    bool is_parenthesized;
    bool is_constant; /* LITERAL: stands for a constant of the program */
    bool is_signed;   /* a number with a minus of its own */
    bool is_untyped;  /* LITERAL while checking: `raw` counts, not `value` */
    struct arc_span span;
    struct arc_type type;
    union {
        struct arc_ident *name;
        struct {
            struct arc_ident *module;
            struct arc_ident *name;
        } member;
        struct {
            struct arc_value value;
            struct arc_number raw;
        } literal;
        struct arc_var *var;
        struct arc_chan_ref chan;
        struct {
            struct arc_expr *operand;
        } unary;
        struct {
            enum arc_op op;
            struct arc_span op_span;
            struct arc_expr *left;
            struct arc_expr *right;
        } binary;
        struct {
            struct arc_expr *callee; /* parsed */
            struct arc_func *func;
            struct arc_expr *
                *args; /* as many as func->n_inputs; a chan parameter has ARC_EXPR_CHAN */
            size_t n_args;
        } call;
        struct {
            const struct arc_lib_member *member;
            struct arc_expr **args;
            size_t n_args;
        } lib_call;
        struct {
            struct arc_expr *base;
            struct arc_expr *index; /* any integer type */
        } index;
        struct {
            struct arc_expr *base;
            struct arc_expr *from; /* any integer type; NULL: 0 */
            struct arc_expr *to;   /* NULL: the length */
        } slice;
        struct {
            struct arc_expr **elems;
            size_t n_elems;
        } series;
        struct {
            struct arc_fmt_part *parts;
            size_t n_parts;
        } format;
    } u;
};

/* A cast between equal prims (of a value with another unit, say) is left in and does nothing. A
 * value from a literal is never cast: the literal already has the type. */

/* ---- Statements --------------------------------------------------------------------------- */

/* X(KIND, member) */
#define ARC_STMT_KINDS(X)                                                                          \
    X(DECL, decl)     /* LOCAL: evaluate and store. STATE: only the first time since a reset */    \
    X(ASSIGN, assign) /* store into a variable; an OUTPUT is also marked as produced */            \
    X(WRITE, write)   /* queue one sample on a channel */                                          \
    X(SET_ELEM, set_elem) /* series[index] = value, or op= when has_op */                          \
    X(IF, cond)                                                                                    \
    X(FOR_RANGE, range)                                                                            \
    X(FOR_EACH, each)                                                                              \
    X(FOR_WHILE, loop) /* cond NULL: until break or return */                                      \
    X(BREAK, none)                                                                                 \
    X(CONTINUE, none)                                                                              \
    X(RETURN, ret)                                                                                 \
    X(EXPR, expr)    /* evaluate and drop */                                                       \
    X(NOTHING, none) /* the declaration of an alias: no code */

enum arc_stmt_kind {
#define ARC_STMT_ENUM(KIND, member) ARC_STMT_##KIND,
    ARC_STMT_KINDS(ARC_STMT_ENUM)
#undef ARC_STMT_ENUM
};

struct arc_block {
    struct arc_stmt **stmts;
    size_t n_stmts;
    struct arc_span span; /* with the braces */
};

/* A condition is a number: it holds when the value is not 0 (a NaN holds). */
struct arc_if_arm {
    struct arc_expr *cond;
    struct arc_block *block;
};

struct arc_stmt {
    enum arc_stmt_kind kind;
    struct arc_span span;
    union {
        struct {
            struct arc_var *var;
            struct arc_expr *value;
            struct arc_type declared; /* parsed: ARC_SHAPE_NONE when no type was written */
        } decl;
        struct {
            struct arc_expr *target; /* parsed: a NAME or an INDEX or SLICE of one */
            bool has_op;             /* parsed: compound, with `op` */
            enum arc_op op;
            struct arc_span op_span;
            struct arc_var *var;
            struct arc_expr *value; /* of the variable's type */
        } assign;
        struct {
            struct arc_chan_ref chan;
            struct arc_expr *value; /* of the channel's type */
        } write;
        struct {
            struct arc_var *var;    /* of a series type */
            struct arc_expr *index; /* evaluated before `value`, once */
            struct arc_expr *value; /* of the element's type */
            bool has_op;            /* element = element op value */
            enum arc_op op;
        } set_elem;
        struct {
            struct arc_if_arm *arms; /* if, else if, ... */
            size_t n_arms;
            struct arc_block *otherwise; /* NULL: no else */
        } cond;
        struct {
            struct arc_var *var;    /* an integer; all three bounds have its prim */
            struct arc_expr *start; /* NULL: 0 */
            struct arc_expr *end;
            struct arc_expr *step; /* NULL: 1 */
            struct arc_block *body;
        } range;
        struct {
            struct arc_var *index;   /* i32; NULL: not wanted */
            struct arc_var *value;   /* an element */
            struct arc_expr *series; /* parsed: also the range(...) call */
            struct arc_block *body;
        } each;
        struct {
            struct arc_expr *cond; /* NULL: none */
            struct arc_block *body;
        } loop;
        struct {
            struct arc_expr *value; /* NULL: none */
            struct arc_var
                *output; /* set this named output to `value`, mark it, then return; or NULL */
        } ret;
        struct arc_expr *expr;
    } u;
};

/* ---- Flows as parsed ---------------------------------------------------------------------- */

enum arc_elem_kind {
    ARC_ELEM_EXPR, /* a name, literal or any expression */
    ARC_ELEM_INVOKE,
    ARC_ELEM_NEXT,
    ARC_ELEM_SCOPE, /* inline body */
    ARC_ELEM_TABLE,
};

struct arc_config_arg {
    struct arc_ident *name; /* NULL: positional */
    struct arc_span name_span;
    struct arc_expr *value;
};

/* One line of a routing table: key: a -> b -> c [: param]. */
struct arc_entry {
    struct arc_ident *key;
    struct arc_span key_span;
    struct arc_elem *elems;
    size_t n_elems;
    struct arc_ident *param; /* NULL: none */
    struct arc_span param_span;
};

struct arc_elem {
    enum arc_elem_kind kind;
    struct arc_span span;
    struct arc_expr *expr; /* EXPR; INVOKE: a NAME or MEMBER */
    struct arc_config_arg *args;
    size_t n_args;
    struct arc_scope *scope;
    struct arc_entry *entries;
    size_t n_entries;
};

/* ---- Flows as checked --------------------------------------------------------------------- */

enum arc_node_kind {
    ARC_NODE_SOURCE, /* samples of `channel`; with an incoming edge: runs when triggered */
    ARC_NODE_SINK,   /* writes input 0 to `channel`; output 0 is a u8 1 after each write */
    ARC_NODE_CONST,  /* `value`, once per activation */
    ARC_NODE_EXPR,   /* the value of `expr`; no inputs but a trigger */
    ARC_NODE_FUNC,   /* an instance of `func` */
    ARC_NODE_LIB,    /* an instance of a library member */
};

/* The value of one config parameter. */
struct arc_config {
    struct arc_value value;      /* not for a chan parameter */
    struct arc_channel *channel; /* chan parameter; NULL: the optional channel was left out */
};

enum { ARC_TRIGGER = -1 }; /* as an input: the edge only makes the node run */

struct arc_node {
    enum arc_node_kind kind;
    uint32_t index; /* in flow->nodes */
    struct arc_span span;
    struct arc_channel *channel;
    struct arc_value value;
    struct arc_expr *expr;
    struct arc_func *func;
    const struct arc_lib_member *lib;
    struct arc_config *config; /* one per config parameter of func or lib, defaults filled in */
    size_t n_config;
    struct arc_type *inputs; /* the types, with the type variable of a library member bound */
    size_t n_inputs;
    struct arc_type *outputs;
    size_t n_outputs;
    /* EXPR at the head of a flow without edges: fires once per activation, not in each cycle (a
     * format string that reads no channel). */
    bool is_once;
    struct arc_node *untyped_source; /* the checker's own */
    bool *is_connected; /* per input: some edge feeds it. Others take the parameter's default (a
                         * library input: 0). */
    bool has_edge;      /* some edge enters, feeding or only triggering */
};

struct arc_edge {
    uint32_t src; /* node index */
    uint32_t src_output;
    uint32_t dst;
    int32_t dst_input;   /* input index or ARC_TRIGGER */
    bool is_conditional; /* => */
};

enum arc_target_kind {
    ARC_TARGET_ITEM, /* item `item` of `owner`, a sequence around the flow (also for next) */
    ARC_TARGET_TOP,  /* the top-level scope `scope`: activate it, deactivate `owner` (NULL: nothing)
                      */
    ARC_TARGET_MEMBER, /* the named sequence `scope`, a member of a stage around the flow: activate
                          it */
};

/* Source output -> transition. The owner's list is in the order of `span.start`. */
struct arc_transition {
    uint32_t src;
    uint32_t src_output;
    bool is_conditional;
    enum arc_target_kind kind;
    /* ITEM: the sequence that owns the transition. TOP: the scope that is left, the outermost one
     * around the flow: a top-level sequence or stage, or an inline body of a root flow. NULL for a
     * root flow. */
    struct arc_scope *owner;
    uint32_t item;
    struct arc_scope *scope; /* TOP, MEMBER, and ITEM when the item is a stage or sequence */
    struct arc_span span;    /* of the target's name */
};

/* Source output -> inline body. */
struct arc_start {
    uint32_t src;
    uint32_t src_output;
    bool is_conditional;
    struct arc_scope *scope;
};

/* What completes the flow as an item of a sequence. */
enum arc_completion {
    ARC_DONE_NEVER,  /* a transition, an output table or an inline body ends the flow */
    ARC_DONE_OUTPUT, /* output 0 of node `done_node` has fired truthy (a sink: has written) */
    ARC_DONE_RUN,    /* node `done_node` has no output: it has run once */
};

/* A flow, or a single (one node without edge). Nodes are in source order, the implicit sources of a
 * head expression just before it; an edge always leads to a later node. */
struct arc_flow {
    struct arc_span span;
    struct arc_elem *elems; /* parsed */
    size_t n_elems;
    bool *is_conditional; /* parsed: the operator behind element i */
    bool is_single;
    bool is_broken; /* had a syntax error: not checked */

    struct arc_node **nodes;
    size_t n_nodes;
    struct arc_edge *edges;
    size_t n_edges;
    struct arc_transition *transitions; /* in source order */
    size_t n_transitions;
    struct arc_start *starts;
    size_t n_starts;
    enum arc_completion completion;
    uint32_t done_node;
};

/* ---- Sequences and stages ----------------------------------------------------------------- */

enum arc_scope_kind { ARC_SCOPE_ROOT, ARC_SCOPE_SEQUENCE, ARC_SCOPE_STAGE };

struct arc_item {
    struct arc_flow *flow;   /* a flow or a single; or */
    struct arc_scope *scope; /* a stage or sequence */
};

struct arc_scope {
    enum arc_scope_kind kind;
    uint32_t index; /* dense, in program->scopes; the root is 0, outer before inner */
    struct arc_ident *ident;
    const char *name; /* NULL: anonymous */
    struct arc_span span;
    struct arc_span name_span;
    bool is_inline;           /* the last element of a flow or of a table entry */
    struct arc_scope *parent; /* NULL: root. An inline body: the scope that holds the flow */
    uint32_t item_in_parent;  /* its place among the parent's items (inline: that of the flow) */
    struct arc_item *items;   /* in source order */
    size_t n_items;
};

/* ---- The program -------------------------------------------------------------------------- */

struct arc_import {
    struct arc_ident **path; /* parsed */
    size_t n_path;
    struct arc_span path_span;
    struct arc_ident *alias;
    struct arc_span alias_span;
    const char *module; /* NULL: unknown */
    bool is_used;
};

struct arc_authority {
    struct arc_ident *channel; /* NULL: the default */
    struct arc_span span;
    struct arc_span value_span;
    bool is_valid; /* a whole number 0 to 255 was written */
    uint8_t value;
};

struct arc_const {
    struct arc_ident *ident;
    struct arc_span span;
    struct arc_span name_span;
    struct arc_type declared;
    struct arc_expr *expr;  /* parsed */
    struct arc_value value; /* exact type and unit */
    bool is_broken;
};

struct arc_program {
    struct base_arena *arena;
    const struct arc_source *source;
    struct arc_func **funcs;
    size_t n_funcs;
    struct arc_const **consts;
    size_t n_consts;
    struct arc_scope
        *root; /* items: root flows, and top-level sequences and stages, in source order */
    struct arc_scope **scopes;
    size_t n_scopes;
    struct arc_channel **channels; /* every channel that is named anywhere in the program */
    size_t n_channels;
    int16_t default_authority; /* -1: none declared */
    struct arc_import *imports;
    size_t n_imports;
    struct arc_authority *authorities;
    size_t n_authorities;
    struct arc_expr **members; /* parsed: every qualified name */
    size_t n_members;
    bool has_syntax_errors; /* parsed */
    bool may_lack_names; /* parsed: something unreadable may have declared program names or members
                          */
};

#endif
