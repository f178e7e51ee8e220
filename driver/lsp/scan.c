#include "driver/lsp/scan.h"

#include <string.h>

/* How far the head of a function was read. */
enum { HEAD_NAME, HEAD_CONFIG_DONE, HEAD_INPUTS_DONE, HEAD_OUTPUTS_DONE };

struct scanner {
    struct lsp_scan *scan;
    struct base_arena *arena;
    size_t cap_frames, cap_locals;
    const struct arc_token *tokens; /* with the EOF behind the last */
    uint32_t at;
    const char *text;
    enum lsp_frame_kind next_scope; /* SEQUENCE or STAGE: what the next brace opens; else ROOT */
    bool in_for;                    /* between the word for and its block */
    size_t n_before_for;
};

/* ---- Frames ------------------------------------------------------------------------------- */

/* A list with room for one more; it grows and shrinks all the time, so its room is remembered. */
static void *with_room(struct scanner *s, void *list, size_t n, size_t *cap, size_t elem_bytes)
{
    if (n < *cap)
        return list;
    *cap = *cap == 0 ? 16 : *cap * 2;
    void *room = base_arena_alloc_array(s->arena, *cap, elem_bytes, _Alignof(max_align_t));
    if (n > 0)
        memcpy(room, list, n * elem_bytes);
    return room;
}

static struct lsp_frame *top(struct scanner *s)
{
    return &s->scan->frames[s->scan->n_frames - 1];
}

static void push(struct scanner *s, enum lsp_frame_kind kind, size_t n_outside)
{
    struct lsp_scan *scan = s->scan;
    scan->frames = with_room(s, scan->frames, scan->n_frames, &s->cap_frames, sizeof *scan->frames);
    scan->frames[scan->n_frames++] =
        (struct lsp_frame){.kind = kind, .open = s->at, .n_outside = n_outside};
}

static void pop(struct scanner *s)
{
    if (s->scan->n_frames == 1)
        return;
    const struct lsp_frame *frame = top(s);
    if (frame->kind == LSP_FRAME_BLOCK || frame->kind == LSP_FRAME_FUNC)
        s->scan->n_locals = frame->n_outside;
    s->scan->n_frames--;
}

static bool is_round(enum lsp_frame_kind kind)
{
    return kind == LSP_FRAME_PAREN || kind == LSP_FRAME_IMPORTS || kind == LSP_FRAME_AUTHORITY;
}

static bool is_in(const struct scanner *s, enum lsp_frame_kind kind)
{
    for (size_t i = 0; i < s->scan->n_frames; i++) {
        if (s->scan->frames[i].kind == kind)
            return true;
    }
    return false;
}

static enum arc_token_kind kind_at(const struct scanner *s, uint32_t at)
{
    return at < s->scan->check->tokens.n ? s->tokens[at].kind : ARC_TOK_EOF;
}

static enum arc_token_kind kind_before(const struct scanner *s)
{
    return s->at == 0 ? ARC_TOK_EOF : s->tokens[s->at - 1].kind;
}

static bool is_at_margin(const struct scanner *s)
{
    uint32_t start = s->tokens[s->at].span.start;
    return start == 0 || s->text[start - 1] == '\n';
}

/* ---- Locals ------------------------------------------------------------------------------- */

static void declare(struct scanner *s, enum arc_var_kind kind)
{
    struct lsp_scan *scan = s->scan;
    scan->locals = with_room(s, scan->locals, scan->n_locals, &s->cap_locals, sizeof *scan->locals);
    scan->locals[scan->n_locals++] = (struct lsp_local){s->at, kind};
}

bool lsp_token_begins_type(const struct arc_token *token)
{
    return token->kind == ARC_TOK_CHAN || token->kind == ARC_TOK_SERIES ||
           (token->kind >= ARC_TOK_I8 && token->kind <= ARC_TOK_STR);
}

/* The braces before the inputs hold config; behind the inputs come outputs. */
static enum arc_var_kind param_kind(const struct scanner *s)
{
    const struct lsp_frame *params = &s->scan->frames[s->scan->n_frames - 1];
    if (s->tokens[params->open].kind == ARC_TOK_LBRACE)
        return ARC_VAR_CONFIG;
    const struct lsp_frame *func = params - 1;
    return func->step >= HEAD_INPUTS_DONE ? ARC_VAR_OUTPUT : ARC_VAR_INPUT;
}

static void name(struct scanner *s)
{
    enum arc_token_kind next = kind_at(s, s->at + 1);
    bool has_type = lsp_token_begins_type(&s->tokens[s->at + 1]);
    const struct lsp_frame *frame = top(s);
    if (frame->kind == LSP_FRAME_PARAMS && has_type)
        declare(s, param_kind(s));
    else if (frame->kind == LSP_FRAME_FUNC && frame->step >= HEAD_INPUTS_DONE && has_type)
        declare(s, ARC_VAR_OUTPUT);
    else if (frame->kind == LSP_FRAME_BLOCK && s->in_for &&
             (next == ARC_TOK_COMMA || next == ARC_TOK_DECLARE))
        declare(s, ARC_VAR_LOOP);
    else if (frame->kind == LSP_FRAME_BLOCK && kind_before(s) != ARC_TOK_DOT &&
             (next == ARC_TOK_DECLARE || next == ARC_TOK_STATE || has_type))
        declare(s, next == ARC_TOK_STATE ? ARC_VAR_STATE : ARC_VAR_LOCAL);
}

/* ---- Brackets ----------------------------------------------------------------------------- */

/* Behind a brace: the entries of a routing table. */
static bool is_table(const struct scanner *s)
{
    enum arc_token_kind third = kind_at(s, s->at + 2);
    return kind_at(s, s->at + 1) == ARC_TOK_IDENT &&
           (third == ARC_TOK_COLON || third == ARC_TOK_ARROW || third == ARC_TOK_FAT_ARROW);
}

static bool is_name_before(const struct scanner *s)
{
    enum arc_token_kind before = kind_before(s);
    return before == ARC_TOK_IDENT ||
           (before == ARC_TOK_FOR && s->at >= 2 && kind_at(s, s->at - 2) == ARC_TOK_DOT);
}

static void open_in_func(struct scanner *s)
{
    if (top(s)->step == HEAD_NAME)
        push(s, LSP_FRAME_PARAMS, s->scan->n_locals);
    else
        push(s, LSP_FRAME_BLOCK, s->scan->n_locals);
}

static void open_brace(struct scanner *s)
{
    enum lsp_frame_kind scope = s->next_scope;
    s->next_scope = LSP_FRAME_ROOT;
    if (top(s)->kind == LSP_FRAME_FUNC) {
        open_in_func(s);
    } else if (is_in(s, LSP_FRAME_FUNC)) {
        push(s, LSP_FRAME_BLOCK, s->in_for ? s->n_before_for : s->scan->n_locals);
        s->in_for = false;
    } else if (scope != LSP_FRAME_ROOT) {
        push(s, scope, s->scan->n_locals);
    } else {
        bool is_invoke = is_name_before(s) && !is_table(s);
        push(s, is_invoke ? LSP_FRAME_INVOKE : LSP_FRAME_TABLE, s->scan->n_locals);
    }
}

static void open_paren(struct scanner *s)
{
    enum arc_token_kind before = kind_before(s);
    enum lsp_frame_kind kind = LSP_FRAME_PAREN;
    if (top(s)->kind == LSP_FRAME_FUNC)
        kind = LSP_FRAME_PARAMS;
    else if (before == ARC_TOK_IMPORT)
        kind = LSP_FRAME_IMPORTS;
    else if (before == ARC_TOK_AUTHORITY)
        kind = LSP_FRAME_AUTHORITY;
    push(s, kind, s->scan->n_locals);
}

static void end_of_params(struct scanner *s, bool by_brace)
{
    struct lsp_frame *func = top(s);
    if (by_brace)
        func->step = HEAD_CONFIG_DONE;
    else
        func->step = func->step >= HEAD_INPUTS_DONE ? HEAD_OUTPUTS_DONE : HEAD_INPUTS_DONE;
}

/* Parentheses that were never closed end with the brace around them. */
static void close_brace(struct scanner *s)
{
    while (is_round(top(s)->kind) ||
           (top(s)->kind == LSP_FRAME_PARAMS && s->tokens[top(s)->open].kind == ARC_TOK_LPAREN))
        pop(s);
    enum lsp_frame_kind kind = top(s)->kind;
    if (kind == LSP_FRAME_FUNC)
        return;
    pop(s);
    if (kind == LSP_FRAME_PARAMS)
        end_of_params(s, true);
    if (kind == LSP_FRAME_BLOCK && top(s)->kind == LSP_FRAME_FUNC)
        pop(s);
}

static void close_paren(struct scanner *s)
{
    enum lsp_frame_kind kind = top(s)->kind;
    if (is_round(kind)) {
        pop(s);
    } else if (kind == LSP_FRAME_PARAMS && s->tokens[top(s)->open].kind == ARC_TOK_LPAREN) {
        pop(s);
        end_of_params(s, false);
    }
}

/* ---- Tokens ------------------------------------------------------------------------------- */

static void reset(struct scanner *s)
{
    s->scan->n_frames = 1;
    s->scan->n_locals = 0;
    s->next_scope = LSP_FRAME_ROOT;
    s->in_for = false;
}

/* A word of the top level at the left margin ends what was left open before it, as for the parser;
 * sequences and stages may be written without indentation, so they end functions only. */
static void end_what_is_open(struct scanner *s)
{
    enum arc_token_kind kind = s->tokens[s->at].kind;
    if (s->scan->n_frames == 1 || !is_at_margin(s))
        return;
    bool is_scope = kind == ARC_TOK_SEQUENCE || kind == ARC_TOK_STAGE;
    if (kind == ARC_TOK_FUNC || kind == ARC_TOK_IMPORT || (is_scope && is_in(s, LSP_FRAME_FUNC)) ||
        (top(s)->kind == LSP_FRAME_FUNC && kind != ARC_TOK_LBRACE))
        reset(s);
}

static void step(struct scanner *s)
{
    end_what_is_open(s);
    switch (s->tokens[s->at].kind) {
    case ARC_TOK_FUNC: push(s, LSP_FRAME_FUNC, s->scan->n_locals); break;
    case ARC_TOK_SEQUENCE: s->next_scope = LSP_FRAME_SEQUENCE; break;
    case ARC_TOK_STAGE: s->next_scope = LSP_FRAME_STAGE; break;
    case ARC_TOK_FOR:
        if (kind_before(s) != ARC_TOK_DOT) {
            s->in_for = true;
            s->n_before_for = s->scan->n_locals;
        }
        break;
    case ARC_TOK_IDENT: name(s); break;
    case ARC_TOK_LBRACE: open_brace(s); break;
    case ARC_TOK_LPAREN: open_paren(s); break;
    case ARC_TOK_LBRACKET: push(s, LSP_FRAME_PAREN, s->scan->n_locals); break;
    case ARC_TOK_RBRACE: close_brace(s); break;
    case ARC_TOK_RPAREN:
    case ARC_TOK_RBRACKET: close_paren(s); break;
    default: break;
    }
}

struct lsp_scan lsp_scan_to(struct base_arena *arena, const struct lsp_check *check,
                            uint32_t offset)
{
    struct lsp_scan scan = {.check = check};
    struct scanner s = {.scan = &scan,
                        .arena = arena,
                        .tokens = check->tokens.list,
                        .text = check->source.text,
                        .next_scope = LSP_FRAME_ROOT};
    push(&s, LSP_FRAME_ROOT, 0);
    for (; s.tokens[s.at].kind != ARC_TOK_EOF && s.tokens[s.at].span.start < offset; s.at++)
        step(&s);
    scan.token = s.at;
    return scan;
}

/* ---- Questions ---------------------------------------------------------------------------- */

const struct lsp_frame *lsp_scan_frame(const struct lsp_scan *scan)
{
    size_t i = scan->n_frames - 1;
    while (scan->frames[i].kind == LSP_FRAME_PAREN)
        i--;
    return &scan->frames[i];
}

const struct lsp_frame *lsp_scan_func(const struct lsp_scan *scan)
{
    for (size_t i = scan->n_frames; i-- > 0;) {
        if (scan->frames[i].kind == LSP_FRAME_FUNC)
            return &scan->frames[i];
    }
    return NULL;
}

bool lsp_token_is(const struct arc_token *token, const char *name, size_t len)
{
    return token->kind == ARC_TOK_IDENT && token->len == len && memcmp(token->text, name, len) == 0;
}

const struct lsp_local *lsp_scan_local(const struct lsp_scan *scan, const char *name, size_t len)
{
    for (size_t i = scan->n_locals; i-- > 0;) {
        if (lsp_token_is(&scan->check->tokens.list[scan->locals[i].token], name, len))
            return &scan->locals[i];
    }
    return NULL;
}

uint32_t lsp_token_at(const struct lsp_check *check, uint32_t offset)
{
    const struct arc_token *list = check->tokens.list;
    size_t low = 0, high = check->tokens.n - 1;
    while (low < high) { /* the first token that ends at the offset or behind it */
        size_t middle = low + (high - low) / 2;
        if (list[middle].span.end >= offset)
            high = middle;
        else
            low = middle + 1;
    }
    if (list[low].kind == ARC_TOK_EOF || list[low].span.start > offset)
        return LSP_NO_TOKEN;
    const struct arc_token *next = &list[low + 1];
    bool is_between = next->kind != ARC_TOK_EOF && next->span.start == offset;
    bool is_word =
        list[low].ident != NULL || list[low].kind == ARC_TOK_INT || list[low].kind == ARC_TOK_FLOAT;
    if (is_between && !is_word)
        return (uint32_t)low + 1;
    return (uint32_t)low;
}
