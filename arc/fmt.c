/* The formatter: tokens with the parser's marks, and the comments between them, laid out anew.
 *
 * Each pair of neighbouring tokens is joined by a line break, a space or nothing. Three things
 * decide: structure (an item begins, a body opens), what the writer did (a break inside an item is
 * kept), and spacing by kind.
 */
#include "arc/fmt.h"

#include "arc/lexer.h"
#include "arc/list.h"
#include "arc/parser.h"

#include <string.h>

enum { INDENT = 4 };

enum gap { GAP_NONE, GAP_SPACE, GAP_BREAK };

/* An open bracket. */
struct group {
    size_t open;    /* token index */
    uint32_t level; /* of indentation, inside */
    uint32_t outer; /* of the line that the bracket stands in */
};

struct fmt {
    const struct arc_source *source;
    struct base_arena *arena;
    const struct arc_token *tokens;
    size_t n_tokens; /* with the EOF */
    const uint8_t *marks;
    const struct arc_comment *comments;
    size_t n_comments;

    size_t *match;     /* per opening bracket: its closing one */
    bool *is_expanded; /* per opening bracket: its content and the closing one begin lines */

    size_t next_comment;
    struct group *groups;
    size_t n_groups;
    uint32_t line_level; /* indentation of the line being written */
    char *out;
    size_t len;
    size_t cap;
};

static bool is_open(enum arc_token_kind kind)
{
    return kind == ARC_TOK_LBRACE || kind == ARC_TOK_LPAREN || kind == ARC_TOK_LBRACKET;
}

static bool is_close(enum arc_token_kind kind)
{
    return kind == ARC_TOK_RBRACE || kind == ARC_TOK_RPAREN || kind == ARC_TOK_RBRACKET;
}

static bool has_mark(const struct fmt *f, size_t i, enum arc_mark mark)
{
    return (f->marks[i] & mark) != 0;
}

static size_t n_newlines(const struct fmt *f, uint32_t start, uint32_t end)
{
    size_t n = 0;
    for (uint32_t i = start; i < end; i++)
        n += f->source->text[i] == '\n';
    return n;
}

/* ---- Which brackets are spread over lines ------------------------------------------------- */

/* Bodies and blocks, and the lists of import and authority. */
static bool holds_items(const struct fmt *f, size_t open)
{
    return has_mark(f, open, ARC_MARK_BLOCK) || has_mark(f, open + 1, ARC_MARK_START);
}

static bool has_break_behind(const struct fmt *f, size_t i)
{
    return n_newlines(f, f->tokens[i].span.end, f->tokens[i + 1].span.start) > 0;
}

static bool has_comment_between(const struct fmt *f, size_t open, size_t close)
{
    /* Comments are sorted: the first behind the opening bracket decides. */
    size_t low = 0;
    size_t high = f->n_comments;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (f->comments[middle].span.start < f->tokens[open].span.end)
            low = middle + 1;
        else
            high = middle;
    }
    return low < f->n_comments && f->comments[low].span.start < f->tokens[close].span.start;
}

static bool is_spread(const struct fmt *f, size_t open, size_t close)
{
    if (close == open + 1 && !has_comment_between(f, open, close))
        return false;
    if (holds_items(f, open))
        return f->tokens[open].span.line != f->tokens[close].span.line;
    return has_break_behind(f, open);
}

/* Two items without a comma between cannot share a line, nor can what is around them. */
static void close_bracket(struct fmt *f, size_t *stack, size_t n, bool *has_neighbours,
                          size_t close)
{
    size_t open = stack[n - 1];
    f->match[open] = close;
    f->is_expanded[open] = has_neighbours[n - 1] || is_spread(f, open, close);
    bool passes_on = has_neighbours[n - 1] && n > 1 &&
                     (holds_items(f, stack[n - 2]) || has_mark(f, stack[n - 2], ARC_MARK_TABLE));
    if (passes_on)
        has_neighbours[n - 2] = true;
}

static void find_groups(struct fmt *f)
{
    size_t *stack = base_arena_array(f->arena, size_t, f->n_tokens);
    bool *has_neighbours = base_arena_array(f->arena, bool, f->n_tokens);
    size_t n = 0;
    for (size_t i = 0; i < f->n_tokens; i++) {
        enum arc_token_kind kind = f->tokens[i].kind;
        bool is_bare_start = n > 0 && i > stack[n - 1] + 1 && has_mark(f, i, ARC_MARK_START) &&
                             f->tokens[i - 1].kind != ARC_TOK_COMMA && !is_close(kind);
        if (is_bare_start)
            has_neighbours[n - 1] = true;
        if (is_open(kind)) {
            stack[n] = i;
            has_neighbours[n++] = false;
        } else if (is_close(kind) && n > 0) {
            close_bracket(f, stack, n, has_neighbours, i);
            n--;
        }
    }
}

/* ---- Output ------------------------------------------------------------------------------- */

static void put(struct fmt *f, const char *text, size_t len)
{
    if (f->len + len + 1 > f->cap) {
        size_t cap = (f->len + len + 1) * 2;
        char *room = base_arena_alloc(f->arena, cap, 1);
        if (f->len > 0)
            memcpy(room, f->out, f->len);
        f->out = room;
        f->cap = cap;
    }
    memcpy(f->out + f->len, text, len);
    f->len += len;
    f->out[f->len] = '\0';
}

static void put_space(struct fmt *f)
{
    if (f->len > 0 && f->out[f->len - 1] != '\n' && f->out[f->len - 1] != ' ')
        put(f, " ", 1);
}

/* A new line, with an empty one before it if wanted. */
static void put_break(struct fmt *f, uint32_t level, bool has_empty_line)
{
    if (f->len > 0)
        put(f, has_empty_line ? "\n\n" : "\n", has_empty_line ? 2 : 1);
    for (uint32_t i = 0; i < level * INDENT; i++)
        put(f, " ", 1);
    f->line_level = level;
}

/* ---- Spaces ------------------------------------------------------------------------------- */

static const struct group *top_group(const struct fmt *f)
{
    return f->n_groups == 0 ? NULL : &f->groups[f->n_groups - 1];
}

static bool in_expanded_group(const struct fmt *f)
{
    const struct group *group = top_group(f);
    return group == NULL || f->is_expanded[group->open];
}

static bool in_brackets(const struct fmt *f)
{
    const struct group *group = top_group(f);
    return group != NULL && f->tokens[group->open].kind == ARC_TOK_LBRACKET;
}

static bool is_named_assign(const struct fmt *f, size_t i)
{
    return f->tokens[i].kind == ARC_TOK_ASSIGN && has_mark(f, i, ARC_MARK_NAMED);
}

/* No space and no break, whatever the writer had. */
static bool is_tight(const struct fmt *f, size_t i)
{
    enum arc_token_kind left = f->tokens[i - 1].kind;
    enum arc_token_kind right = f->tokens[i].kind;
    if (right == ARC_TOK_COMMA || right == ARC_TOK_COLON || left == ARC_TOK_DOT ||
        right == ARC_TOK_DOT)
        return true;
    if (left == ARC_TOK_COLON && in_brackets(f))
        return true;
    if (left == ARC_TOK_MINUS && has_mark(f, i - 1, ARC_MARK_UNARY))
        return true;
    if ((right == ARC_TOK_LPAREN || right == ARC_TOK_LBRACKET) && has_mark(f, i, ARC_MARK_CALL))
        return true;
    if (right == ARC_TOK_LBRACE && has_mark(f, i, ARC_MARK_CONFIG))
        return true;
    return is_named_assign(f, i - 1) || is_named_assign(f, i);
}

static bool has_inner_spaces(const struct fmt *f, size_t open)
{
    return has_mark(f, open, ARC_MARK_BLOCK) || has_mark(f, open, ARC_MARK_TABLE);
}

/* At the edge of a group, on one line or spread. */
static enum gap edge_gap(const struct fmt *f, size_t open)
{
    if (f->is_expanded[open])
        return GAP_BREAK;
    if (f->match[open] == open + 1)
        return GAP_NONE;
    return has_inner_spaces(f, open) ? GAP_SPACE : GAP_NONE;
}

static bool breaks_at_commas(const struct fmt *f, size_t open)
{
    return has_mark(f, open, ARC_MARK_TABLE) || has_mark(f, open, ARC_MARK_CONFIG);
}

static bool was_broken(const struct fmt *f, size_t i)
{
    return n_newlines(f, f->tokens[i - 1].span.end, f->tokens[i].span.start) > 0;
}

/* Between token i - 1 and token i when no comment stands there. The group is still open when i
 * closes it. */
static enum gap gap_before(const struct fmt *f, size_t i)
{
    enum arc_token_kind left = f->tokens[i - 1].kind;
    enum arc_token_kind right = f->tokens[i].kind;
    const struct group *group = top_group(f);
    if (right == ARC_TOK_EOF)
        return GAP_BREAK;
    if (is_open(left) && group != NULL && group->open == i - 1)
        return edge_gap(f, i - 1);
    if (is_close(right) && group != NULL)
        return edge_gap(f, group->open);
    if (has_mark(f, i, ARC_MARK_START))
        return in_expanded_group(f) ? GAP_BREAK : GAP_SPACE;
    if (is_tight(f, i))
        return GAP_NONE;
    if (right == ARC_TOK_LBRACE && has_mark(f, i, ARC_MARK_BLOCK))
        return GAP_SPACE;
    if (right == ARC_TOK_ELSE || left == ARC_TOK_ELSE)
        return GAP_SPACE;
    if (left == ARC_TOK_COMMA && group != NULL && f->is_expanded[group->open] &&
        breaks_at_commas(f, group->open))
        return GAP_BREAK;
    return was_broken(f, i) ? GAP_BREAK : GAP_SPACE;
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* Token i begins an item, an element of a spread list, or ends the group: no continuation. */
static bool begins_line(const struct fmt *f, size_t i)
{
    const struct group *group = top_group(f);
    if (i == 0 || f->tokens[i].kind == ARC_TOK_EOF || has_mark(f, i, ARC_MARK_START))
        return true;
    if (group == NULL || !f->is_expanded[group->open])
        return false;
    return group->open == i - 1 || f->tokens[i - 1].kind == ARC_TOK_COMMA ||
           is_close(f->tokens[i].kind);
}

/* Of a line that begins with token i, or with a comment before it. */
static uint32_t line_level(const struct fmt *f, size_t i, bool is_comment)
{
    const struct group *group = top_group(f);
    uint32_t level = group == NULL ? 0 : group->level;
    if (!begins_line(f, i))
        return level + 1;
    if (!is_comment && group != NULL && is_close(f->tokens[i].kind))
        return group->outer;
    return level;
}

static bool is_at_edge(const struct fmt *f, size_t i)
{
    return i == 0 || is_open(f->tokens[i - 1].kind) || is_close(f->tokens[i].kind);
}

/* ---- Comments ----------------------------------------------------------------------------- */

static bool is_line_comment(const struct fmt *f, const struct arc_comment *comment)
{
    return f->source->text[comment->span.start + 1] == '/';
}

static void put_comment(struct fmt *f, const struct arc_comment *comment)
{
    const char *text = f->source->text + comment->span.start;
    size_t len = comment->span.end - comment->span.start;
    if (is_line_comment(f, comment)) {
        while (len > 0 && strchr(" \t\r", text[len - 1]) != NULL)
            len--;
    }
    put(f, text, len);
}

/* Everything between token i - 1 and token i when comments stand there. */
static void put_commented_gap(struct fmt *f, size_t i)
{
    const struct arc_token *token = &f->tokens[i];
    uint32_t at = i == 0 ? 0 : f->tokens[i - 1].span.end;
    bool needs_break = false;
    bool is_first = true;
    while (f->next_comment < f->n_comments &&
           f->comments[f->next_comment].span.start < token->span.start) {
        const struct arc_comment *comment = &f->comments[f->next_comment++];
        size_t n = n_newlines(f, at, comment->span.start);
        bool has_empty_line = n > 1 && !(is_first && i > 0 && is_open(f->tokens[i - 1].kind));
        if (n > 0 || needs_break || f->len == 0)
            put_break(f, line_level(f, i, true), has_empty_line && f->len > 0);
        else
            put_space(f);
        put_comment(f, comment);
        needs_break = is_line_comment(f, comment);
        at = comment->span.end;
        is_first = false;
    }
    size_t n = n_newlines(f, at, token->span.start);
    bool must_break = needs_break || n > 0 || (i > 0 && gap_before(f, i) == GAP_BREAK);
    if (token->kind == ARC_TOK_EOF)
        put(f, "\n", 1);
    else if (must_break)
        put_break(f, line_level(f, i, false), n > 1 && !is_close(token->kind));
    else if (token->kind != ARC_TOK_COMMA)
        put_space(f);
}

static void put_plain_gap(struct fmt *f, size_t i)
{
    enum gap gap = i == 0 ? GAP_NONE : gap_before(f, i);
    if (f->tokens[i].kind == ARC_TOK_EOF) {
        if (f->len > 0)
            put(f, "\n", 1);
        return;
    }
    if (gap == GAP_SPACE)
        put_space(f);
    if (gap != GAP_BREAK)
        return;
    size_t n = n_newlines(f, f->tokens[i - 1].span.end, f->tokens[i].span.start);
    put_break(f, line_level(f, i, false), n > 1 && begins_line(f, i) && !is_at_edge(f, i));
}

/* ---- All ---------------------------------------------------------------------------------- */

static void open_group(struct fmt *f, size_t i)
{
    const struct group *outer = top_group(f);
    struct group group = {.open = i, .outer = f->line_level};
    group.level = outer == NULL ? 0 : outer->level;
    if (f->is_expanded[i])
        group.level = f->line_level + 1;
    f->groups[f->n_groups++] = group;
}

static void put_token(struct fmt *f, size_t i)
{
    const struct arc_token *token = &f->tokens[i];
    bool has_comment = f->next_comment < f->n_comments &&
                       f->comments[f->next_comment].span.start < token->span.start;
    if (has_comment)
        put_commented_gap(f, i);
    else
        put_plain_gap(f, i);
    if (token->kind == ARC_TOK_EOF)
        return;
    if (is_close(token->kind) && f->n_groups > 0)
        f->n_groups--;
    put(f, token->text, token->len);
    if (is_open(token->kind))
        open_group(f, i);
}

const char *arc_format(const struct arc_source *source, struct base_arena *arena,
                       struct arc_diags *diags)
{
    struct arc_idents idents;
    struct arc_tokens tokens;
    uint8_t *marks;
    if (!arc_source_fits(source, diags))
        return NULL;
    arc_idents_init(&idents, arena);
    if (arc_parse_marked(source, &idents, arena, diags, &tokens, &marks)->has_syntax_errors) {
        arc_diags_sort(diags);
        return NULL;
    }
    struct fmt f = {.source = source,
                    .arena = arena,
                    .tokens = tokens.list,
                    .n_tokens = tokens.n,
                    .marks = marks,
                    .comments = tokens.comments,
                    .n_comments = tokens.n_comments,
                    .match = base_arena_array(arena, size_t, tokens.n),
                    .is_expanded = base_arena_array(arena, bool, tokens.n),
                    .groups = base_arena_array(arena, struct group, tokens.n)};
    put(&f, "", 0);
    find_groups(&f);
    for (size_t i = 0; i < f.n_tokens; i++)
        put_token(&f, i);
    return f.out;
}
