/* Statements of a sample body, and calls that are inlined into it. A local has its register from
 * its declaration to the end of its block. */
#include "arc/gen_priv.h"

static bool is_slot(const struct arc_gen_body *b, const struct arc_var *var)
{
    return var->kind == ARC_VAR_STATE && b->state_mode == ARC_STATE_SLOTS;
}

static void store_slot(struct arc_gen_body *b, uint32_t slot, const struct arc_expr *expr)
{
    uint16_t mark = b->top;
    uint16_t value = arc_gen_expr(b, expr, ARC_NO_REG);
    b->top = mark;
    arc_gen_emit_imm(b, ARC_OP_STST, value, slot);
}

static void assign(struct arc_gen_body *b, const struct arc_var *var, const struct arc_expr *expr)
{
    if (is_slot(b, var)) {
        store_slot(b, var->kind_index, expr);
        return;
    }
    arc_gen_expr(b, expr, b->frame->var_regs[var->index]);
    if (var->kind == ARC_VAR_OUTPUT) {
        uint16_t flag = b->frame->flag_regs[var->kind_index];
        arc_gen_load_k(b, flag, TELEM_U8, (union arc_reg){.u64 = 1});
    }
}

/* ---- Declarations ------------------------------------------------------------------------- */

/* A slot behind the function's variables says whether slot i has been set. */
static uint32_t flag_slot(const struct arc_gen_body *b, const struct arc_var *var)
{
    const struct arc_gen_func_info *info = &b->gen->func_info[b->func - b->gen->image->funcs];
    uint32_t slot = (uint32_t)info->func->n_state;
    for (uint32_t i = 0; i < var->kind_index; i++)
        slot += info->state_flagged[i];
    return slot;
}

static void declare_state(struct arc_gen_body *b, const struct arc_var *var,
                          const struct arc_expr *init)
{
    const struct arc_gen_func_info *info = &b->gen->func_info[b->func - b->gen->image->funcs];
    if (!info->state_flagged[var->kind_index])
        return; /* a constant: it stands in the state from the reset on */
    uint32_t slot = flag_slot(b, var);
    uint16_t mark = b->top;
    bool in_slots = b->state_mode == ARC_STATE_SLOTS;
    uint16_t flag = in_slots ? arc_gen_temp(b) : (uint16_t)(b->func->args.n + slot);
    if (in_slots)
        arc_gen_emit_imm(b, ARC_OP_STLD, flag, slot);
    struct arc_gen_label is_set = ARC_GEN_LABEL;
    arc_gen_jump(b, ARC_OP_JNZ, flag, 0, &is_set);
    assign(b, var, init);
    arc_gen_load_k(b, flag, TELEM_U8, (union arc_reg){.u64 = 1});
    if (in_slots)
        arc_gen_emit_imm(b, ARC_OP_STST, flag, slot);
    arc_gen_place(b, &is_set);
    b->top = mark;
}

static void declare(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    const struct arc_var *var = stmt->u.decl.var;
    if (var->kind == ARC_VAR_STATE) {
        declare_state(b, var, stmt->u.decl.value);
        return;
    }
    uint16_t reg = arc_gen_temp(b);
    arc_gen_expr(b, stmt->u.decl.value, reg);
    b->frame->var_regs[var->index] = reg;
}

/* ---- Channels and elements ---------------------------------------------------------------- */

static void write_channel(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    uint16_t value = arc_gen_expr(b, stmt->u.write.value, ARC_NO_REG);
    const struct arc_chan_ref *chan = &stmt->u.write.chan;
    if (chan->channel != NULL)
        arc_gen_emit_imm(b, ARC_OP_CHWR, value, chan->channel->index);
    else
        arc_gen_emit(b, ARC_OP_CHWRR, b->frame->var_regs[chan->param->index], value, 0);
}

static uint16_t load_var(struct arc_gen_body *b, const struct arc_var *var)
{
    if (!is_slot(b, var))
        return b->frame->var_regs[var->index];
    uint16_t reg = arc_gen_temp(b);
    arc_gen_emit_imm(b, ARC_OP_STLD, reg, var->kind_index);
    return reg;
}

static void set_element(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    const struct arc_var *var = stmt->u.set_elem.var;
    enum telem_type type = var->type.prim;
    uint16_t series = load_var(b, var);
    uint16_t index = arc_gen_index(b, stmt->u.set_elem.index, ARC_NO_REG);
    if (!stmt->u.set_elem.has_op) {
        uint16_t value = arc_gen_expr(b, stmt->u.set_elem.value, ARC_NO_REG);
        arc_gen_emit(b, arc_gen_typed(ARC_OP_SSET_I8, type), series, index, value);
        return;
    }
    uint16_t old = arc_gen_temp(b);
    arc_gen_emit(b, arc_gen_typed(ARC_OP_SGET_I8, type), old, series, index);
    uint16_t value = arc_gen_expr(b, stmt->u.set_elem.value, ARC_NO_REG);
    arc_gen_binary(b, stmt->u.set_elem.op, (uint8_t)type, old, (uint8_t)type, value, old);
    arc_gen_emit(b, arc_gen_typed(ARC_OP_SSET_I8, type), series, index, old);
}

/* ---- Branches and loops ------------------------------------------------------------------- */

static void gen_if(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    struct arc_gen_label end = ARC_GEN_LABEL;
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        const struct arc_if_arm *arm = &stmt->u.cond.arms[i];
        bool is_last = i + 1 == stmt->u.cond.n_arms && stmt->u.cond.otherwise == NULL;
        struct arc_gen_label next = ARC_GEN_LABEL;
        arc_gen_cond(b, arm->cond, false, &next);
        arc_gen_block(b, arm->block);
        if (!is_last && arc_gen_falls(arm->block))
            arc_gen_jump(b, ARC_OP_JMP, 0, 0, &end);
        arc_gen_place(b, &next);
    }
    if (stmt->u.cond.otherwise != NULL)
        arc_gen_block(b, stmt->u.cond.otherwise);
    arc_gen_place(b, &end);
}

struct loop {
    struct arc_gen_loop info;
    struct arc_gen_label on_break, on_continue, top;
};

static void loop_enter(struct arc_gen_body *b, struct loop *loop)
{
    loop->on_break = loop->on_continue = loop->top = ARC_GEN_LABEL;
    loop->info = (struct arc_gen_loop){
        .outer = b->loop, .on_break = &loop->on_break, .on_continue = &loop->on_continue};
    b->loop = &loop->info;
}

static void loop_leave(struct arc_gen_body *b, struct loop *loop)
{
    arc_gen_place(b, &loop->on_break);
    b->loop = loop->info.outer;
}

static void gen_while(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    struct loop loop;
    loop_enter(b, &loop);
    arc_gen_place(b, &loop.top);
    if (stmt->u.loop.cond != NULL)
        arc_gen_cond(b, stmt->u.loop.cond, false, &loop.on_break);
    arc_gen_block(b, stmt->u.loop.body);
    arc_gen_place(b, &loop.on_continue);
    arc_gen_jump(b, ARC_OP_LOOP, 0, 0, &loop.top);
    loop_leave(b, &loop);
}

/* A value that the loop's body cannot change, though its expression may name a variable. */
static uint16_t loop_invariant(struct arc_gen_body *b, const struct arc_expr *expr)
{
    bool is_stable =
        expr->kind == ARC_EXPR_VAR && !expr->u.var->is_assigned && !is_slot(b, expr->u.var);
    union arc_reg value;
    if (is_stable || arc_fold(expr, &value))
        return arc_gen_expr(b, expr, ARC_NO_REG);
    uint16_t reg = arc_gen_temp(b);
    arc_gen_expr(b, expr, reg);
    return reg;
}

struct range {
    enum telem_type type;
    uint16_t var, end, step;
    bool is_step_known;
    union arc_reg step_value;
};

static bool is_up(const struct range *r)
{
    return telem_type_is_signed(r->type) ? r->step_value.i64 > 0 : r->step_value.u64 > 0;
}

/* Leaves the loop when the variable has passed the end: upward for a step > 0, else downward. */
static void range_test(struct arc_gen_body *b, const struct range *r, struct arc_gen_label *out)
{
    enum arc_opcode leave = arc_gen_typed(ARC_OP_JNLT_I8, r->type);
    if (r->is_step_known) {
        arc_gen_jump(b, leave, is_up(r) ? r->var : r->end, is_up(r) ? r->end : r->var, out);
        return;
    }
    struct arc_gen_label up = ARC_GEN_LABEL;
    struct arc_gen_label in = ARC_GEN_LABEL;
    uint16_t zero = arc_gen_k_int(b, r->type, 0);
    arc_gen_jump(b, arc_gen_typed(ARC_OP_JLT_I8, r->type), zero, r->step, &up);
    arc_gen_jump(b, leave, r->end, r->var, out);
    arc_gen_jump(b, ARC_OP_JMP, 0, 0, &in);
    arc_gen_place(b, &up);
    arc_gen_jump(b, leave, r->var, r->end, out);
    arc_gen_place(b, &in);
}

static void range_head(struct arc_gen_body *b, const struct arc_stmt *stmt, struct range *r)
{
    r->type = stmt->u.range.var->type.prim;
    r->var = arc_gen_temp(b);
    if (stmt->u.range.start != NULL)
        arc_gen_expr(b, stmt->u.range.start, r->var);
    else
        arc_gen_load_k(b, r->var, r->type, (union arc_reg){.u64 = 0});
    r->end = loop_invariant(b, stmt->u.range.end);
    r->step_value.i64 = 1;
    r->is_step_known = stmt->u.range.step == NULL || arc_fold(stmt->u.range.step, &r->step_value);
    r->step = 0;
    if (!r->is_step_known)
        r->step = loop_invariant(b, stmt->u.range.step);
    b->frame->var_regs[stmt->u.range.var->index] = r->var;
}

static void gen_range(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    struct range r;
    range_head(b, stmt, &r);
    struct loop loop;
    loop_enter(b, &loop);
    bool is_by_one = r.is_step_known && r.step_value.i64 == 1;
    if (!is_by_one)
        arc_gen_place(b, &loop.top);
    range_test(b, &r, &loop.on_break);
    if (is_by_one)
        arc_gen_place(b, &loop.top);
    arc_gen_block(b, stmt->u.range.body);
    arc_gen_place(b, &loop.on_continue);
    if (is_by_one) {
        arc_gen_jump(b, arc_gen_typed(ARC_OP_FOR_I8, r.type), r.var, r.end, &loop.top);
    } else {
        uint16_t mark = b->top;
        uint16_t step = r.is_step_known ? arc_gen_k(b, r.type, r.step_value) : r.step;
        arc_gen_emit(b, arc_gen_typed(ARC_OP_ADD_I8, r.type), r.var, r.var, step);
        b->top = mark;
        arc_gen_jump(b, ARC_OP_LOOP, 0, 0, &loop.top);
    }
    loop_leave(b, &loop);
}

static void each_variables(struct arc_gen_body *b, const struct arc_stmt *stmt, uint16_t series,
                           uint16_t at)
{
    const struct arc_var *value = stmt->u.each.value;
    arc_gen_emit(b, arc_gen_typed(ARC_OP_SGET_I8, value->type.prim),
                 b->frame->var_regs[value->index], series, at);
    const struct arc_var *index = stmt->u.each.index;
    if (index != NULL)
        arc_gen_emit(b, ARC_OP_CVT_I64_I32, b->frame->var_regs[index->index], at, 0);
}

static void gen_each(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    enum telem_type type = stmt->u.each.series->type.prim;
    uint16_t series = loop_invariant(b, stmt->u.each.series);
    uint16_t n = arc_gen_temp(b);
    arc_gen_emit(b, arc_gen_typed(ARC_OP_SLEN_I8, type), n, series, 0);
    uint16_t at = arc_gen_temp(b);
    arc_gen_load_k(b, at, TELEM_I64, (union arc_reg){.u64 = 0});
    b->frame->var_regs[stmt->u.each.value->index] = arc_gen_temp(b);
    if (stmt->u.each.index != NULL)
        b->frame->var_regs[stmt->u.each.index->index] = arc_gen_temp(b);
    struct loop loop;
    loop_enter(b, &loop);
    arc_gen_jump(b, ARC_OP_JNLT_I64, at, n, &loop.on_break);
    arc_gen_place(b, &loop.top);
    each_variables(b, stmt, series, at);
    arc_gen_block(b, stmt->u.each.body);
    arc_gen_place(b, &loop.on_continue);
    arc_gen_jump(b, ARC_OP_FOR_I64, at, n, &loop.top);
    loop_leave(b, &loop);
}

/* ---- Return ------------------------------------------------------------------------------- */

static void gen_return(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    struct arc_gen_frame *frame = b->frame;
    const struct arc_expr *value = stmt->u.ret.value;
    if (stmt->u.ret.output != NULL)
        assign(b, stmt->u.ret.output, value);
    if (frame->on_return != NULL) {
        arc_gen_expr(b, value, frame->result);
        arc_gen_jump(b, ARC_OP_JMP, 0, 0, frame->on_return);
    } else if (value != NULL && stmt->u.ret.output == NULL) {
        arc_gen_emit(b, ARC_OP_RET, arc_gen_expr(b, value, ARC_NO_REG), 0, 0);
    } else {
        arc_gen_emit(b, ARC_OP_RET0, 0, 0, 0);
    }
}

static void gen_stmt(struct arc_gen_body *b, const struct arc_stmt *stmt)
{
    switch (stmt->kind) {
    case ARC_STMT_ASSIGN: assign(b, stmt->u.assign.var, stmt->u.assign.value); break;
    case ARC_STMT_WRITE: write_channel(b, stmt); break;
    case ARC_STMT_SET_ELEM: set_element(b, stmt); break;
    case ARC_STMT_IF: gen_if(b, stmt); break;
    case ARC_STMT_FOR_RANGE: gen_range(b, stmt); break;
    case ARC_STMT_FOR_EACH: gen_each(b, stmt); break;
    case ARC_STMT_FOR_WHILE: gen_while(b, stmt); break;
    case ARC_STMT_BREAK: arc_gen_jump(b, ARC_OP_JMP, 0, 0, b->loop->on_break); break;
    case ARC_STMT_CONTINUE: arc_gen_jump(b, ARC_OP_JMP, 0, 0, b->loop->on_continue); break;
    case ARC_STMT_RETURN: gen_return(b, stmt); break;
    case ARC_STMT_EXPR: arc_gen_effect(b, stmt->u.expr); break;
    case ARC_STMT_DECL:
    case ARC_STMT_NOTHING: break;
    }
}

/* Does control never go on behind it? Then what follows in the block is not generated. */
static bool is_end(const struct arc_stmt *stmt)
{
    if (stmt->kind != ARC_STMT_IF)
        return stmt->kind == ARC_STMT_RETURN || stmt->kind == ARC_STMT_BREAK ||
               stmt->kind == ARC_STMT_CONTINUE;
    if (stmt->u.cond.otherwise == NULL || arc_gen_falls(stmt->u.cond.otherwise))
        return false;
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++)
        if (arc_gen_falls(stmt->u.cond.arms[i].block))
            return false;
    return true;
}

bool arc_gen_falls(const struct arc_block *block)
{
    for (size_t i = 0; i < block->n_stmts; i++)
        if (is_end(block->stmts[i]))
            return false;
    return true;
}

void arc_gen_block(struct arc_gen_body *b, const struct arc_block *block)
{
    uint16_t mark = b->top;
    uint16_t locals = b->locals;
    for (size_t i = 0; i < block->n_stmts && !b->refused; i++) {
        const struct arc_stmt *stmt = block->stmts[i];
        b->line = stmt->span.line;
        b->locals = b->top;
        if (stmt->kind == ARC_STMT_DECL) {
            declare(b, stmt); /* keeps the variable's register */
        } else {
            uint16_t top = b->top;
            gen_stmt(b, stmt);
            b->top = top;
        }
        if (is_end(stmt))
            break;
    }
    b->top = mark;
    b->locals = locals;
}

/* ---- Inlined calls ------------------------------------------------------------------------ */

static bool is_inlined(const struct arc_gen_body *b, const struct arc_expr *call)
{
    uint32_t id = b->gen->func_ids[call->u.call.func->index];
    return b->gen->image->funcs[id].batch.code.n != 0 &&
           b->gen->func_info[id].size <= ARC_GEN_INLINE_SIZE &&
           b->frame->depth < ARC_GEN_INLINE_DEPTH && call->type.shape != ARC_SHAPE_NONE;
}

static void inline_args(struct arc_gen_body *b, const struct arc_expr *call,
                        struct arc_gen_frame *frame)
{
    for (size_t i = 0; i < call->u.call.n_args; i++) {
        const struct arc_var *param = frame->func->inputs[i];
        uint16_t reg = ARC_NO_REG;
        if (param->is_assigned)
            reg = arc_gen_temp(b);
        frame->var_regs[param->index] = arc_gen_expr(b, call->u.call.args[i], reg);
    }
}

/* A small function that only computes (it has a batch body: no state, no fault, no channel) costs
 * less in place than a call does. ARC_NO_REG: it is to be called. */
uint16_t arc_gen_inline(struct arc_gen_body *b, const struct arc_expr *call, uint16_t want)
{
    if (b->is_batch)
        return arc_gen_batch_call(b, call, want);
    if (!is_inlined(b, call))
        return ARC_NO_REG;
    bool is_in_place = want >= b->locals && want < ARC_GEN_K; /* a temporary */
    uint16_t mark = b->top;
    uint16_t result = is_in_place ? want : arc_gen_temp(b);
    uint16_t locals = b->locals;
    struct arc_gen_frame frame;
    struct arc_gen_label end = ARC_GEN_LABEL;
    arc_gen_frame_init(b, &frame, call->u.call.func);
    inline_args(b, call, &frame);
    frame.on_return = &end;
    frame.result = result;
    b->frame = &frame;
    arc_gen_block(b, frame.func->body);
    arc_gen_place(b, &end);
    b->frame = frame.outer;
    b->locals = locals;
    b->top = is_in_place ? mark : (uint16_t)(mark + 1);
    if (want != ARC_NO_REG)
        arc_gen_move(b, arc_gen_vt(call->type), want, result);
    return want != ARC_NO_REG ? want : result;
}
