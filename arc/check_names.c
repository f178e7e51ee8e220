/* Name tables: the program level, the names of a function, channels, the library.
 *
 * What a name means is stored in the interned name itself. Locals and members are put there when
 * their block or scope begins and taken back at its end.
 */
#include "arc/check_priv.h"

#include "arc/text.h"

#include <string.h>

/* ---- Channels ----------------------------------------------------------------------------- */

static uint32_t hash_name(const char *name)
{
    uint32_t hash = 2166136261u;
    for (; *name != '\0'; name++)
        hash = (hash ^ (unsigned char)*name) * 16777619u;
    return hash;
}

void check_names_init(struct checker *c)
{
    c->n_slots = 16;
    while (c->n_slots < c->table->n_chans * 2)
        c->n_slots *= 2;
    c->slots = base_arena_array(c->arena, struct chan_slot, c->n_slots);
    for (size_t i = 0; i < c->table->n_chans; i++) {
        const struct arc_chan_info *info = &c->table->chans[i];
        uint32_t hash = hash_name(info->name);
        size_t at = hash & (c->n_slots - 1);
        while (c->slots[at].info != NULL)
            at = (at + 1) & (c->n_slots - 1);
        c->slots[at] = (struct chan_slot){info, hash};
    }
}

static const struct arc_chan_info *find_info(const struct checker *c, const struct arc_ident *ident)
{
    uint32_t hash = hash_name(ident->text);
    for (size_t at = hash & (c->n_slots - 1); c->slots[at].info != NULL;
         at = (at + 1) & (c->n_slots - 1)) {
        if (c->slots[at].hash == hash && strcmp(c->slots[at].info->name, ident->text) == 0)
            return c->slots[at].info;
    }
    return NULL;
}

static struct arc_type sample_type(enum telem_type type)
{
    if (type == TELEM_TIMESTAMP)
        return arc_type_make(ARC_SHAPE_SCALAR, TELEM_I64, arc_unit_find("ns", 2));
    return arc_type_scalar(type);
}

struct arc_channel *check_channel(struct checker *c, struct arc_ident *ident)
{
    if (ident->channel_looked_up)
        return ident->channel;
    ident->channel_looked_up = true;
    const struct arc_chan_info *info = find_info(c, ident);
    if (info == NULL)
        return NULL;
    struct arc_channel *channel = base_arena_new(c->arena, struct arc_channel);
    channel->name = ident->text;
    channel->index = (uint32_t)c->program->n_channels;
    channel->table_index = (uint32_t)(info - c->table->chans);
    channel->type = sample_type(info->type);
    channel->authority = -1;
    *ARC_APPEND(c->arena, c->program->channels, c->program->n_channels) = channel;
    ident->channel = channel;
    return channel;
}

bool check_writable(struct checker *c, const struct arc_channel *channel, struct arc_span span)
{
    if (!c->table->chans[channel->table_index].is_read_only)
        return true;
    check_error(c, ARC_CODE_NONE, span, "channel '%s' cannot be written: it is read-only",
                channel->name);
    return false;
}

/* ---- Undefined names ---------------------------------------------------------------------- */

enum { NEAR_MAX = 2, NEAR_DISTANCE = 2 };

struct near {
    const char *wanted;
    const char *names[NEAR_MAX];
    unsigned distances[NEAR_MAX];
    size_t n;
};

static void consider(struct near *near, const char *name)
{
    unsigned distance = arc_text_distance(near->wanted, name, NEAR_DISTANCE);
    /* In a short name two edits leave nothing of it. */
    if (distance == 0 || distance > NEAR_DISTANCE || distance >= strlen(near->wanted))
        return;
    for (size_t i = 0; i < near->n; i++) {
        if (strcmp(near->names[i], name) == 0)
            return;
    }
    size_t at = near->n;
    while (at > 0 && near->distances[at - 1] > distance)
        at--;
    if (at == NEAR_MAX)
        return;
    if (near->n < NEAR_MAX)
        near->n++;
    for (size_t i = near->n - 1; i > at; i--) {
        near->names[i] = near->names[i - 1];
        near->distances[i] = near->distances[i - 1];
    }
    near->names[at] = name;
    near->distances[at] = distance;
}

static void consider_program(struct checker *c, struct near *near)
{
    for (size_t i = 0; i < c->n_visible; i++)
        consider(near, c->visible[i]->name);
    for (size_t i = 0; i < c->program->n_funcs; i++)
        consider(near, c->program->funcs[i]->name);
    for (size_t i = 0; i < c->program->n_consts; i++)
        consider(near, c->program->consts[i]->ident->text);
    for (size_t i = 0; i < c->program->n_scopes; i++) {
        if (c->program->scopes[i]->name != NULL)
            consider(near, c->program->scopes[i]->name);
    }
    for (size_t i = 0; i < c->table->n_chans; i++)
        consider(near, c->table->chans[i].name);
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *member = arc_lib_get((enum arc_lib_id)i);
        if (member->module == NULL)
            consider(near, member->name);
    }
    for (enum arc_token_kind kind = ARC_TOK_FUNC; kind <= ARC_TOK_NOT; kind++)
        consider(near, arc_token_kind_text(kind));
}

static void hint_undefined(struct checker *c, struct arc_diag *diag, const struct arc_ident *ident)
{
    if (arc_lib_has_module(ident->text)) {
        check_hint(c, diag, "add: import %s", ident->text);
        return;
    }
    struct near near = {.wanted = ident->text};
    consider_program(c, &near);
    if (near.n == 1)
        check_hint(c, diag, "did you mean '%s'?", near.names[0]);
    else if (near.n == 2)
        check_hint(c, diag, "did you mean '%s' or '%s'?", near.names[0], near.names[1]);
}

/* After a syntax error the declaration may be what could not be read. */
void check_undefined(struct checker *c, struct arc_ident *ident, struct arc_span span)
{
    if (c->program->may_lack_names)
        return;
    struct arc_diag *diag =
        check_error(c, ARC_CODE_UNDEFINED, span, "undefined symbol: %s", ident->text);
    if (!ident->was_reported)
        hint_undefined(c, diag, ident);
    ident->was_reported = true;
}

/* ---- Declarations ------------------------------------------------------------------------- */

void check_conflict(struct checker *c, const char *name, struct arc_span span,
                    struct arc_span earlier)
{
    struct arc_pos pos = arc_source_pos(c->program->source, earlier.start);
    check_error(c, ARC_CODE_REDEFINED, span,
                "name %s conflicts with the declaration at line %u, column %u", name, pos.line,
                pos.col);
}

bool check_declare_local(struct checker *c, struct arc_var *var)
{
    struct arc_ident *ident = var->ident;
    if (ident->local != NULL || ident->symbol != NULL) {
        check_conflict(c, var->name, var->span,
                       ident->local ? ident->local->span : ident->symbol->span);
        return false;
    }
    ident->local = var;
    *ARC_APPEND(c->arena, c->visible, c->n_visible) = var;
    return true;
}

void check_leave_block(struct checker *c, size_t n_visible)
{
    for (size_t i = n_visible; i < c->n_visible; i++)
        c->visible[i]->ident->local = NULL;
    c->n_visible = n_visible;
}

void check_excuse_import(const struct arc_symbol *symbol)
{
    if (symbol->kind == ARC_SYM_IMPORT)
        symbol->u.import->is_used = true;
}

/* The first in the text keeps the name. */
static void declare(struct checker *c, struct arc_ident *ident, struct arc_symbol symbol)
{
    struct arc_symbol *other = ident->symbol;
    if (other != NULL)
        check_excuse_import(other);
    if (other != NULL && other->span.start <= symbol.span.start) {
        check_conflict(c, ident->text, symbol.span, other->span);
        return;
    }
    if (other != NULL)
        check_conflict(c, ident->text, other->span, symbol.span);
    ident->symbol = base_arena_new(c->arena, struct arc_symbol);
    *ident->symbol = symbol;
}

static void declare_import(struct checker *c, struct arc_import *import)
{
    const char *name = import->path[import->n_path - 1]->text;
    if (import->n_path != 1 || !arc_lib_has_module(name)) {
        struct arc_diag *diag =
            check_error(c, ARC_CODE_NONE, import->path_span, "no module named \"%s\"",
                        check_source_text(c, import->path_span));
        check_hint(c, diag, "there are: control, math, stable, status, time");
        import->is_used = true;
    } else {
        import->module = name;
    }
    struct arc_symbol *other = import->alias->symbol;
    if (other != NULL) {
        check_error(c, ARC_CODE_NONE, import->alias_span, "\"%s\" is imported twice",
                    import->alias->text);
        import->is_used = true;
        return;
    }
    declare(c, import->alias,
            (struct arc_symbol){ARC_SYM_IMPORT, import->alias_span, {.import = import}});
}

static void mark_used_imports(struct checker *c)
{
    for (size_t i = 0; i < c->program->n_members; i++) {
        const struct arc_symbol *symbol = c->program->members[i]->u.member.module->symbol;
        if (symbol != NULL && symbol->kind == ARC_SYM_IMPORT)
            symbol->u.import->is_used = true;
    }
}

void check_declare_program(struct checker *c)
{
    struct arc_program *program = c->program;
    for (size_t i = 0; i < program->n_imports; i++)
        declare_import(c, &program->imports[i]);
    mark_used_imports(c);
    for (size_t i = 0; i < program->n_consts; i++) {
        struct arc_const *constant = program->consts[i];
        declare(c, constant->ident,
                (struct arc_symbol){ARC_SYM_CONST, constant->name_span, {.constant = constant}});
    }
    for (size_t i = 0; i < program->n_funcs; i++) {
        struct arc_func *func = program->funcs[i];
        declare(c, func->ident, (struct arc_symbol){ARC_SYM_FUNC, func->name_span, {.func = func}});
    }
    for (size_t i = 0; i < program->n_scopes; i++) {
        struct arc_scope *scope = program->scopes[i];
        if (scope->parent == program->root && !scope->is_inline && scope->ident != NULL)
            declare(c, scope->ident,
                    (struct arc_symbol){ARC_SYM_SCOPE, scope->name_span, {.scope = scope}});
    }
}

/* What could not be read may be what uses it. */
void check_unused_imports(struct checker *c)
{
    if (c->program->has_syntax_errors)
        return;
    for (size_t i = 0; i < c->program->n_imports; i++) {
        const struct arc_import *import = &c->program->imports[i];
        if (!import->is_used)
            check_error(c, ARC_CODE_UNUSED_IMPORT, import->path_span,
                        "nothing uses the import \"%s\"", import->alias->text);
    }
}

/* ---- The library -------------------------------------------------------------------------- */

const char *check_lib_name(struct checker *c, const struct arc_lib_member *member)
{
    if (member->module == NULL)
        return member->name;
    return base_arena_printf(c->arena, "%s.%s", member->module, member->name);
}

static struct arc_import *alias_of_module(const struct checker *c, const char *module)
{
    for (size_t i = 0; i < c->program->n_imports; i++) {
        struct arc_import *import = &c->program->imports[i];
        if (import->module != NULL && strcmp(import->module, module) == 0)
            return import;
    }
    return NULL;
}

static void no_such_module(struct checker *c, const struct arc_expr *member)
{
    struct arc_ident *module = member->u.member.module;
    struct arc_import *import = alias_of_module(c, module->text);
    if (c->program->may_lack_names)
        return;
    struct arc_diag *diag =
        check_error(c, ARC_CODE_UNDEFINED, member->span, "undefined symbol: %s", module->text);
    if (import == NULL) {
        hint_undefined(c, diag, module);
        return;
    }
    import->is_used = true; /* under a wrong name is not unused */
    check_hint(c, diag, "the module is imported as '%s'", import->alias->text);
}

const struct arc_lib_member *check_lib_member(struct checker *c, const struct arc_expr *member)
{
    const struct arc_ident *module = member->u.member.module;
    const struct arc_ident *name = member->u.member.name;
    if (module->local != NULL || (module->symbol && module->symbol->kind != ARC_SYM_IMPORT)) {
        check_error(c, ARC_CODE_UNDEFINED, member->span,
                    "undefined symbol: %s.%s ('%s' is no module)", module->text, name->text,
                    module->text);
        return NULL;
    }
    if (module->symbol == NULL) {
        no_such_module(c, member);
        return NULL;
    }
    const char *module_name = module->symbol->u.import->module;
    if (module_name == NULL)
        return NULL; /* the import was reported */
    const struct arc_lib_member *found = arc_lib_find(module_name, name->text);
    if (found == NULL)
        check_error(c, ARC_CODE_UNDEFINED, member->span, "undefined symbol: %s.%s", module->text,
                    name->text);
    return found;
}

const struct arc_lib_member *check_lib_bare(struct checker *c, const struct arc_ident *ident,
                                            struct arc_span span)
{
    const struct arc_lib_member *member = arc_lib_find_bare(ident->text);
    if (member != NULL && member->module != NULL)
        check_warning(c, ARC_CODE_DEPRECATED, span, "'%s' is deprecated, use '%s'", ident->text,
                      check_lib_name(c, member));
    return member;
}
