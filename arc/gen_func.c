/* Functions: their records, their state, their bodies, and the bounds that follow from who calls
 * whom. Bodies are made callees first, so that a caller knows what it can take in. */
#include "arc/gen_priv.h"

/* ---- Records ------------------------------------------------------------------------------ */

static void append_args(struct arc_gen *gen, struct arc_image_func *out, struct arc_var **vars,
                        size_t n)
{
    struct arc_image *image = gen->image;
    for (size_t i = 0; i < n; i++) {
        *ARC_APPEND(gen->scratch, image->func_args, image->n_func_args) = arc_gen_vt(vars[i]->type);
        out->args.n++;
    }
}

static void append_output(struct arc_gen *gen, struct arc_image_func *out, struct arc_type type)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->func_outputs, image->n_func_outputs) =
        (struct arc_image_func_output){
            .type = arc_gen_vt(type),
            .reg = ARC_NO_REG,
            .flag_reg = ARC_NO_REG,
            .batch_reg = ARC_NO_REG,
            .batch_flag_reg = ARC_NO_REG,
        };
    out->outputs.n++;
}

static uint32_t append_func(struct arc_gen *gen, const struct arc_image_func *func,
                            const struct arc_gen_func_info *info)
{
    struct arc_image *image = gen->image;
    *ARC_APPEND(gen->scratch, image->funcs, image->n_funcs) = *func;
    *ARC_APPEND(gen->scratch, gen->func_info, gen->n_func_info) = *info;
    return image->n_funcs - 1;
}

static struct arc_image_func empty_func(const struct arc_gen *gen, const char *name,
                                        struct arc_span span)
{
    const struct arc_image *image = gen->image;
    return (struct arc_image_func){
        .name = name,
        .line = span.line,
        .args = {.first = image->n_func_args},
        .outputs = {.first = image->n_func_outputs},
        .state = {.first = image->n_state_slots},
        .state_map = ARC_NONE,
        .state_id = ARC_NONE,
        .result = ARC_VT_NONE,
    };
}

static uint32_t declare_func(struct arc_gen *gen, const struct arc_func *func)
{
    struct arc_image_func out = empty_func(gen, arc_gen_name(gen, func->name), func->span);
    append_args(gen, &out, func->inputs, func->n_inputs);
    append_args(gen, &out, func->config, func->n_config);
    out.n_inputs = (uint16_t)func->n_inputs;
    out.result = arc_gen_vt(func->result);
    if (out.result != ARC_VT_NONE)
        append_output(gen, &out, func->result);
    for (size_t i = 0; i < func->n_outputs; i++)
        append_output(gen, &out, func->outputs[i]->type);
    for (uint32_t i = 0; i < func->writes.n_words; i++)
        out.writes |= func->writes.words[i] != 0;
    for (size_t i = 0; i < func->n_vars; i++)
        out.writes |= func->vars[i]->chan_is_written;
    if (out.args.n > ARC_MAX_ARGS)
        arc_gen_limit(gen, func->name_span, "function '%s' has more than %d parameters", func->name,
                      ARC_MAX_ARGS);
    if (out.outputs.n > ARC_MAX_ARGS)
        arc_gen_limit(gen, func->name_span, "function '%s' has more than %d outputs", func->name,
                      ARC_MAX_ARGS);
    struct arc_gen_func_info info = {.func = func, .span = func->name_span};
    info.state_flagged = base_arena_array(gen->scratch, bool, func->n_state);
    return append_func(gen, &out, &info);
}

/* ---- State -------------------------------------------------------------------------------- */

static void append_slot(struct arc_gen *gen, uint32_t id, uint8_t vt, union arc_reg init)
{
    struct arc_image *image = gen->image;
    uint32_t n = image->n_state_slots;
    *ARC_APPEND(gen->scratch, image->state_types, n) = vt;
    *ARC_APPEND(gen->scratch, image->state_init, image->n_state_slots) = init;
    image->funcs[id].state.n++;
}

/* The value that the variable may have from the reset on, instead of at its declaration. */
static bool constant_init(struct arc_gen *gen, const struct arc_expr *expr, union arc_reg *value)
{
    value->u64 = 0;
    if (arc_fold(expr, value))
        return true;
    if (expr->kind != ARC_EXPR_LITERAL || expr->type.prim != TELEM_STR)
        return false;
    const struct arc_value *text = &expr->u.literal.value;
    value->u64 = arc_gen_string(gen, text->str, text->str_len);
    return true;
}

static void find_state(struct arc_gen *gen, uint32_t id, const struct arc_block *block,
                       const struct arc_expr **inits);

static void find_state_in(struct arc_gen *gen, uint32_t id, const struct arc_stmt *stmt,
                          const struct arc_expr **inits)
{
    switch (stmt->kind) {
    case ARC_STMT_DECL:
        if (stmt->u.decl.var->kind == ARC_VAR_STATE)
            inits[stmt->u.decl.var->kind_index] = stmt->u.decl.value;
        break;
    case ARC_STMT_IF:
        for (size_t i = 0; i < stmt->u.cond.n_arms; i++)
            find_state(gen, id, stmt->u.cond.arms[i].block, inits);
        if (stmt->u.cond.otherwise != NULL)
            find_state(gen, id, stmt->u.cond.otherwise, inits);
        break;
    case ARC_STMT_FOR_RANGE: find_state(gen, id, stmt->u.range.body, inits); break;
    case ARC_STMT_FOR_EACH: find_state(gen, id, stmt->u.each.body, inits); break;
    case ARC_STMT_FOR_WHILE: find_state(gen, id, stmt->u.loop.body, inits); break;
    default: break;
    }
}

static void find_state(struct arc_gen *gen, uint32_t id, const struct arc_block *block,
                       const struct arc_expr **inits)
{
    for (size_t i = 0; i < block->n_stmts; i++)
        find_state_in(gen, id, block->stmts[i], inits);
}

/* Slots of the variables in order, then one u8 for each that is set by code: has it been? */
static void declare_state(struct arc_gen *gen, uint32_t id, bool is_recursive)
{
    struct arc_gen_func_info *info = &gen->func_info[id];
    const struct arc_func *func = info->func;
    struct arc_image_func *out = &gen->image->funcs[id];
    out->recursive = is_recursive;
    out->state.first = gen->image->n_state_slots;
    if (func->n_state == 0)
        return;
    out->state_mode = is_recursive ? ARC_STATE_SLOTS : ARC_STATE_REGS;
    out->state_id = gen->n_stateful++;
    const struct arc_expr **inits =
        base_arena_array(gen->scratch, const struct arc_expr *, func->n_state);
    find_state(gen, id, func->body, inits);
    uint32_t n_flags = 0;
    for (size_t i = 0; i < func->n_vars; i++) {
        const struct arc_var *var = func->vars[i];
        if (var->kind != ARC_VAR_STATE)
            continue;
        union arc_reg init = {.u64 = 0};
        bool is_known = constant_init(gen, inits[var->kind_index], &init);
        info->state_flagged[var->kind_index] = !is_known;
        n_flags += !is_known;
        append_slot(gen, id, arc_gen_vt(var->type), init);
    }
    for (uint32_t i = 0; i < n_flags; i++)
        append_slot(gen, id, TELEM_U8, (union arc_reg){.u64 = 0});
}

/* ---- Bodies ------------------------------------------------------------------------------- */

static uint16_t param_reg(const struct arc_gen_body *b, const struct arc_var *var)
{
    switch (var->kind) {
    case ARC_VAR_INPUT: return (uint16_t)var->kind_index;
    case ARC_VAR_CONFIG: return (uint16_t)(b->func->n_inputs + var->kind_index);
    case ARC_VAR_STATE: return (uint16_t)(b->func->args.n + var->kind_index);
    default: return ARC_NO_REG;
    }
}

void arc_gen_frame_init(struct arc_gen_body *b, struct arc_gen_frame *frame,
                        const struct arc_func *func)
{
    bool is_root = b->frame == NULL;
    *frame = (struct arc_gen_frame){
        .outer = b->frame,
        .func = func,
        .depth = is_root ? 0 : b->frame->depth + 1,
        .result = ARC_NO_REG,
    };
    if (func == NULL)
        return;
    frame->var_regs = base_arena_array(b->gen->scratch, uint16_t, func->n_vars);
    frame->flag_regs = base_arena_array(b->gen->scratch, uint16_t, func->n_outputs);
    frame->is_always = base_arena_array(b->gen->scratch, bool, func->n_outputs);
    for (size_t i = 0; i < func->n_vars; i++)
        frame->var_regs[func->vars[i]->index] = is_root ? param_reg(b, func->vars[i]) : ARC_NO_REG;
}

static void start_variables(struct arc_gen_body *b)
{
    const struct arc_func *func = b->frame->func;
    for (size_t i = 0; i < func->n_vars; i++) {
        const struct arc_var *var = func->vars[i];
        bool is_param = var->kind == ARC_VAR_INPUT || var->kind == ARC_VAR_CONFIG;
        if (!is_param || !var->is_assigned || arc_type_is_chan(var->type))
            continue;
        uint16_t copy = arc_gen_temp(b); /* arguments stay as they are */
        arc_gen_move(b, arc_gen_vt(var->type), copy, b->frame->var_regs[var->index]);
        b->frame->var_regs[var->index] = copy;
    }
    struct arc_image_func_output *outputs = b->gen->image->func_outputs + b->func->outputs.first;
    for (size_t i = 0; i < func->n_outputs; i++) {
        const struct arc_var *var = func->outputs[i];
        outputs[i].reg = b->frame->var_regs[var->index] = arc_gen_temp(b);
        outputs[i].flag_reg = b->frame->flag_regs[i] = arc_gen_temp(b);
        arc_gen_zero(b, arc_gen_vt(var->type), outputs[i].reg);
        arc_gen_zero(b, TELEM_U8, outputs[i].flag_reg);
    }
}

static void finish_body(struct arc_gen_body *b, const char *what)
{
    arc_gen_seal_body(b, &b->func->body);
    if (b->refused)
        arc_gen_limit(
            b->gen, b->span,
            "%s is too large: at most %d instructions and %d variables and values at once", what,
            ARC_MAX_CODE, ARC_MAX_REGS);
    for (uint32_t i = 0; i < b->n_code; i++) {
        const struct arc_insn *insn = &b->code[i];
        bool is_call = insn->op == ARC_OP_CALL;
        b->func->calls |= is_call;
        b->func->writes |= insn->op == ARC_OP_CHWR || insn->op == ARC_OP_CHWRR ||
                           (is_call && b->gen->image->funcs[insn->imm].writes);
    }
}

static void sample_body(struct arc_gen *gen, uint32_t id)
{
    const struct arc_gen_func_info *info = &gen->func_info[id];
    struct arc_image_func *out = &gen->image->funcs[id];
    uint32_t n_state_regs = out->state_mode == ARC_STATE_REGS ? out->state.n : 0;
    if (out->args.n + n_state_regs > ARC_MAX_REGS - 1) {
        arc_gen_limit(gen, info->span, "function '%s' has too many stateful variables", out->name);
        return;
    }
    struct arc_gen_body b = {.gen = gen, .func = out, .span = info->span};
    struct arc_gen_frame frame;
    b.n_fixed = b.top = b.max_top = b.locals = (uint16_t)(out->args.n + n_state_regs);
    b.state_mode = out->state_mode;
    b.line = info->span.line;
    arc_gen_frame_init(&b, &frame, info->func);
    b.frame = &frame;
    start_variables(&b);
    arc_gen_block(&b, info->func->body);
    if (arc_gen_falls(info->func->body))
        arc_gen_emit(&b, ARC_OP_RET0, 0, 0, 0);
    finish_body(&b, base_arena_printf(gen->scratch, "function '%s'", out->name));
}

/* An image function that computes the expression of a node. */
uint32_t arc_gen_expr_func(struct arc_gen *gen, const struct arc_expr *expr)
{
    struct arc_image_func out = empty_func(gen, "expression", expr->span);
    out.is_expression = true;
    out.result = arc_gen_vt(expr->type);
    append_output(gen, &out, expr->type);
    struct arc_gen_func_info info = {.expr = expr, .span = expr->span};
    uint32_t id = append_func(gen, &out, &info);
    struct arc_gen_body b = {.gen = gen, .func = &gen->image->funcs[id], .span = expr->span};
    struct arc_gen_frame frame;
    b.line = expr->span.line;
    arc_gen_frame_init(&b, &frame, NULL);
    b.frame = &frame;
    arc_gen_emit(&b, ARC_OP_RET, arc_gen_expr(&b, expr, ARC_NO_REG), 0, 0);
    finish_body(&b, "the expression");
    return id;
}

/* ---- The call graph ----------------------------------------------------------------------- */

static struct arc_gen_digraph call_graph(struct arc_gen *gen)
{
    uint32_t n = gen->n_func_info;
    uint32_t *first = base_arena_array(gen->scratch, uint32_t, n + 1);
    uint32_t *targets = base_arena_new(gen->scratch, uint32_t); /* there may be none */
    uint32_t n_targets = 0;
    for (uint32_t i = 0; i < n; i++) {
        const struct arc_func *func = gen->func_info[i].func;
        first[i] = n_targets;
        for (size_t k = 0; k < func->n_callees; k++) {
            uint32_t callee = gen->func_ids[func->callees[k]->index];
            ARCD_ASSERT(callee != ARC_NONE); /* what a used function calls is used */
            *ARC_APPEND(gen->scratch, targets, n_targets) = callee;
        }
    }
    first[n] = n_targets;
    return (struct arc_gen_digraph){.n = n, .first = first, .targets = targets};
}

static bool calls_itself(const struct arc_gen_digraph *graph, uint32_t id)
{
    for (uint32_t i = graph->first[id]; i < graph->first[id + 1]; i++)
        if (graph->targets[i] == id)
            return true;
    return false;
}

void arc_gen_funcs(struct arc_gen *gen)
{
    const struct arc_program *program = gen->program;
    gen->func_ids = base_arena_array(gen->scratch, uint32_t, program->n_funcs);
    for (size_t i = 0; i < program->n_funcs; i++)
        gen->func_ids[i] =
            program->funcs[i]->is_used ? declare_func(gen, program->funcs[i]) : ARC_NONE;
    if (gen->failed)
        return;
    struct arc_gen_digraph graph = call_graph(gen);
    uint32_t *group = base_arena_array(gen->scratch, uint32_t, graph.n);
    uint32_t *order = base_arena_array(gen->scratch, uint32_t, graph.n);
    uint32_t n_groups = arc_gen_scc(gen->scratch, &graph, group, order);
    uint32_t *group_size = base_arena_array(gen->scratch, uint32_t, n_groups);
    for (uint32_t i = 0; i < graph.n; i++)
        group_size[group[i]]++;
    for (uint32_t i = 0; i < graph.n; i++)
        declare_state(gen, i, group_size[group[i]] > 1 || calls_itself(&graph, i));
    for (uint32_t i = 0; i < graph.n && !gen->failed; i++) {
        arc_gen_batch_body(gen, order[i]);
        sample_body(gen, order[i]);
    }
}
