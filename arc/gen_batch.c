/* The straight-line form of a body: what a batch is run through instruction by instruction.
 *
 * A branch becomes a predicate, a u8 column that says which rows are in it. Assignments under a
 * predicate are conditional moves; `return` takes its rows out of the predicate of what follows.
 * What a row computes that is in no branch, or has returned, is never looked at: everything here is
 * pure and cannot fault. A body that has anything else in it is refused and has no such form.
 *
 *     if x > hi { return hi }        c0 = hi < x
 *     if x < lo { return lo }        c1 = x < lo
 *     return x                       r = x;  if c1: r = lo;  if c0: r = hi
 *
 * Returns of whole branches outside any predicate, as in the picture, are kept aside and put over
 * the result in reverse order: that takes no predicates at all. Calls are inlined.
 *
 * Registers are given out without end while the code is made; compact() then lets columns
 * that are no longer needed be used again. */
#include "arc/gen_priv.h"

/* Predicates: ALL rows, or NONE (control never gets here), or a register. */
enum { ALL = ARC_NO_REG, NONE = ARC_NO_REG - 1 };

static uint16_t block(struct arc_gen_body *b, const struct arc_block *blk, uint16_t pred);

static uint16_t emit_u8(struct arc_gen_body *b, enum arc_opcode op, uint16_t x, uint16_t y)
{
    uint16_t reg = arc_gen_temp(b);
    arc_gen_emit(b, op, reg, x, y);
    return reg;
}

static void move_under(struct arc_gen_body *b, uint16_t pred, enum telem_type type, uint16_t to,
                       uint16_t from)
{
    if (pred == ALL)
        arc_gen_move(b, (uint8_t)type, to, from);
    else
        arc_gen_emit(b, (enum arc_opcode)((unsigned)ARC_OP_CMOV_I8 + (unsigned)type), to, pred,
                     from);
}

/* In a register that no later assignment changes. */
static uint16_t own_value(struct arc_gen_body *b, const struct arc_expr *expr)
{
    uint16_t want = expr->kind == ARC_EXPR_VAR ? arc_gen_temp(b) : ARC_NO_REG;
    return arc_gen_expr(b, expr, want);
}

/* Non-zero where the condition holds. */
static uint16_t condition(struct arc_gen_body *b, const struct arc_expr *expr)
{
    if (expr->type.prim == TELEM_U8 && expr->kind != ARC_EXPR_VAR)
        return arc_gen_expr(b, expr, ARC_NO_REG);
    uint16_t value = arc_gen_expr(b, expr, ARC_NO_REG);
    enum arc_opcode op = (enum arc_opcode)((unsigned)ARC_OP_TRUE_I8 + (unsigned)expr->type.prim);
    return emit_u8(b, op, value, 0);
}

/* ---- Assignments -------------------------------------------------------------------------- */

static void assign(struct arc_gen_body *b, const struct arc_var *var, const struct arc_expr *expr,
                   uint16_t pred)
{
    struct arc_gen_frame *frame = b->frame;
    if (!arc_type_is_number(var->type) || frame->var_regs[var->index] == ARC_NO_REG) {
        b->refused = true;
        return;
    }
    uint16_t reg = frame->var_regs[var->index];
    if (pred == ALL)
        arc_gen_expr(b, expr, reg);
    else
        move_under(b, pred, var->type.prim, reg, arc_gen_expr(b, expr, ARC_NO_REG));
    if (var->kind != ARC_VAR_OUTPUT || frame->is_always[var->kind_index])
        return;
    if (pred == ALL)
        frame->is_always[var->kind_index] = true;
    else
        move_under(b, pred, TELEM_U8, frame->flag_regs[var->kind_index],
                   arc_gen_k_int(b, TELEM_U8, 1));
}

static void declare(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    const struct arc_var *var = stmt->u.decl.var;
    if (var->kind == ARC_VAR_STATE || !arc_type_is_number(var->type)) {
        b->refused = true;
        return;
    }
    uint16_t reg = arc_gen_temp(b);
    arc_gen_expr(b, stmt->u.decl.value, reg);
    b->frame->var_regs[var->index] = reg;
}

/* ---- Returns ------------------------------------------------------------------------------ */

static void return_value(struct arc_gen_body *b, const struct arc_expr *expr, uint16_t pred)
{
    struct arc_gen_frame *frame = b->frame;
    uint16_t value = arc_gen_expr(b, expr, ARC_NO_REG);
    if (frame->result == ARC_NO_REG && pred == ALL && frame->n_earlies == 0) {
        frame->result = value; /* nothing is put over it */
        return;
    }
    if (frame->result == ARC_NO_REG) { /* other rows get theirs later */
        frame->result = arc_gen_temp(b);
        pred = ALL;
    }
    move_under(b, pred, expr->type.prim, frame->result, value);
}

static void gen_return(struct arc_gen_body *b, const struct arc_stmt *stmt, uint16_t pred)
{
    const struct arc_expr *value = stmt->u.ret.value;
    if (value == NULL)
        return;
    if (stmt->u.ret.output != NULL)
        assign(b, stmt->u.ret.output, value, pred);
    else
        return_value(b, value, pred);
}

/* Returns that were kept aside go over the result, the first one last. */
static void apply_earlies(struct arc_gen_body *b, enum telem_type type)
{
    struct arc_gen_frame *frame = b->frame;
    for (uint32_t i = frame->n_earlies; i-- > 0;)
        move_under(b, frame->earlies[i].cond, type, frame->result, frame->earlies[i].value);
}

static bool is_early_block(const struct arc_block *blk)
{
    return blk->n_stmts == 1 && blk->stmts[0]->kind == ARC_STMT_RETURN &&
           blk->stmts[0]->u.ret.value != NULL && blk->stmts[0]->u.ret.output == NULL;
}

static bool is_early_if(const struct arc_stmt *stmt)
{
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++)
        if (!is_early_block(stmt->u.cond.arms[i].block))
            return false;
    return true;
}

static uint16_t early_if(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    struct arc_gen_frame *frame = b->frame;
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        const struct arc_if_arm *arm = &stmt->u.cond.arms[i];
        uint16_t cond = condition(b, arm->cond);
        uint16_t value = own_value(b, arm->block->stmts[0]->u.ret.value);
        *ARC_APPEND(b->gen->scratch, frame->earlies, frame->n_earlies) =
            (struct arc_gen_early){.cond = cond, .value = value};
    }
    return stmt->u.cond.otherwise == NULL ? ALL : block(b, stmt->u.cond.otherwise, ALL);
}

/* ---- Branches ----------------------------------------------------------------------------- */

/* Rows of `inner` (part of `pred`) and of the rest of it, after both branches have run. */
static uint16_t merge(struct arc_gen_body *b, uint16_t pred, uint16_t in, uint16_t in_after,
                      uint16_t out, uint16_t out_after)
{
    if (in == in_after && out == out_after)
        return pred;
    if (in_after == NONE)
        return out_after;
    if (out_after == NONE)
        return in_after;
    return emit_u8(b, ARC_OP_OR, in_after, out_after);
}

static uint16_t rest_of(struct arc_gen_body *b, uint16_t pred, uint16_t cond)
{
    return pred == ALL ? emit_u8(b, ARC_OP_NOT, cond, 0) : emit_u8(b, ARC_OP_ANDNOT, pred, cond);
}

static uint16_t branch(struct arc_gen_body *b, const struct arc_stmt *stmt, size_t arm,
                       uint16_t pred)
{
    if (arm == stmt->u.cond.n_arms)
        return stmt->u.cond.otherwise == NULL ? pred : block(b, stmt->u.cond.otherwise, pred);
    const struct arc_if_arm *the_arm = &stmt->u.cond.arms[arm];
    bool has_more = arm + 1 < stmt->u.cond.n_arms || stmt->u.cond.otherwise != NULL;
    uint16_t cond = condition(b, the_arm->cond);
    uint16_t in = pred == ALL ? cond : emit_u8(b, ARC_OP_AND, pred, cond);
    uint16_t in_after = block(b, the_arm->block, in);
    if (!has_more && in_after == in)
        return pred;
    uint16_t out = rest_of(b, pred, cond);
    uint16_t out_after = branch(b, stmt, arm + 1, out);
    return merge(b, pred, in, in_after, out, out_after);
}

static uint16_t gen_if(struct arc_gen_body *b, const struct arc_stmt *stmt, uint16_t pred)
{
    if (pred == ALL && is_early_if(stmt))
        return early_if(b, stmt);
    return branch(b, stmt, 0, pred);
}

static uint16_t block(struct arc_gen_body *b, const struct arc_block *blk, uint16_t pred)
{
    for (size_t i = 0; i < blk->n_stmts && pred != NONE && !b->refused; i++) {
        const struct arc_stmt *stmt = blk->stmts[i];
        b->line = stmt->span.line;
        b->locals = b->top;
        switch (stmt->kind) {
        case ARC_STMT_DECL: declare(b, stmt); break;
        case ARC_STMT_ASSIGN: assign(b, stmt->u.assign.var, stmt->u.assign.value, pred); break;
        case ARC_STMT_EXPR: arc_gen_expr(b, stmt->u.expr, ARC_NO_REG); break;
        case ARC_STMT_IF: pred = gen_if(b, stmt, pred); break;
        case ARC_STMT_RETURN:
            gen_return(b, stmt, pred);
            pred = NONE;
            break;
        case ARC_STMT_NOTHING: break;
        default: b->refused = true; break;
        }
    }
    return pred;
}

/* ---- Calls -------------------------------------------------------------------------------- */

uint16_t arc_gen_batch_call(struct arc_gen_body *b, const struct arc_expr *call, uint16_t want)
{
    const struct arc_func *func = call->u.call.func;
    uint32_t id = b->gen->func_ids[func->index];
    if (b->gen->image->funcs[id].batch.code.n == 0 || b->frame->depth >= ARC_GEN_INLINE_DEPTH ||
        call->type.shape == ARC_SHAPE_NONE) {
        b->refused = true;
        return arc_gen_temp(b);
    }
    struct arc_gen_frame frame;
    arc_gen_frame_init(b, &frame, func);
    for (size_t i = 0; i < call->u.call.n_args; i++) {
        const struct arc_var *param = func->inputs[i];
        uint16_t own = param->is_assigned ? arc_gen_temp(b) : ARC_NO_REG;
        frame.var_regs[param->index] = arc_gen_expr(b, call->u.call.args[i], own);
    }
    b->frame = &frame;
    block(b, func->body, ALL);
    if (frame.result == ARC_NO_REG)
        b->refused = true;
    else
        apply_earlies(b, func->result.prim);
    b->frame = frame.outer;
    b->locals = b->top;
    if (want == ARC_NO_REG)
        return frame.result;
    arc_gen_move(b, (uint8_t)call->type.prim, want, frame.result);
    return want;
}

/* ---- Limits ------------------------------------------------------------------------------- */

static bool writes(const struct arc_insn *insn, uint16_t reg)
{
    enum arc_operand_kind kind = arc_operand_kind(arc_op_info[insn->op].operand[0]);
    return (kind == ARC_OPD_W || kind == ARC_OPD_RW) && insn->a == reg;
}

static bool reads(const struct arc_insn *insn, uint16_t reg)
{
    const uint16_t *operands = arc_op_info[insn->op].operand;
    return (arc_operand_kind(operands[0]) == ARC_OPD_RW && insn->a == reg) ||
           (arc_operand_kind(operands[1]) == ARC_OPD_R && insn->b == reg) ||
           (arc_operand_kind(operands[2]) == ARC_OPD_R && insn->c == reg);
}

/* The comparison that made the predicate of the conditional move at `at`, if nothing else uses the
 * predicate and its operands still hold what was compared. ARC_NONE: no such one. */
static uint32_t find_comparison(const struct arc_gen_body *b, uint32_t at)
{
    const struct arc_insn *move = &b->code[at];
    unsigned type = move->op - ARC_OP_CMOV_I8;
    uint32_t def = at;
    do {
        if (def-- == 0)
            return ARC_NONE;
    } while (!writes(&b->code[def], move->b));
    const struct arc_insn *test = &b->code[def];
    if (test->op != ARC_OP_LT_I8 + type && test->op != ARC_OP_LE_I8 + type)
        return ARC_NONE;
    for (uint32_t i = def + 1; i < b->n_code; i++) {
        if (i != at && (reads(&b->code[i], move->b) || writes(&b->code[i], move->b)))
            return ARC_NONE;
        if (i < at && (writes(&b->code[i], test->b) || writes(&b->code[i], test->c)))
            return ARC_NONE;
    }
    return def;
}

static void remove_insn(struct arc_gen_body *b, uint32_t at)
{
    b->n_code--;
    b->n_lines--;
    memmove(b->code + at, b->code + at + 1, (b->n_code - at) * sizeof *b->code);
    memmove(b->lines + at, b->lines + at + 1, (b->n_code - at) * sizeof *b->lines);
}

/* p = x < y;  if p: r = x   becomes one instruction over numbers alone, without a predicate. */
static void fuse_limits(struct arc_gen_body *b)
{
    for (uint32_t i = 0; i < b->n_code; i++) {
        struct arc_insn *move = &b->code[i];
        if (move->op < ARC_OP_CMOV_I8 || move->op > ARC_OP_CMOV_F64)
            continue;
        uint32_t def = find_comparison(b, i);
        if (def == ARC_NONE)
            continue;
        struct arc_insn test = b->code[def];
        bool is_cap = move->c == test.b;
        if (!is_cap && move->c != test.c)
            continue;
        unsigned type = move->op - ARC_OP_CMOV_I8;
        bool is_less = test.op <= ARC_OP_LT_F64;
        unsigned first = is_cap ? (is_less ? ARC_OP_CAPLT_I8 : ARC_OP_CAPLE_I8)
                                : (is_less ? ARC_OP_LIFTLT_I8 : ARC_OP_LIFTLE_I8);
        *move = (struct arc_insn){.op = (uint16_t)(first + type),
                                  .a = move->a,
                                  .b = is_cap ? test.b : test.c,
                                  .c = is_cap ? test.c : test.b};
        remove_insn(b, def);
        i--;
    }
}

/* ---- Columns ------------------------------------------------------------------------------ */

struct life {
    uint32_t last;   /* instruction that mentions the register last */
    uint16_t column; /* ARC_NO_REG: none yet */
};

static bool is_column(const struct arc_gen_body *b, uint16_t operand, uint16_t reg)
{
    enum arc_operand_kind kind = arc_operand_kind(operand);
    return (kind == ARC_OPD_W || kind == ARC_OPD_R || kind == ARC_OPD_RW) && reg >= b->n_fixed &&
           reg < ARC_GEN_K;
}

static uint32_t insn_columns(const struct arc_gen_body *b, struct arc_insn *insn,
                             uint16_t *columns[3])
{
    const uint16_t *operands = arc_op_info[insn->op].operand;
    uint16_t *regs[3] = {&insn->a, &insn->b, &insn->c};
    uint32_t n = 0;
    for (uint32_t i = 0; i < 3; i++)
        if (is_column(b, operands[i], *regs[i]))
            columns[n++] = regs[i];
    return n;
}

static uint16_t *output_columns(struct arc_gen_body *b, const struct arc_image_func *func,
                                uint32_t i)
{
    struct arc_image_func_output *out = b->gen->image->func_outputs + func->outputs.first + i / 2;
    uint16_t *reg = i % 2 == 0 ? &out->batch_reg : &out->batch_flag_reg;
    return *reg >= b->n_fixed && *reg < ARC_GEN_K ? reg : NULL;
}

static struct life *find_lives(struct arc_gen_body *b, const struct arc_image_func *func)
{
    struct life *lives = base_arena_array(b->gen->scratch, struct life, b->max_top);
    for (uint32_t i = 0; i < b->max_top; i++)
        lives[i].column = ARC_NO_REG;
    uint16_t *columns[3];
    for (uint32_t i = 0; i < b->n_code; i++)
        for (uint32_t k = insn_columns(b, &b->code[i], columns); k-- > 0;)
            lives[*columns[k]].last = i;
    for (uint32_t i = 0; i < 2 * func->outputs.n; i++) {
        const uint16_t *reg = output_columns(b, func, i);
        if (reg != NULL)
            lives[*reg].last = b->n_code;
    }
    return lives;
}

/* Columns are taken at the first mention and given back behind the last one: never within one
 * instruction, so a result does not overlay an operand of another width. */
static void compact(struct arc_gen_body *b, const struct arc_image_func *func)
{
    struct life *lives = find_lives(b, func);
    uint16_t *free_columns = base_arena_array(b->gen->scratch, uint16_t, b->max_top);
    uint32_t n_free = 0;
    uint16_t n_columns = b->n_fixed;
    for (uint32_t i = 0; i < b->n_code; i++) {
        uint16_t *columns[3];
        uint32_t n = insn_columns(b, &b->code[i], columns);
        uint16_t old[3];
        for (uint32_t k = 0; k < n; k++) {
            struct life *life = &lives[old[k] = *columns[k]];
            if (life->column == ARC_NO_REG)
                life->column = n_free > 0 ? free_columns[--n_free] : n_columns++;
            *columns[k] = life->column;
        }
        for (uint32_t k = 0; k < n; k++) {
            struct life *life = &lives[old[k]];
            if (life->last == i) {
                free_columns[n_free++] = life->column;
                life->last = ARC_NONE; /* once, also if it is named twice */
            }
        }
    }
    for (uint32_t i = 0; i < 2 * func->outputs.n; i++) {
        uint16_t *reg = output_columns(b, func, i);
        if (reg != NULL)
            *reg = lives[*reg].column;
    }
    b->max_top = n_columns;
}

/* ---- The body ----------------------------------------------------------------------------- */

static void start_variables(struct arc_gen_body *b)
{
    const struct arc_func *func = b->frame->func;
    for (size_t i = 0; i < func->n_vars; i++) {
        const struct arc_var *var = func->vars[i];
        bool is_param = var->kind == ARC_VAR_INPUT || var->kind == ARC_VAR_CONFIG;
        if (is_param && var->is_assigned && arc_type_is_number(var->type)) {
            uint16_t copy = arc_gen_temp(b); /* arguments stay as they are */
            arc_gen_move(b, (uint8_t)var->type.prim, copy, b->frame->var_regs[var->index]);
            b->frame->var_regs[var->index] = copy;
        }
    }
    for (size_t i = 0; i < func->n_outputs; i++) {
        const struct arc_var *var = func->outputs[i];
        uint16_t reg = arc_gen_temp(b);
        if (!arc_type_is_number(var->type)) {
            b->refused = true;
            return;
        }
        arc_gen_zero(b, (uint8_t)var->type.prim, reg);
        b->frame->var_regs[var->index] = reg;
        b->frame->flag_regs[i] = arc_gen_temp(b);
        arc_gen_zero(b, TELEM_U8, b->frame->flag_regs[i]);
    }
}

static void set_outputs(struct arc_gen_body *b)
{
    struct arc_image_func_output *outputs = b->gen->image->func_outputs + b->func->outputs.first;
    const struct arc_func *func = b->frame->func;
    if (func->n_outputs == 0) {
        outputs[0].batch_reg = b->frame->result;
        outputs[0].batch_flag_reg = ARC_NO_REG;
    }
    for (size_t i = 0; i < func->n_outputs; i++) {
        outputs[i].batch_reg = b->frame->var_regs[func->outputs[i]->index];
        outputs[i].batch_flag_reg = b->frame->is_always[i] ? ARC_NO_REG : b->frame->flag_regs[i];
    }
}

/* Nothing but numbers goes in and out, and something comes out. */
static bool is_candidate(const struct arc_gen *gen, const struct arc_image_func *func)
{
    if (func->outputs.n == 0 || func->recursive || func->state_mode != ARC_STATE_NONE)
        return false;
    for (uint32_t i = 0; i < func->args.n; i++)
        if (gen->image->func_args[func->args.first + i] >= TELEM_STR)
            return false;
    return true;
}

void arc_gen_batch_body(struct arc_gen *gen, uint32_t id)
{
    struct arc_gen_func_info *info = &gen->func_info[id];
    struct arc_image_func *func = &gen->image->funcs[id];
    if (info->func == NULL || !is_candidate(gen, func))
        return;
    struct arc_gen_body b = {.gen = gen, .func = func, .span = info->span, .is_batch = true};
    struct arc_gen_frame frame;
    b.n_fixed = b.top = b.max_top = (uint16_t)func->args.n;
    b.line = info->span.line;
    arc_gen_frame_init(&b, &frame, info->func);
    b.frame = &frame;
    start_variables(&b);
    block(&b, info->func->body, ALL);
    if (func->result != ARC_VT_NONE) {
        if (frame.result == ARC_NO_REG)
            return; /* never returns, or was refused on the way */
        apply_earlies(&b, info->func->result.prim);
    }
    if (b.refused)
        return;
    fuse_limits(&b);
    set_outputs(&b);
    compact(&b, func);
    if (b.max_top + b.n_consts > ARC_MAX_BATCH_REGS)
        return;
    info->size = b.n_code;
    arc_gen_seal_body(&b, &func->batch);
}
