/* Any bytes to the language server. An odd first byte: as what comes from the client, into the
 * whole server. Otherwise: as a program being typed, asked about at many places. Beyond not
 * crashing: ranges are within the text, and every answer is JSON. */
#include "driver/lsp/answer.h"
#include "driver/lsp/server.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static const struct lsp_client client = {
    .has_markdown = true, .has_snippets = true, .has_tree = true};

static void check_pos(const json_t *range, const char *end, const struct lsp_text *text)
{
    const json_t *pos = json_object_get(range, end);
    json_int_t line = json_integer_value(json_object_get(pos, "line"));
    ARCD_ASSERT(line >= 0 && (size_t)line < text->n_lines);
}

static void check_range(const json_t *answer, const struct lsp_text *text)
{
    const json_t *range = json_object_get(answer, "range");
    if (range == NULL)
        return;
    check_pos(range, "start", text);
    check_pos(range, "end", text);
}

static void done(json_t *answer)
{
    ARCD_ASSERT(answer != NULL);
    json_decref(answer);
}

static void ask_at(const struct lsp_view *view, uint32_t offset)
{
    json_t *hover = lsp_answer_hover(view, &client, offset);
    json_t *definition = lsp_answer_definition(view, offset);
    check_range(hover, view->text);
    check_range(definition, view->text);
    done(hover);
    done(definition);
    done(lsp_answer_completion(view, &client, offset));
    struct lsp_pos pos = lsp_text_pos(view->text, offset, LSP_UTF16);
    ARCD_ASSERT(lsp_text_offset(view->text, pos, LSP_UTF16) <= offset);
}

/* The good check is of the first half: another text than the one that is asked about. */
static void ask_about(const char *bytes, size_t len)
{
    enum { PLACES = 20 };
    static const struct lsp_channel known[] = {
        {.name = "go", .type = TELEM_U8, .unit = "", .desc = ""},
        {.name = "level", .type = TELEM_F64, .unit = "m", .desc = "Level"},
    };
    static const struct arc_chan_info infos[] = {{"go", TELEM_U8, false},
                                                 {"level", TELEM_F64, false}};
    const struct lsp_channels channels = {.v = known, .n = 2, .table = {infos, 2}};
    struct base_arena arena;
    struct lsp_text text;
    base_arena_init(&arena);
    lsp_text_init(&text);
    lsp_text_set(&text, bytes, len);
    struct lsp_check *good = lsp_check_new("good.arc", bytes, len / 2, &channels.table);
    struct lsp_check *check = lsp_check_new("x.arc", bytes, len, &channels.table);
    struct lsp_view view = {.arena = &arena,
                            .check = check,
                            .good = good,
                            .channels = &channels,
                            .uri = "file:///x.arc",
                            .text = &text};
    for (size_t i = 0; i <= PLACES; i++)
        ask_at(&view, (uint32_t)(len * i / PLACES));
    done(lsp_answer_outline(&view, &client));
    done(lsp_answer_diagnostics(&view, &client));
    done(lsp_answer_formatting(&view));
    lsp_check_free(check);
    lsp_check_free(good);
    lsp_text_fini(&text);
    base_arena_fini(&arena);
}

static void serve(const char *bytes, size_t len)
{
    int ends[2];
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    ARCD_ASSERT(nowhere >= 0 && pipe2(ends, O_CLOEXEC) == 0);
    ssize_t written = write(ends[1], bytes, len);
    ARCD_ASSERT(written == (ssize_t)len);
    close(ends[1]);
    int code = lsp_serve(&(struct lsp_options){.in_fd = ends[0], .out_fd = nowhere});
    ARCD_ASSERT(code == 0 || code == 1);
    close(ends[0]);
    close(nowhere);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    enum { PIPE_BYTES = 65536 /* what a pipe takes without a reader */ };
    if (size == 0 || size > PIPE_BYTES)
        return 0;
    const char *bytes = (const char *)data + 1;
    if (data[0] % 2 == 1)
        serve(bytes, size - 1);
    else
        ask_about(bytes, size - 1);
    return 0;
}
