/* Completion: what may stand at the cursor.
 *
 * The tokens before the cursor say in which of a dozen places it is; each place offers what has a
 * meaning there. The client filters by what was typed; only of a very long list is the prefix
 * taken into account here.
 */
#include "driver/lsp/answer.h"
#include "driver/lsp/describe.h"

#include "arc/text.h"

#include <string.h>
#include <strings.h>

/* The protocol's numbers. */
enum {
    KIND_FUNCTION = 3,
    KIND_FIELD = 5,
    KIND_VARIABLE = 6,
    KIND_CLASS = 7,
    KIND_MODULE = 9,
    KIND_PROPERTY = 10,
    KIND_UNIT = 11,
    KIND_KEYWORD = 14,
    KIND_CONSTANT = 21,
    KIND_EVENT = 23,
    KIND_TYPE = 25,
};

struct completion {
    const struct lsp_view *view;
    const struct lsp_client *client;
    struct lsp_scan scan;
    uint32_t start; /* of what was typed of the name */
    uint32_t end;
    bool by_prefix; /* only what begins with what was typed */
    bool is_cut;
    json_t *items;
};

/* ---- Items -------------------------------------------------------------------------------- */

static bool is_wanted(struct completion *c, const char *label)
{
    const char *typed = c->view->check->source.text + c->start;
    if (c->by_prefix && strncasecmp(label, typed, c->end - c->start) != 0)
        return false;
    if (json_array_size(c->items) < LSP_COMPLETIONS_MAX)
        return true;
    c->is_cut = true;
    return false;
}

/* The item, to add to; NULL: it was left out. */
static json_t *add(struct completion *c, const char *label, int kind, const char *detail,
                   const char *notes)
{
    if (!is_wanted(c, label))
        return NULL;
    json_t *item = json_pack("{s:o, s:i}", "label", lsp_json_text(label), "kind", kind);
    if (detail[0] != '\0')
        json_object_set_new(item, "detail", lsp_json_text(detail));
    if (notes[0] != '\0')
        json_object_set_new(item, "documentation", lsp_json_markup(c->client, notes));
    json_array_append_new(c->items, item);
    return item;
}

static int kind_of(const struct lsp_symbol *symbol)
{
    switch (symbol->kind) {
    case LSP_SYMBOL_FUNC:
    case LSP_SYMBOL_LIB: return KIND_FUNCTION;
    case LSP_SYMBOL_CONST: return KIND_CONSTANT;
    case LSP_SYMBOL_SCOPE: return symbol->scope->kind == ARC_SCOPE_STAGE ? KIND_EVENT : KIND_CLASS;
    case LSP_SYMBOL_MODULE: return KIND_MODULE;
    case LSP_SYMBOL_CHANNEL: return KIND_FIELD;
    case LSP_SYMBOL_LIB_PARAM: return KIND_PROPERTY;
    case LSP_SYMBOL_UNIT: return KIND_UNIT;
    default: return KIND_VARIABLE;
    }
}

static json_t *add_symbol(struct completion *c, const struct lsp_symbol *symbol)
{
    if (!is_wanted(c, symbol->name))
        return NULL;
    return add(c, symbol->name, kind_of(symbol), lsp_describe_line(c->view, symbol),
               lsp_describe_notes(c->view, symbol));
}

static void add_words(struct completion *c, const char *const *words, size_t n)
{
    for (size_t i = 0; i < n; i++)
        add(c, words[i], KIND_KEYWORD, "", "");
}

/* What is put in with the name, when nothing like it follows: "$1" is where the cursor goes. */
static void set_tail(struct completion *c, json_t *item, const char *name, char open,
                     const char *snippet, const char *plain)
{
    const struct arc_source *source = &c->view->check->source;
    if (item == NULL || snippet[0] == '\0' ||
        (c->end < source->len && source->text[c->end] == open))
        return;
    const char *tail = c->client->has_snippets ? snippet : plain;
    json_object_set_new(item, "insertText",
                        lsp_json_text(base_arena_printf(c->view->arena, "%s%s", name, tail)));
    if (c->client->has_snippets)
        json_object_set_new(item, "insertTextFormat", json_integer(2));
}

/* ---- Functions ---------------------------------------------------------------------------- */

/* "{kp=$1, ki=$2}$0": what has no default. */
static const char *config_snippet(struct completion *c, const struct lsp_callee *callee)
{
    bool is_func = callee->func != NULL;
    size_t n = is_func ? callee->func->n_config : callee->lib->n_config;
    const char *text = "";
    int number = 0;
    for (size_t i = 0; i < n; i++) {
        if (is_func ? callee->func->config[i]->has_default : callee->lib->config[i].is_optional)
            continue;
        const char *name = is_func ? callee->func->config[i]->name : callee->lib->config[i].name;
        number++;
        text = base_arena_printf(c->view->arena, "%s%s%s=$%d", text, number > 1 ? ", " : "", name,
                                 number);
    }
    if (number == 0 && n > 0)
        text = "$1";
    return base_arena_printf(c->view->arena, "{%s}$0", text);
}

static bool is_in_body(const struct completion *c)
{
    return lsp_scan_func(&c->scan) != NULL;
}

static void set_use(struct completion *c, json_t *item, const char *name,
                    const struct lsp_callee *callee, bool is_call)
{
    bool has_args = callee->lib != NULL || callee->func->n_inputs > 0;
    if (is_call)
        set_tail(c, item, name, '(', has_args ? "($1)$0" : "()$0", "(");
    else
        set_tail(c, item, name, '{', config_snippet(c, callee), "{");
}

static void add_func(struct completion *c, const struct arc_func *func)
{
    bool is_call = is_in_body(c);
    /* A function with config or named outputs only works as a node of a flow. */
    if (is_call && (func->n_config > 0 || func->n_outputs > 0))
        return;
    struct lsp_symbol symbol = {
        .kind = LSP_SYMBOL_FUNC, .name = func->name, .declared = func->name_span, .func = func};
    set_use(c, add_symbol(c, &symbol), func->name, &(struct lsp_callee){.func = func}, is_call);
}

static void add_lib(struct completion *c, const struct arc_lib_member *lib)
{
    bool is_call = is_in_body(c) || !(lib->use & ARC_USE_FLOW);
    if (is_in_body(c) ? lib->use == ARC_USE_FLOW : lib->use == ARC_USE_FOR)
        return;
    struct lsp_symbol symbol = {.kind = LSP_SYMBOL_LIB, .name = lib->name, .lib = lib};
    set_use(c, add_symbol(c, &symbol), lib->name, &(struct lsp_callee){.lib = lib}, is_call);
}

/* ---- Sets of names ------------------------------------------------------------------------ */

static void add_channels(struct completion *c)
{
    for (size_t i = 0; i < c->view->channels->n; i++) {
        const struct lsp_channel *channel = &c->view->channels->v[i];
        add_symbol(c, &(struct lsp_symbol){
                          .kind = LSP_SYMBOL_CHANNEL, .name = channel->name, .channel = channel});
    }
}

static void add_locals(struct completion *c)
{
    for (size_t i = 0; i < c->scan.n_locals; i++) {
        struct lsp_symbol symbol = lsp_symbol_of_local(c->view, &c->scan, &c->scan.locals[i]);
        add_symbol(c, &symbol);
    }
}

static void add_constants(struct completion *c)
{
    const struct arc_program *program = c->view->check->program;
    for (size_t i = 0; i < program->n_consts; i++) {
        const struct arc_const *constant = program->consts[i];
        add_symbol(c, &(struct lsp_symbol){.kind = LSP_SYMBOL_CONST,
                                           .name = constant->ident->text,
                                           .declared = constant->name_span,
                                           .constant = constant});
    }
}

static void add_functions(struct completion *c)
{
    const struct arc_program *program = c->view->check->program;
    for (size_t i = 0; i < program->n_funcs; i++)
        add_func(c, program->funcs[i]);
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *lib = arc_lib_get((enum arc_lib_id)i);
        if (lib->module == NULL)
            add_lib(c, lib);
    }
}

/* Sequences and stages that a flow at the cursor can target: items of the sequences around it, and
 * the top level. */
static void add_targets(struct completion *c)
{
    const struct arc_program *program = c->view->check->program;
    for (size_t i = 0; i < program->n_scopes; i++) {
        const struct arc_scope *scope = program->scopes[i];
        const struct arc_scope *owner = scope->parent;
        if (scope->name == NULL || owner == NULL || scope->is_inline)
            continue;
        bool is_around =
            owner->parent == NULL || (owner->span.start < c->start && c->start <= owner->span.end);
        if (is_around)
            add_symbol(c, &(struct lsp_symbol){.kind = LSP_SYMBOL_SCOPE,
                                               .name = scope->name,
                                               .declared = scope->name_span,
                                               .scope = scope});
    }
}

/* ---- Modules ------------------------------------------------------------------------------ */

/* Imports stand before everything else: the new one goes before the first token. */
static json_t *import_edit(struct completion *c, const char *module)
{
    const struct lsp_check *check = c->view->check;
    uint32_t at = check->tokens.list[0].span.start;
    while (at > 0 && check->source.text[at - 1] != '\n')
        at--;
    bool has_imports = check->tokens.list[0].kind == ARC_TOK_IMPORT;
    const char *text =
        base_arena_printf(c->view->arena, "import %s\n%s", module, has_imports ? "" : "\n");
    return json_pack("[{s:o, s:o}]", "range", lsp_json_range(c->view, at, at), "newText",
                     lsp_json_text(text));
}

static const struct arc_import *import_of(const struct lsp_check *check, const char *module)
{
    for (size_t i = 0; i < check->program->n_imports; i++) {
        const struct arc_import *import = &check->program->imports[i];
        if (import->module != NULL && strcmp(import->module, module) == 0)
            return import;
    }
    return NULL;
}

static void add_module(struct completion *c, const char *module, bool in_import)
{
    const struct arc_import *import = import_of(c->view->check, module);
    struct lsp_symbol symbol = {.kind = LSP_SYMBOL_MODULE, .name = module, .import = import};
    const char *notes = lsp_describe_notes(c->view, &symbol);
    if (in_import || import != NULL) {
        const char *name = in_import ? module : import->alias->text;
        add(c, name, KIND_MODULE, lsp_describe_line(c->view, &symbol), notes);
        return;
    }
    json_t *item = add(c, module, KIND_MODULE, "adds the import", notes);
    if (item != NULL)
        json_object_set_new(item, "additionalTextEdits", import_edit(c, module));
}

static void add_modules(struct completion *c, bool in_import)
{
    const char *before = "";
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const char *module = arc_lib_get((enum arc_lib_id)i)->module;
        if (module == NULL || strcmp(module, before) == 0)
            continue; /* members of one module stand together */
        add_module(c, module, in_import);
        before = module;
    }
}

static void add_members(struct completion *c, const struct arc_token *name)
{
    const char *module = base_arena_strndup(c->view->arena, name->text, name->len);
    const struct arc_import *import = lsp_import_named(c->view->check, name->text, name->len);
    if (import != NULL)
        module = import->module;
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *lib = arc_lib_get((enum arc_lib_id)i);
        if (lib->module != NULL && strcmp(lib->module, module) == 0)
            add_lib(c, lib);
    }
}

/* ---- Types and units ---------------------------------------------------------------------- */

static void add_prims(struct completion *c)
{
#define NUMBER(NAME, name, ctype, bytes) add(c, #name, KIND_TYPE, "", "");
    TELEM_NUMBER_TYPES(NUMBER)
#undef NUMBER
    add(c, "str", KIND_TYPE, "", "");
}

static void add_types(struct completion *c)
{
    static const char *const words[] = {"chan", "series"};
    add_prims(c);
    add_words(c, words, ARCD_COUNT_OF(words));
}

static void add_units(struct completion *c)
{
    static const char *const names[] = {
        "ns",  "us",  "ms",  "s",    "min", "h",   "d",   "mm",    "cm",      "m",
        "km",  "g",   "kg",  "Pa",   "kPa", "MPa", "bar", "mbar",  "psi",     "atm",
        "Hz",  "kHz", "MHz", "mV",   "V",   "kV",  "mA",  "A",     "K",       "rad",
        "deg", "rev", "bit", "byte", "KB",  "MB",  "GB",  "count", "samples", "pct",
    };
    for (size_t i = 0; i < ARCD_COUNT_OF(names); i++) {
        struct lsp_symbol symbol = {.kind = LSP_SYMBOL_UNIT,
                                    .name = names[i],
                                    .unit = arc_unit_find(names[i], strlen(names[i]))};
        if (symbol.unit != NULL)
            add_symbol(c, &symbol);
    }
}

/* ---- Parameters --------------------------------------------------------------------------- */

static void add_vars(struct completion *c, const struct arc_func *func, struct arc_var *const *vars,
                     size_t n, const char *tail)
{
    for (size_t i = 0; i < n; i++) {
        struct lsp_symbol symbol = {.kind = LSP_SYMBOL_LOCAL,
                                    .name = vars[i]->name,
                                    .declared = vars[i]->span,
                                    .var_kind = vars[i]->kind,
                                    .var = vars[i],
                                    .type = vars[i]->type,
                                    .func = func};
        set_tail(c, add_symbol(c, &symbol), vars[i]->name, tail[0], tail, tail);
    }
}

static void add_params(struct completion *c, const struct arc_lib_member *lib,
                       const struct arc_lib_param *params, size_t n, const char *tail)
{
    for (size_t i = 0; i < n; i++) {
        if (params[i].name[0] == '\0')
            continue;
        struct lsp_symbol symbol = {
            .kind = LSP_SYMBOL_LIB_PARAM, .name = params[i].name, .lib = lib, .param = &params[i]};
        set_tail(c, add_symbol(c, &symbol), params[i].name, tail[0], tail, tail);
    }
}

static void add_config_names(struct completion *c, struct lsp_callee callee)
{
    if (callee.func != NULL)
        add_vars(c, callee.func, callee.func->config, callee.func->n_config, "=");
    if (callee.lib != NULL)
        add_params(c, callee.lib, callee.lib->config, callee.lib->n_config, "=");
}

static void add_inputs(struct completion *c, struct lsp_callee callee)
{
    if (callee.func != NULL)
        add_vars(c, callee.func, callee.func->inputs, callee.func->n_inputs, "");
    if (callee.lib != NULL)
        add_params(c, callee.lib, callee.lib->inputs, callee.lib->n_inputs, "");
}

static void add_outputs(struct completion *c, struct lsp_callee callee)
{
    if (callee.func != NULL)
        add_vars(c, callee.func, callee.func->outputs, callee.func->n_outputs, ": ");
    if (callee.lib != NULL)
        add_params(c, callee.lib, callee.lib->outputs, callee.lib->n_outputs, ": ");
}

/* ---- Places ------------------------------------------------------------------------------- */

static void in_body(struct completion *c)
{
    static const char *const words[] = {"if",       "else", "for", "return", "break",
                                        "continue", "and",  "or",  "not"};
    add_locals(c);
    add_constants(c);
    add_functions(c);
    add_channels(c);
    add_modules(c, false);
    add_words(c, words, ARCD_COUNT_OF(words));
    add_types(c);
}

/* Where a node can stand. */
static void add_nodes(struct completion *c)
{
    static const char *const words[] = {"next", "stage", "sequence", "and", "or", "not"};
    add_channels(c);
    add_constants(c);
    add_functions(c);
    add_targets(c);
    add_modules(c, false);
    add_words(c, words, ARCD_COUNT_OF(words));
    add_prims(c);
}

static void in_flows(struct completion *c, bool is_root)
{
    static const char *const words[] = {"func", "import", "authority"};
    add_nodes(c);
    if (is_root)
        add_words(c, words, ARCD_COUNT_OF(words));
}

static void in_invocation(struct completion *c, uint32_t open, enum arc_token_kind before)
{
    struct lsp_callee callee = lsp_callee_before(c->view, open);
    if (before != ARC_TOK_ASSIGN)
        add_config_names(c, callee);
    add_constants(c);
    add_channels(c);
}

static void in_table(struct completion *c, uint32_t open, enum arc_token_kind before)
{
    bool is_output = lsp_table_is_output(c->view->check, open);
    if (before == ARC_TOK_LBRACE || before == ARC_TOK_COMMA) {
        if (is_output)
            add_outputs(c, lsp_table_source(c->view, open));
        else
            add_channels(c);
        return;
    }
    add_inputs(c, lsp_table_target(c->view, open));
    add_nodes(c);
}

/* In the head of a function only types can be completed: behind a name, or as the output. */
static void in_head(struct completion *c, enum arc_token_kind before)
{
    if (before == ARC_TOK_IDENT || before == ARC_TOK_RPAREN)
        add_types(c);
}

static void by_frame(struct completion *c, enum arc_token_kind before)
{
    const struct lsp_frame *frame = lsp_scan_frame(&c->scan);
    switch (frame->kind) {
    case LSP_FRAME_IMPORTS: add_modules(c, true); break;
    case LSP_FRAME_AUTHORITY:
        if (before != ARC_TOK_IDENT)
            add_channels(c);
        break;
    case LSP_FRAME_FUNC:
    case LSP_FRAME_PARAMS: in_head(c, before); break;
    case LSP_FRAME_BLOCK: in_body(c); break;
    case LSP_FRAME_INVOKE: in_invocation(c, frame->open, before); break;
    case LSP_FRAME_TABLE: in_table(c, frame->open, before); break;
    case LSP_FRAME_ROOT: in_flows(c, true); break;
    default: in_flows(c, false); break;
    }
}

static void by_token_before(struct completion *c)
{
    const struct arc_token *list = c->view->check->tokens.list;
    uint32_t at = c->scan.token;
    static const struct arc_token none = {.kind = ARC_TOK_EOF};
    const struct arc_token *before = at > 0 ? &list[at - 1] : &none;
    switch (before->kind) {
    case ARC_TOK_DOT:
        if (at >= 2)
            add_members(c, &list[at - 2]);
        break;
    case ARC_TOK_IMPORT: add_modules(c, true); break;
    case ARC_TOK_AS:
    case ARC_TOK_FUNC:
    case ARC_TOK_SEQUENCE:
    case ARC_TOK_STAGE: break; /* a new name */
    case ARC_TOK_CHAN:
    case ARC_TOK_SERIES: add_prims(c); break;
    default:
        if (lsp_token_begins_type(before) && before->kind != ARC_TOK_STR)
            add_units(c);
        else
            by_frame(c, before->kind);
        break;
    }
}

/* ---- All ---------------------------------------------------------------------------------- */

/* What was typed of a name, and whether digits touch it: then it is a unit. */
static bool find_prefix(struct completion *c, uint32_t offset)
{
    const struct arc_source *source = &c->view->check->source;
    uint32_t at = offset;
    while (at > 0 && arc_is_name_byte((unsigned char)source->text[at - 1]))
        at--;
    bool is_number = at < offset && arc_is_digit((unsigned char)source->text[at]);
    while (is_number && at < offset && arc_is_digit((unsigned char)source->text[at]))
        at++;
    c->start = at;
    c->end = offset;
    return is_number || (at > 1 && source->text[at - 1] == '.' &&
                         arc_is_digit((unsigned char)source->text[at - 2]));
}

static void collect(struct completion *c, bool is_number)
{
    c->is_cut = false;
    json_decref(c->items);
    c->items = json_array();
    if (is_number)
        add_units(c);
    else
        by_token_before(c);
}

json_t *lsp_answer_completion(const struct lsp_view *view, const struct lsp_client *client,
                              uint32_t offset)
{
    struct completion c = {.view = view, .client = client};
    if (lsp_is_prose(view->check, offset))
        return json_null();
    bool is_number = find_prefix(&c, offset);
    c.scan = lsp_scan_to(view->arena, view->check, c.start);
    collect(&c, is_number);
    if (c.is_cut && c.start < c.end) {
        c.by_prefix = true;
        collect(&c, is_number);
        c.is_cut = true; /* the client asks again when the prefix is another */
    }
    return json_pack("{s:b, s:o}", "isIncomplete", c.is_cut, "items", c.items);
}
