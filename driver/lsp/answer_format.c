/* Formatting: one edit over what differs, so that the cursor and the marks of the rest stay. */
#include "driver/lsp/answer.h"

#include "arc/fmt.h"

#include <string.h>

struct difference {
    size_t start;            /* bytes that both begin with, whole lines */
    size_t old_end, new_end; /* behind these both are the same, whole lines */
};

static struct difference differ(const char *old, size_t old_len, const char *new, size_t new_len)
{
    size_t least = old_len < new_len ? old_len : new_len;
    size_t start = 0, tail = 0;
    while (start < least && old[start] == new[start])
        start++;
    while (start > 0 && old[start - 1] != '\n')
        start--;
    while (tail < least - start && old[old_len - 1 - tail] == new[new_len - 1 - tail])
        tail++;
    while (tail > 0 && tail < old_len && old[old_len - tail - 1] != '\n')
        tail--;
    return (struct difference){start, old_len - tail, new_len - tail};
}

json_t *lsp_answer_formatting(const struct lsp_view *view)
{
    const struct arc_source *source = &view->check->source;
    struct arc_diags diags;
    arc_diags_init(&diags, view->arena, source);
    const char *new = arc_format(source, view->arena, &diags);
    if (new == NULL)
        return json_null();
    size_t new_len = strlen(new);
    if (new_len == source->len && memcmp(new, source->text, new_len) == 0)
        return json_array();
    struct difference d = differ(source->text, source->len, new, new_len);
    const char *middle = base_arena_strndup(view->arena, new + d.start, d.new_end - d.start);
    return json_pack("[{s:o, s:o}]", "range", lsp_json_range(view, d.start, d.old_end), "newText",
                     lsp_json_text(middle));
}
