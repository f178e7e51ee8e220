/* arc/gen_priv.h - the code generator: from the checked tree to a program image.
 *
 * arc_compile() runs the parts in this order:
 *     gen_data.c   interned strings, constants, series and formats
 *     gen_func.c   call graph, function records, state, one body after the other
 *       gen_code.c   emits instructions into one body: registers, labels, constants
 *       gen_expr.c, gen_cond.c, gen_object.c, gen_fold.c, gen_stmt.c   what they compute
 *       gen_batch.c  the straight-line form of a body
 *     gen_flow.c   scopes and edges of all flows, gen_node.c their nodes
 *     gen_bound.c  stack bounds and the places of state
 *     gen_graph.c  strata, running order, and the lists that a host follows
 * What grows while it is made lies in `scratch`; gen.c copies it to the image at its exact size.
 * One thread; the tree is only read.
 */
#ifndef ARC_GEN_PRIV_H
#define ARC_GEN_PRIV_H

#include "arc/compile.h"
#include "arc/image.h"
#include "arc/list.h"

/* A hash table from bytes to an index, open addressing. */
struct arc_gen_map {
    struct arc_gen_slot *slots;
    uint32_t n_slots; /* a power of two, or 0 */
    uint32_t n_used;
};

struct arc_gen {
    const struct arc_program *program;
    const struct arc_chan_table *table;
    struct arc_diags *diags;
    struct base_arena *scratch;
    struct arc_image *image; /* its arrays lie in scratch until arc_gen_seal() */

    struct arc_gen_map string_map;
    struct arc_gen_map const_map;
    struct arc_gen_map format_map;

    uint32_t *func_ids; /* image function of program->funcs[i]; ARC_NONE: nothing runs it */
    struct arc_gen_func_info *func_info; /* by image function */
    uint32_t n_func_info;
    uint32_t n_stateful; /* state ids given out */

    /* The graph while it grows: objects in the order in which they were met. */
    uint32_t *scope_ids; /* image scope that a transition to program->scopes[i] starts */
    uint32_t *node_pos;  /* place in the text, by image node */
    uint32_t n_node_pos;
    uint32_t *scope_pos;
    uint32_t n_scope_pos;
    uint32_t *edge_outputs; /* source of image->edges[i], until they are sorted */
    uint32_t n_edge_outputs;
    struct arc_gen_jump *jumps;
    uint32_t n_jumps;

    bool failed; /* a limit was passed and reported */
};

/* A transition or activation of the text, resolved when all scopes are known. */
struct arc_gen_jump {
    struct arc_image_transition transition; /* owner and target not yet set, but for completions */
    const struct arc_transition *text;      /* NULL: a completion */
    uint32_t pos;
};

/* What is known about a function besides its image record. */
struct arc_gen_func_info {
    const struct arc_func *func; /* NULL: the expression of a node */
    const struct arc_expr *expr;
    struct arc_span span;
    bool *state_flagged; /* by state variable: its initialiser is no constant */
    uint32_t size;       /* instructions of the batch body, a measure for inlining */
};

/* ---- gen_data.c */

uint32_t arc_gen_string(struct arc_gen *gen, const char *text, size_t len);
uint32_t arc_gen_const(struct arc_gen *gen, enum telem_type type, union arc_reg value);
uint32_t arc_gen_format(struct arc_gen *gen, const struct arc_fmt_spec *spec);
uint32_t arc_gen_series(struct arc_gen *gen, enum telem_type type, const union arc_reg *values,
                        uint32_t n);
const char *arc_gen_name(struct arc_gen *gen, const char *name); /* a copy that the image owns */
union arc_reg arc_gen_number(const struct arc_value *value);
uint8_t arc_gen_vt(struct arc_type type); /* ARC_VT_NONE for no value */

/* The value of a constant or default as the image holds it. */
struct arc_image_value arc_gen_value(struct arc_gen *gen, const struct arc_value *value);

/* Reports a passed limit; the program is refused. */
void arc_gen_limit(struct arc_gen *gen, struct arc_span span, const char *fmt, ...)
    ARCD_PRINTF(3, 4);

/* ---- gen_fold.c */

/* The value of an expression that is known now. False also where evaluating it would fault. */
bool arc_fold(const struct arc_expr *expr, union arc_reg *value);

/* ---- gen_code.c: one body */

enum {
    ARC_GEN_K = 0x8000,  /* registers from here on are the body's constants until it is sealed */
    ARC_GEN_MAX_K = 200, /* further constants are loaded where they are used */
    ARC_GEN_INLINE_DEPTH = 8,
    ARC_GEN_INLINE_SIZE = 24, /* instructions of a function that is inlined into a sample body */
    ARC_GEN_MAX_BATCH = 400,  /* instructions */
};

/* A place to jump to. Its jumps form a list through their own operands until it is placed. */
struct arc_gen_label {
    uint32_t first;  /* index + 1 of the newest unresolved jump; 0: none */
    uint32_t target; /* ARC_NONE: not placed */
};

#define ARC_GEN_LABEL ((struct arc_gen_label){.first = 0, .target = ARC_NONE})

struct arc_gen_loop {
    struct arc_gen_loop *outer;
    struct arc_gen_label *on_break;
    struct arc_gen_label *on_continue;
};

/* Return of a batch body that goes before all later ones: rows with a true `cond` give `value`. */
struct arc_gen_early {
    uint16_t cond;
    uint16_t value;
};

/* The function whose statements are being generated: the body's own, or one inlined into it. */
struct arc_gen_frame {
    struct arc_gen_frame *outer;
    const struct arc_func *func; /* NULL: an expression */
    uint16_t *var_regs;          /* by variable; ARC_NO_REG: none yet */
    uint16_t *flag_regs;         /* by named output */
    uint32_t depth;
    struct arc_gen_label *on_return; /* inlined in a sample body */
    uint16_t result;                 /* register of the returned value; ARC_NO_REG: none yet */
    /* Batch body. */
    struct arc_gen_early *earlies;
    uint32_t n_earlies;
    bool *is_always; /* by named output: set for every row */
};

struct arc_gen_body {
    struct arc_gen *gen;
    struct arc_image_func *func; /* only valid while no function is added */
    struct arc_span span;
    struct arc_gen_frame *frame;
    struct arc_gen_loop *loop;
    struct arc_insn *code;
    uint32_t n_code;
    uint32_t *lines;
    uint32_t n_lines;
    uint32_t line;    /* of the instructions that are emitted now */
    uint16_t n_fixed; /* arguments and state registers, below the constants */
    uint16_t top;     /* first free register */
    uint16_t max_top;
    uint32_t last_target; /* highest place of a label */
    uint16_t locals;      /* registers from here on are temporaries of the current statement */
    union arc_reg *consts;
    uint32_t n_consts;
    uint8_t *const_types;
    uint32_t n_const_types;
    uint8_t state_mode;
    bool is_batch;
    bool refused; /* batch: has no straight-line form; sample: too large */
};

uint16_t arc_gen_temp(struct arc_gen_body *b);
uint32_t arc_gen_emit(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint16_t x,
                      uint16_t c);
uint32_t arc_gen_emit_imm(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint32_t imm);

/* A register that holds a constant: one of the body's constants, or a loaded temporary. */
uint16_t arc_gen_k(struct arc_gen_body *b, enum telem_type type, union arc_reg value);
uint16_t arc_gen_k_int(struct arc_gen_body *b, enum telem_type type, int64_t value);
bool arc_gen_is_k(uint16_t reg);

/* a = the constant, in a register of its own. */
void arc_gen_load_k(struct arc_gen_body *b, uint16_t a, enum telem_type type, union arc_reg value);
void arc_gen_move(struct arc_gen_body *b, uint8_t vt, uint16_t to, uint16_t from);
void arc_gen_zero(struct arc_gen_body *b, uint8_t vt, uint16_t reg);

void arc_gen_jump(struct arc_gen_body *b, enum arc_opcode op, uint16_t a, uint16_t x,
                  struct arc_gen_label *label);
void arc_gen_place(struct arc_gen_body *b, struct arc_gen_label *label);

/* Copies the finished body to the image. */
void arc_gen_seal_body(struct arc_gen_body *b, struct arc_image_body *out);

/* ---- Helpers of all that emits values */

/* The family member for a number type: families are in the order of types. */
static inline enum arc_opcode arc_gen_typed(enum arc_opcode first, enum telem_type type)
{
    return (enum arc_opcode)((unsigned)first + (unsigned)type);
}

static inline uint16_t arc_gen_dest(struct arc_gen_body *b, uint16_t want)
{
    return want != ARC_NO_REG ? want : arc_gen_temp(b);
}

/* Is it a temporary of the statement that is being generated? */
static inline bool arc_gen_is_temp(const struct arc_gen_body *b, uint16_t reg)
{
    return reg != ARC_NO_REG && reg < ARC_GEN_K && reg >= b->locals;
}

/* For results that take several instructions: not a variable, whose old value may still be read. */
static inline uint16_t arc_gen_dest_temp(struct arc_gen_body *b, uint16_t want)
{
    return arc_gen_is_temp(b, want) ? want : arc_gen_temp(b);
}

/* The value in `want`, if that is a register. */
static inline uint16_t arc_gen_deliver(struct arc_gen_body *b, uint8_t vt, uint16_t reg,
                                       uint16_t want)
{
    if (want == ARC_NO_REG)
        return reg;
    arc_gen_move(b, vt, want, reg);
    return want;
}

/* ---- gen_expr.c */

/* The register that holds the value: `want` (then b->top is as before), or any one if that is
 * ARC_NO_REG (then at most one temporary more is taken, the one that holds it). An answer that is
 * neither temporary nor `want` belongs to a variable or a constant and is not to be written. */
uint16_t arc_gen_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);

/* As above for an expression without value. */
void arc_gen_effect(struct arc_gen_body *b, const struct arc_expr *expr);

/* ---- gen_cond.c */

/* Jumps to the label if the truth of the condition is `sense`; else goes on. */
void arc_gen_cond(struct arc_gen_body *b, const struct arc_expr *expr, bool sense,
                  struct arc_gen_label *label);

/* dst = left op right; `left` and `right` are registers of these types. */
void arc_gen_binary(struct arc_gen_body *b, enum arc_op op, uint8_t left_vt, uint16_t left,
                    uint8_t right_vt, uint16_t right, uint16_t dst);

/* ---- gen_object.c: results as of arc_gen_expr() */

/* An index or bound of any integer type, as i64. */
uint16_t arc_gen_index(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);

uint16_t arc_gen_index_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);
uint16_t arc_gen_slice(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);
uint16_t arc_gen_series_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);
uint16_t arc_gen_format_expr(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t want);
uint16_t arc_gen_len(struct arc_gen_body *b, const struct arc_expr *arg, uint16_t want);
void arc_gen_str(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t dst);

/* ---- gen_stmt.c */

void arc_gen_block(struct arc_gen_body *b, const struct arc_block *block);

/* May control reach the end of the block? */
bool arc_gen_falls(const struct arc_block *block);
uint16_t arc_gen_inline(struct arc_gen_body *b, const struct arc_expr *call, uint16_t want);

/* ---- gen_batch.c */

uint16_t arc_gen_batch_call(struct arc_gen_body *b, const struct arc_expr *call, uint16_t want);
void arc_gen_batch_body(struct arc_gen *gen, uint32_t id);

/* ---- gen_scc.c */

/* A directed graph over 0..n-1: the targets of i are targets[first[i]] .. targets[first[i + 1] -
 * 1]. */
struct arc_gen_digraph {
    uint32_t n;
    const uint32_t *first; /* n + 1 */
    const uint32_t *targets;
};

/* Groups of vertices that reach each other. group[i] is the group of i; groups are numbered so that
 * a group comes after all groups that it reaches. order[] lists the vertices by group. Returns the
 * number of groups. */
uint32_t arc_gen_scc(struct base_arena *scratch, const struct arc_gen_digraph *graph,
                     uint32_t *group, uint32_t *order);

/* ---- gen_func.c */

void arc_gen_funcs(struct arc_gen *gen);
uint32_t arc_gen_expr_func(struct arc_gen *gen, const struct arc_expr *expr);

/* The frame of a function at the start of a body: arguments in registers 0.., the rest unset. */
void arc_gen_frame_init(struct arc_gen_body *b, struct arc_gen_frame *frame,
                        const struct arc_func *func);

/* ---- gen_bound.c: once all bodies and nodes are there */

void arc_gen_bounds(struct arc_gen *gen);

/* ---- gen_node.c, gen_flow.c, gen_graph.c */

/* Adds the node, with `pos` as its place in the text, and returns its index. */
uint32_t arc_gen_node(struct arc_gen *gen, const struct arc_node *node, uint32_t scope,
                      uint32_t pos);

void arc_gen_flows(struct arc_gen *gen);
void arc_gen_graph(struct arc_gen *gen);

/* ---- gen_strata.c */

/* Fills image->members, and stratum and member of all nodes and scopes. */
void arc_gen_members(struct arc_gen *gen);

#endif
