/* arc/check_priv.h - what the files of the checker share.
 *
 * check.c           the order of things, and arc_check()
 * check_names.c     name tables, channels, imports, "undefined symbol"
 * check_decl.c      authority, constants, signatures of functions
 * check_value.c     number literals: from what was written to a value of a type
 * check_type.c      what may be assigned to what
 * check_expr.c      expressions; check_op.c operators; check_call.c calls and casts
 * check_stmt.c      function bodies
 * check_paths.c     paths through functions: missing returns, endless recursion
 * check_reach.c     who calls whom, who reads and writes which channel
 * check_scope.c     sequences, stages, transitions
 * check_flow.c      flows: nodes and edges; check_table.c routing tables; check_config.c
 * configuration
 *
 * An error is reported where it is found; the expression or variable then has the type
 * ARC_SHAPE_ERROR, which fits everything, so that one mistake is one error.
 */
#ifndef ARC_CHECK_PRIV_H
#define ARC_CHECK_PRIV_H

#include "arc/compile.h"
#include "arc/lexer.h"
#include "arc/list.h"

enum arc_symbol_kind { ARC_SYM_IMPORT, ARC_SYM_CONST, ARC_SYM_FUNC, ARC_SYM_SCOPE };

/* A name of the program level. */
struct arc_symbol {
    enum arc_symbol_kind kind;
    struct arc_span span;
    union {
        struct arc_import *import;
        struct arc_const *constant;
        struct arc_func *func;
        struct arc_scope *scope;
    } u;
};

/* A named item of a sequence or stage around the flow being checked. */
struct arc_member {
    struct arc_scope *scope;
    struct arc_scope *owner;
    uint32_t item;
    struct arc_member *outer; /* what the name meant outside */
};

struct call_site {
    struct arc_func *caller;
    struct arc_expr *call;
};

struct chan_slot {
    const struct arc_chan_info *info;
    uint32_t hash;
};

struct checker {
    struct arc_program *program;
    struct base_arena *arena;
    struct arc_diags *diags;
    struct arc_idents *idents;
    const struct arc_chan_table *table;
    struct chan_slot *slots; /* open addressing */
    size_t n_slots;

    struct arc_func *func;    /* being checked; NULL in flows */
    struct arc_var **visible; /* its names that can be seen now, inner ones last */
    size_t n_visible;
    size_t loop_depth;

    struct call_site *calls; /* of all functions */
    size_t n_calls;

    struct arc_scope *scope; /* around the flow being checked */
    uint32_t *seen;          /* per channel: the stamp when it was last seen */
    size_t n_seen;
    uint32_t stamp;
};

/* ---- Reporting ---------------------------------------------------------------------------- */

#define check_error(c, code, span, ...)                                                            \
    arc_diag_add((c)->diags, ARC_ERROR, (code), (span), __VA_ARGS__)
#define check_warning(c, code, span, ...)                                                          \
    arc_diag_add((c)->diags, ARC_WARNING, (code), (span), __VA_ARGS__)
#define check_hint(c, diag, ...) arc_diag_hint((c)->diags, (diag), __VA_ARGS__)
#define check_note(c, diag, ...) arc_diag_note((c)->diags, (diag), __VA_ARGS__)

static inline const char *check_type_text(struct checker *c, struct arc_type type)
{
    return arc_type_name(c->arena, type);
}

/* The source text of a span, fit for a message. */
const char *check_source_text(struct checker *c, struct arc_span span);

static inline struct arc_type check_error_type(void)
{
    return (struct arc_type){.shape = ARC_SHAPE_ERROR};
}

static inline bool check_is_error(struct arc_type type)
{
    return type.shape == ARC_SHAPE_ERROR;
}

/* ---- Names -------------------------------------------------------------------------------- */

void check_names_init(struct checker *c);
void check_declare_program(struct checker *c);
void check_unused_imports(struct checker *c);

/* An import whose name is misused is not blamed for being unused as well. */
void check_excuse_import(const struct arc_symbol *symbol);

/* NULL when the table has no such channel. */
struct arc_channel *check_channel(struct checker *c, struct arc_ident *ident);

/* ARC4001 with near names, once per name. */
void check_undefined(struct checker *c, struct arc_ident *ident, struct arc_span span);

/* ARC4002 against a place where the name was declared before. */
void check_conflict(struct checker *c, const char *name, struct arc_span span,
                    struct arc_span earlier);

/* Reports a conflict and returns false when the name means something of the program already. */
bool check_declare_local(struct checker *c, struct arc_var *var);

/* Takes back the names declared since there were `n_visible`. */
void check_leave_block(struct checker *c, size_t n_visible);

/* NULL after reporting. */
const struct arc_lib_member *check_lib_member(struct checker *c, const struct arc_expr *member);

/* A bare library name, with the warning when it is deprecated. NULL: no such name. */
const struct arc_lib_member *check_lib_bare(struct checker *c, const struct arc_ident *ident,
                                            struct arc_span span);
const char *check_lib_name(struct checker *c, const struct arc_lib_member *member);

/* Reports when the channel is read-only. */
bool check_writable(struct checker *c, const struct arc_channel *channel, struct arc_span span);

/* ---- Declarations ------------------------------------------------------------------------- */

void check_authorities(struct checker *c);
void check_constants(struct checker *c);
void check_signatures(struct checker *c);

/* ---- Values and types --------------------------------------------------------------------- */

static inline bool check_is_untyped(const struct arc_expr *expr)
{
    return expr->type.shape == ARC_SHAPE_LITERAL ||
           (expr->kind == ARC_EXPR_SERIES && expr->is_untyped);
}

/* The type a number literal gets when nothing decides: i64 or f64, with the base unit of its
 * dimension. */
struct arc_type check_literal_default(const struct arc_number *raw);

/* Gives an untyped literal the prim and unit of `type` (a scalar number). Reports and makes it an
 * error when the value does not fit. */
void check_literal(struct checker *c, struct arc_expr *literal, struct arc_type type);

/* What a value is wanted for, in messages: "cannot assign f64 to 'x' (type i32)". */
struct check_want {
    struct arc_type type;
    const char *what;   /* "assign", "return", "pass", ... */
    const char *target; /* "'x'" */
    enum arc_code code;
    bool is_edge; /* units must have the same name as well */
};

/* Makes `expr` fit the wanted type: untyped parts get it; otherwise reports what does not fit.
 * False after an error. A zero-argument note is left to the caller: the diagnostic is returned
 * through `diag` (may be NULL). */
bool check_fits(struct checker *c, struct arc_expr *expr, const struct check_want *want,
                struct arc_diag **diag);

/* Kinds and units alone, for what has no expression. */
bool check_type_fits(struct checker *c, struct arc_type type, const struct check_want *want,
                     struct arc_span span, struct arc_diag **diag);

/* Gives an untyped expression the prim (and for sums the unit) of `type`. */
void check_settle(struct checker *c, struct arc_expr *expr, struct arc_type type);

/* Gives an untyped expression its default type. */
void check_settle_default(struct checker *c, struct arc_expr *expr);

/* "f64(value) converts", when a cast helps. */
void check_cast_hint(struct checker *c, struct arc_diag *diag, struct arc_type from,
                     struct arc_type to);

/* ---- Expressions -------------------------------------------------------------------------- */

/* Finds the type; number literals may stay untyped. A call without result gives ARC_SHAPE_NONE. */
void check_expr(struct checker *c, struct arc_expr *expr);

/* As check_expr(), but the expression must have a value. */
void check_value(struct checker *c, struct arc_expr *expr);

/* check_value(), and what is untyped gets its default. */
void check_typed_value(struct checker *c, struct arc_expr *expr);

/* if and for conditions. */
void check_condition(struct checker *c, struct arc_expr *expr);

/* A name that stands for a channel: a channel, a chan parameter or an alias. Leaves the expression
 * alone. */
bool check_is_channel_name(struct checker *c, const struct arc_expr *expr, struct arc_chan_ref *ref,
                           struct arc_type *type);

void check_unary(struct checker *c, struct arc_expr *expr);
void check_binary(struct checker *c, struct arc_expr *expr);
void check_logical(struct checker *c, struct arc_expr *expr);
void check_call(struct checker *c, struct arc_expr *expr);
void check_cast(struct checker *c, struct arc_expr *expr);

/* The expression is a call of the library's range. */
bool check_is_range(struct checker *c, const struct arc_expr *expr);

/* Does nothing to a NULL. */
void check_note_read(struct checker *c, struct arc_chan_ref ref);
void check_note_write(struct checker *c, struct arc_chan_ref ref);

/* "status variant" literals. */
bool check_status_variant(struct checker *c, const struct arc_value *value, struct arc_span span);

/* ---- Functions ---------------------------------------------------------------------------- */

void check_function(struct checker *c, struct arc_func *func); /* nothing for a broken one */
void check_function_body(struct checker *c, struct arc_func *func);
void check_returns(struct checker *c, struct arc_func *func);
void check_recursion(struct checker *c);

/* Completes the channel sets of all functions from those of the functions they call. */
void check_close_channel_sets(struct checker *c);

/* Marks what the node runs, reads and writes. */
void check_mark_node(struct checker *c, const struct arc_node *node);

/* Calls fn for each channel that evaluating `expr` may read, each once, by the checker's stamp. */
void check_each_read(struct checker *c, const struct arc_expr *expr,
                     void (*fn)(void *ctx, struct arc_channel *channel), void *ctx);

/* The call sites of function f: c->calls[sites[i]] for i from first[f] up to first[f + 1]. */
struct call_index {
    uint32_t *first;
    uint32_t *sites;
};

struct call_index check_call_index(struct checker *c);

void check_chan_set_add(struct checker *c, struct arc_chan_set *set, uint32_t index);

/* ---- Flows -------------------------------------------------------------------------------- */

/* The flows, sequences and stages of the whole program. */
void check_scopes(struct checker *c);

/* The items of an inline body, at the place where it stands. */
void check_body(struct checker *c, struct arc_scope *scope);
void check_flow(struct checker *c, struct arc_flow *flow, uint32_t item);

/* An output that feeds what comes next. node NULL: broken, nothing more is reported about the
 * chain. */
struct port {
    struct arc_node *node;
    uint32_t output;
};

/* A flow in the making. */
struct flow_build {
    struct arc_flow *flow;
    uint32_t item; /* of the flow in c->scope */
    bool is_broken;
};

/* Where an element stands in its chain. */
struct place {
    bool is_first;
    bool is_last;
    bool is_conditional;         /* the operator before it */
    const struct arc_elem *next; /* NULL: none */
};

/* Adds the node of an element (no table) and its edge from `from`. A transition or an inline body
 * ends the chain: the port is broken behind it. */
struct port check_element_node(struct checker *c, struct flow_build *b, struct arc_elem *elem,
                               struct port from, struct place place);

/* check_node.c: nodes and the edges between them. */
struct arc_node *check_new_node(struct checker *c, struct flow_build *b, enum arc_node_kind kind,
                                struct arc_span span);
struct arc_node *check_source_node(struct checker *c, struct flow_build *b,
                                   struct arc_channel *channel, struct arc_span span);
struct arc_node *check_sink_node(struct checker *c, struct flow_build *b,
                                 struct arc_channel *channel, struct arc_span span);

/* An instance of a function or library member, not connected yet; NULL after an error. */
struct arc_node *check_invocation(struct checker *c, struct flow_build *b,
                                  const struct arc_elem *elem);
void check_config(struct checker *c, struct arc_node *node, const struct arc_elem *elem);

/* Adds the edge; input ARC_TRIGGER only triggers. Silent when `from` is broken. */
void check_connect(struct checker *c, struct flow_build *b, struct port from, struct arc_node *to,
                   int32_t input, bool is_conditional);

/* Reports when the node cannot feed anything by itself; the port is broken then. */
struct port check_only_output(struct checker *c, struct flow_build *b, struct arc_node *node);

/* False after reporting an input that is neither fed nor has a default. */
bool check_inputs(struct checker *c, struct flow_build *b, const struct arc_node *node,
                  bool by_table);

/* What the value of a conditional operator must be. */
void check_conditional(struct checker *c, struct flow_build *b, struct port from,
                       bool is_conditional, struct arc_span span);

/* Untyped literals that met no type get their default. */
void check_finish_types(struct checker *c, struct flow_build *b);

const char *check_node_name(struct checker *c, const struct arc_node *node);
int32_t check_find_input(const struct arc_node *node, const char *name);  /* -1: none */
int32_t check_find_output(const struct arc_node *node, const char *name); /* -1: none */
bool check_has_named_outputs(const struct arc_node *node);

/* check_table.c. { a: p, b: q } -> f{}: the node of f. */
struct arc_node *check_input_table(struct checker *c, struct flow_build *b,
                                   const struct arc_elem *table, const struct arc_elem *target,
                                   bool is_conditional);

/* f{} -> { out: ... } [-> h{}]: the node of h, or NULL when the table ends the flow. */
struct arc_node *check_output_table(struct checker *c, struct flow_build *b,
                                    const struct arc_elem *table, struct arc_node *source,
                                    bool is_conditional, const struct arc_elem *target,
                                    bool target_is_conditional);

/* check_target.c. True when the element is a transition or an inline body; then all is done. */
bool check_ending(struct checker *c, struct flow_build *b, const struct arc_elem *elem,
                  struct port from, struct place place);

#endif
