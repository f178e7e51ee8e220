/* Function bodies. */
#include "arc/check_priv.h"

static void check_block(struct checker *c, struct arc_block *block);

static void add_var(struct checker *c, struct arc_var *var)
{
    var->index = (uint32_t)c->func->n_vars;
    *ARC_APPEND(c->arena, c->func->vars, c->func->n_vars) = var;
}

static const char *quoted(struct checker *c, const char *name)
{
    return base_arena_printf(c->arena, "'%s'", name);
}

/* ---- Declarations ------------------------------------------------------------------------- */

static struct arc_type checked_initial_type(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_expr *value = stmt->u.decl.value;
    struct arc_type declared = stmt->u.decl.declared;
    check_value(c, value);
    if (declared.shape == ARC_SHAPE_NONE) {
        check_settle_default(c, value);
        return value->type;
    }
    struct check_want want = {.type = declared,
                              .what = "assign",
                              .target = quoted(c, stmt->u.decl.var->name),
                              .code = ARC_CODE_TYPE};
    check_fits(c, value, &want, NULL);
    return declared;
}

static void make_alias(struct arc_stmt *stmt, struct arc_chan_ref ref, struct arc_type type)
{
    struct arc_var *var = stmt->u.decl.var;
    var->kind = ARC_VAR_ALIAS;
    var->type = type;
    var->alias = ref;
    stmt->kind = ARC_STMT_NOTHING;
}

/* x chan T := ch: an alias whose type is said. */
static void check_declared_chan(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_var *var = stmt->u.decl.var;
    struct arc_chan_ref ref;
    struct arc_type type;
    if (var->kind == ARC_VAR_STATE || !check_is_channel_name(c, stmt->u.decl.value, &ref, &type)) {
        check_typed_value(c, stmt->u.decl.value);
        check_error(c, ARC_CODE_TYPE, var->span, "'%s' needs the name of a channel, by ':='",
                    var->name);
        var->type = check_error_type();
        stmt->kind = ARC_STMT_NOTHING;
        return;
    }
    struct check_want want = {.type = stmt->u.decl.declared,
                              .what = "assign",
                              .target = quoted(c, var->name),
                              .code = ARC_CODE_TYPE};
    check_type_fits(c, type, &want, stmt->u.decl.value->span, NULL);
    make_alias(stmt, ref, type);
}

static void check_decl(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_var *var = stmt->u.decl.var;
    struct arc_chan_ref ref;
    struct arc_type type;
    bool is_bare =
        stmt->u.decl.declared.shape == ARC_SHAPE_NONE && !stmt->u.decl.value->is_parenthesized;
    if (arc_type_is_chan(stmt->u.decl.declared))
        check_declared_chan(c, stmt);
    else if (var->kind == ARC_VAR_LOCAL && is_bare &&
             check_is_channel_name(c, stmt->u.decl.value, &ref, &type))
        make_alias(stmt, ref, type);
    else
        var->type = checked_initial_type(c, stmt);
    /* The name is visible behind its own declaration. */
    check_declare_local(c, var);
    if (var->kind == ARC_VAR_ALIAS)
        return;
    add_var(c, var);
    if (var->kind == ARC_VAR_STATE)
        var->kind_index = (uint32_t)c->func->n_state++;
}

/* ---- Assignments -------------------------------------------------------------------------- */

static void refuse_target(struct checker *c, const struct arc_expr *target,
                          const struct arc_symbol *symbol)
{
    static const char *const kinds[] = {"module", "constant", "function", "sequence"};
    const char *kind = kinds[symbol->kind];
    if (symbol->kind == ARC_SYM_SCOPE && symbol->u.scope->kind == ARC_SCOPE_STAGE)
        kind = "stage";
    check_error(c, ARC_CODE_TYPE, target->span, "cannot assign to %s '%s'", kind,
                target->u.name->text);
}

static void check_write(struct checker *c, struct arc_stmt *stmt, struct arc_chan_ref ref,
                        struct arc_type type)
{
    struct arc_expr *value = stmt->u.assign.value;
    const struct arc_ident *ident = stmt->u.assign.target->u.name;
    struct arc_span span = stmt->u.assign.target->span;
    struct check_want want = {.type = arc_type_element(type),
                              .what = "write",
                              .target = base_arena_printf(c->arena, "channel '%s'", ident->text),
                              .code = ARC_CODE_TYPE};
    if (type.shape == ARC_SHAPE_CHAN_SERIES)
        want.type.shape = ARC_SHAPE_SERIES;
    if (stmt->u.assign.has_op)
        check_error(c, ARC_CODE_TYPE, span, "a compound assignment cannot write a channel");
    if (ref.channel != NULL)
        check_writable(c, ref.channel, span);
    check_value(c, value);
    check_fits(c, value, &want, NULL);
    check_note_write(c, ref);
    stmt->kind = ARC_STMT_WRITE;
    stmt->u.write.chan = ref;
    stmt->u.write.value = value;
}

static struct arc_expr *new_expr(struct checker *c, enum arc_expr_kind kind, struct arc_span span)
{
    struct arc_expr *expr = base_arena_new(c->arena, struct arc_expr);
    expr->kind = kind;
    expr->span = span;
    expr->depth = 1;
    return expr;
}

/* target op value, as an expression to be checked. */
static struct arc_expr *compound(struct checker *c, const struct arc_stmt *stmt,
                                 struct arc_expr *target)
{
    struct arc_expr *expr = new_expr(c, ARC_EXPR_BINARY, stmt->span);
    struct arc_expr *value = stmt->u.assign.value;
    expr->depth = (uint16_t)((value->depth > target->depth ? value->depth : target->depth) + 1);
    expr->u.binary.op = stmt->u.assign.op;
    expr->u.binary.op_span = stmt->u.assign.op_span;
    expr->u.binary.left = target;
    expr->u.binary.right = value;
    return expr;
}

static void check_var_assign(struct checker *c, struct arc_stmt *stmt, struct arc_var *var)
{
    if (var->kind == ARC_VAR_LOOP) {
        check_error(c, ARC_CODE_NONE, stmt->u.assign.target->span,
                    "cannot assign to loop variable '%s'", var->name);
        check_typed_value(c, stmt->u.assign.value);
        return;
    }
    if (stmt->u.assign.has_op)
        stmt->u.assign.value = compound(c, stmt, stmt->u.assign.target);
    struct check_want want = {
        .type = var->type, .what = "assign", .target = quoted(c, var->name), .code = ARC_CODE_TYPE};
    check_value(c, stmt->u.assign.value);
    check_fits(c, stmt->u.assign.value, &want, NULL);
    stmt->u.assign.var = var;
    var->is_assigned = true;
}

static void check_name_assign(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_expr *target = stmt->u.assign.target;
    struct arc_ident *ident = target->u.name;
    struct arc_chan_ref ref;
    struct arc_type type;
    if (check_is_channel_name(c, target, &ref, &type)) {
        check_write(c, stmt, ref, type);
        return;
    }
    if (ident->local != NULL) {
        check_var_assign(c, stmt, ident->local);
        return;
    }
    if (ident->symbol != NULL)
        refuse_target(c, target, ident->symbol);
    else
        check_undefined(c, ident, target->span);
    check_typed_value(c, stmt->u.assign.value);
}

/* NULL after reporting. */
static struct arc_var *element_owner(struct checker *c, const struct arc_expr *base)
{
    struct arc_ident *ident = base->u.name;
    struct arc_chan_ref ref;
    struct arc_type type;
    bool is_channel = check_is_channel_name(c, base, &ref, &type);
    if (!is_channel && ident->local == NULL && ident->symbol == NULL) {
        check_undefined(c, ident, base->span);
        return NULL;
    }
    if (!is_channel && ident->local != NULL) {
        if (ident->local->type.shape == ARC_SHAPE_SERIES)
            return ident->local;
        if (check_is_error(ident->local->type))
            return NULL;
        type = ident->local->type;
    }
    if (is_channel || ident->local != NULL)
        check_error(c, ARC_CODE_TYPE, base->span, "indexed assignment needs a series, '%s' is %s",
                    ident->text, check_type_text(c, type));
    else
        refuse_target(c, base, ident->symbol);
    return NULL;
}

/* The element of `s[i] op= e` is checked as the expression s[i] op e. */
static void check_element_assign(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_expr *target = stmt->u.assign.target;
    struct arc_expr *value = stmt->u.assign.value;
    struct arc_var *var = element_owner(c, target->u.index.base);
    bool has_op = stmt->u.assign.has_op;
    enum arc_op op = stmt->u.assign.op;
    if (var == NULL) {
        check_typed_value(c, target->u.index.index);
        check_typed_value(c, value);
        return;
    }
    struct arc_expr *whole = has_op ? compound(c, stmt, target) : value;
    struct check_want want = {.type = arc_type_element(var->type),
                              .what = "assign",
                              .target =
                                  base_arena_printf(c->arena, "an element of '%s'", var->name),
                              .code = ARC_CODE_TYPE};
    if (!has_op)
        check_value(c, target);
    check_value(c, whole);
    check_fits(c, whole, &want, NULL);
    var->is_assigned = true;
    stmt->kind = ARC_STMT_SET_ELEM;
    stmt->u.set_elem.var = var;
    stmt->u.set_elem.index = target->u.index.index;
    stmt->u.set_elem.value = value;
    stmt->u.set_elem.has_op = has_op;
    stmt->u.set_elem.op = op;
}

static void check_assign(struct checker *c, struct arc_stmt *stmt)
{
    switch (stmt->u.assign.target->kind) {
    case ARC_EXPR_NAME: check_name_assign(c, stmt); break;
    case ARC_EXPR_INDEX: check_element_assign(c, stmt); break;
    default:
        check_error(c, ARC_CODE_TYPE, stmt->u.assign.target->span,
                    "slice assignment is not supported");
        check_typed_value(c, stmt->u.assign.value);
        break;
    }
}

/* ---- Loops -------------------------------------------------------------------------------- */

static struct arc_type bound_type(struct arc_type a, struct arc_type b)
{
    static const enum telem_type with_sign[] = {TELEM_I8, TELEM_I16, TELEM_I32, TELEM_I64};
    static const enum telem_type without[] = {TELEM_U8, TELEM_U16, TELEM_U32, TELEM_U64};
    size_t size_a = telem_type_size(a.prim);
    size_t size_b = telem_type_size(b.prim);
    size_t size = size_a > size_b ? size_a : size_b;
    size_t at = size == 1 ? 0 : size == 2 ? 1 : size == 4 ? 2 : 3;
    bool is_signed = telem_type_is_signed(a.prim) || telem_type_is_signed(b.prim);
    return arc_type_make(ARC_SHAPE_SCALAR, is_signed ? with_sign[at] : without[at],
                         a.unit ? a.unit : b.unit);
}

static bool is_integer(struct arc_type type)
{
    return arc_type_is_number(type) && telem_type_is_integer(type.prim);
}

/* The type of the loop variable: the widest of the arguments that have one. */
static struct arc_type check_range_args(struct checker *c, struct arc_expr **args, size_t n)
{
    struct arc_type type = {0};
    for (size_t i = 0; i < n; i++) {
        check_value(c, args[i]);
        if (args[i]->type.shape == ARC_SHAPE_LITERAL || check_is_error(args[i]->type))
            continue;
        if (!is_integer(args[i]->type)) {
            check_error(c, ARC_CODE_TYPE, args[i]->span,
                        "range argument %zu must be an integer, got %s", i + 1,
                        check_type_text(c, args[i]->type));
            args[i]->type = check_error_type();
            continue;
        }
        type = type.shape == ARC_SHAPE_NONE ? args[i]->type : bound_type(type, args[i]->type);
    }
    return type.shape == ARC_SHAPE_NONE ? arc_type_scalar(TELEM_I64) : type;
}

static struct arc_expr *range_bound(struct checker *c, struct arc_expr *arg, struct arc_type type)
{
    check_settle(c, arg, type);
    if (check_is_error(arg->type) || arg->type.prim == type.prim)
        return arg;
    struct arc_expr *cast = new_expr(c, ARC_EXPR_CAST, arg->span);
    cast->depth = (uint16_t)(arg->depth + 1);
    cast->type = type;
    cast->u.unary.operand = arg;
    return cast;
}

static void check_range_count(struct checker *c, const struct arc_expr *range)
{
    size_t n = range->u.call.n_args;
    if (n < 1 || n > 3)
        check_error(c, ARC_CODE_ARG_COUNT, range->span, "'range' takes 1 to 3 arguments, got %zu",
                    n);
}

static void declare_loop_var(struct checker *c, struct arc_var *var, struct arc_type type)
{
    var->type = type;
    check_declare_local(c, var);
    add_var(c, var);
}

static void check_loop_body(struct checker *c, struct arc_block *body)
{
    c->loop_depth++;
    check_block(c, body);
    c->loop_depth--;
}

static void check_for_range(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_expr *range = stmt->u.each.series;
    struct arc_expr **args = range->u.call.args;
    size_t n = range->u.call.n_args;
    struct arc_var *var = stmt->u.each.value;
    struct arc_block *body = stmt->u.each.body;
    if (stmt->u.each.index != NULL)
        check_error(c, ARC_CODE_TYPE, stmt->u.each.index->span, "range gives one value, not two");
    check_range_count(c, range);
    struct arc_type type = check_range_args(c, args, n);
    for (size_t i = 0; i < n; i++)
        args[i] = range_bound(c, args[i], type);
    declare_loop_var(c, var, type);
    check_loop_body(c, body);
    stmt->kind = ARC_STMT_FOR_RANGE;
    stmt->u.range.var = var;
    stmt->u.range.start = n > 1 ? args[0] : NULL;
    stmt->u.range.end = n > 1 ? args[1] : n == 1 ? args[0] : NULL;
    stmt->u.range.step = n > 2 ? args[2] : NULL;
    stmt->u.range.body = body;
}

static struct arc_type iterated_type(struct checker *c, const struct arc_expr *series)
{
    struct arc_type type = series->type;
    if (check_is_error(type) || type.shape == ARC_SHAPE_SERIES)
        return check_is_error(type) ? type : arc_type_element(type);
    struct arc_diag *diag = check_error(c, ARC_CODE_TYPE, series->span, "cannot iterate over %s",
                                        check_type_text(c, type));
    if (is_integer(type))
        check_hint(c, diag, "range(x)?");
    return check_error_type();
}

static void check_for_each(struct checker *c, struct arc_stmt *stmt)
{
    check_typed_value(c, stmt->u.each.series);
    struct arc_type type = iterated_type(c, stmt->u.each.series);
    if (stmt->u.each.index != NULL)
        declare_loop_var(c, stmt->u.each.index, arc_type_scalar(TELEM_I32));
    declare_loop_var(c, stmt->u.each.value, type);
    check_loop_body(c, stmt->u.each.body);
}

static void check_for(struct checker *c, struct arc_stmt *stmt)
{
    size_t n_visible = c->n_visible;
    if (stmt->kind == ARC_STMT_FOR_WHILE) {
        if (stmt->u.loop.cond != NULL)
            check_condition(c, stmt->u.loop.cond);
        check_loop_body(c, stmt->u.loop.body);
    } else if (check_is_range(c, stmt->u.each.series)) {
        check_for_range(c, stmt);
    } else {
        check_for_each(c, stmt);
    }
    check_leave_block(c, n_visible);
}

static void check_jump(struct checker *c, const struct arc_stmt *stmt, const char *word)
{
    if (c->loop_depth == 0)
        check_error(c, ARC_CODE_NONE, stmt->span, "%s outside a loop", word);
}

/* ---- Other statements --------------------------------------------------------------------- */

static void check_if(struct checker *c, struct arc_stmt *stmt)
{
    for (size_t i = 0; i < stmt->u.cond.n_arms; i++) {
        check_condition(c, stmt->u.cond.arms[i].cond);
        check_block(c, stmt->u.cond.arms[i].block);
    }
    if (stmt->u.cond.otherwise != NULL)
        check_block(c, stmt->u.cond.otherwise);
}

static void check_bare_return(struct checker *c, const struct arc_stmt *stmt)
{
    const struct arc_func *func = c->func;
    if (func->result.shape != ARC_SHAPE_NONE && !check_is_error(func->result))
        check_error(c, ARC_CODE_TYPE, stmt->span, "'%s' must return a value of type %s", func->name,
                    check_type_text(c, func->result));
}

static void check_return(struct checker *c, struct arc_stmt *stmt)
{
    struct arc_func *func = c->func;
    struct arc_expr *value = stmt->u.ret.value;
    if (value == NULL) {
        check_bare_return(c, stmt);
        return;
    }
    check_value(c, value);
    struct check_want want = {.type = func->result,
                              .what = "return",
                              .target =
                                  base_arena_printf(c->arena, "the result of '%s'", func->name),
                              .code = ARC_CODE_TYPE};
    if (func->n_outputs == 1) {
        stmt->u.ret.output = func->outputs[0];
        func->outputs[0]->is_assigned = true;
        want.type = func->outputs[0]->type;
        want.target = quoted(c, func->outputs[0]->name);
    } else if (func->result.shape == ARC_SHAPE_NONE) {
        check_settle_default(c, value);
        if (func->n_outputs > 1)
            check_error(c, ARC_CODE_TYPE, value->span,
                        "'%s' has several outputs: assign them, and return without a value",
                        func->name);
        else
            check_error(c, ARC_CODE_TYPE, value->span, "'%s' has no return type", func->name);
        return;
    }
    check_fits(c, value, &want, NULL);
}

static void check_statement(struct checker *c, struct arc_stmt *stmt)
{
    switch (stmt->kind) {
    case ARC_STMT_DECL: check_decl(c, stmt); break;
    case ARC_STMT_ASSIGN: check_assign(c, stmt); break;
    case ARC_STMT_IF: check_if(c, stmt); break;
    case ARC_STMT_FOR_EACH:
    case ARC_STMT_FOR_WHILE: check_for(c, stmt); break;
    case ARC_STMT_BREAK: check_jump(c, stmt, "break"); break;
    case ARC_STMT_CONTINUE: check_jump(c, stmt, "continue"); break;
    case ARC_STMT_RETURN: check_return(c, stmt); break;
    case ARC_STMT_EXPR:
        check_expr(c, stmt->u.expr);
        check_settle_default(c, stmt->u.expr);
        break;
    default: break;
    }
}

static void warn_unreachable(struct checker *c, const struct arc_block *block)
{
    for (size_t i = 0; i + 1 < block->n_stmts; i++) {
        if (block->stmts[i]->kind != ARC_STMT_RETURN)
            continue;
        check_warning(c, ARC_CODE_NONE, block->stmts[i + 1]->span, "unreachable code");
        return;
    }
}

static void check_block(struct checker *c, struct arc_block *block)
{
    size_t n_visible = c->n_visible;
    for (size_t i = 0; i < block->n_stmts; i++)
        check_statement(c, block->stmts[i]);
    warn_unreachable(c, block);
    check_leave_block(c, n_visible);
}

/* ---- Functions ---------------------------------------------------------------------------- */

static void declare_params(struct checker *c, struct arc_var **params, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        params[i]->kind_index = (uint32_t)i;
        check_declare_local(c, params[i]);
        add_var(c, params[i]);
    }
}

static void warn_unassigned(struct checker *c, const struct arc_func *func)
{
    for (size_t i = 0; i < func->n_outputs; i++) {
        const struct arc_var *var = func->outputs[i];
        if (!var->is_assigned)
            check_warning(c, ARC_CODE_NONE, var->span, "output '%s' is never assigned", var->name);
    }
}

void check_function_body(struct checker *c, struct arc_func *func)
{
    c->func = func;
    c->loop_depth = 0;
    declare_params(c, func->config, func->n_config);
    declare_params(c, func->inputs, func->n_inputs);
    declare_params(c, func->outputs, func->n_outputs);
    check_block(c, func->body);
    check_leave_block(c, 0);
    check_returns(c, func);
    warn_unassigned(c, func);
    c->func = NULL;
}

void check_function(struct checker *c, struct arc_func *func)
{
    if (!func->is_broken)
        check_function_body(c, func);
}
