#include "driver/conform/conform.h"

#include "driver/conform/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static enum arcd_err read_file(const char *path, char **text, size_t *len, struct arcd_errinfo *why)
{
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return arcd_fail_errno(why, errno, "cannot open %s", path);
    FILE *copy = open_memstream(text, len);
    if (copy == NULL) {
        fclose(file);
        return arcd_fail(why, ARCD_ERR_NOMEM, 0, "no memory for %s", path);
    }
    char piece[4000];
    for (size_t n; (n = fread(piece, 1, sizeof piece, file)) > 0;)
        fwrite(piece, 1, n, copy);
    int failed = ferror(file) != 0;
    fclose(file);
    if (fclose(copy) != 0 || failed)
        return arcd_fail(why, ARCD_ERR_SYSTEM, 0, "cannot read %s", path);
    return ARCD_OK;
}

__attribute__((noinline)) static void run_one(const char *path, const struct conform_case *c,
                                              const struct conform_options *options,
                                              struct conform_tally *tally)
{
    char wrong[1000] = "";
    struct conform_run_options run = {.mode = options->mode,
                                      .trace = options->verbose ? options->out : NULL};
    if (options->verbose)
        fprintf(options->out, "%s: %s\n", path, c->name);
    bool held = conform_run_case(c, &run, wrong, sizeof wrong);
    tally->passed += held;
    tally->failed += !held;
    if (!held)
        fprintf(options->out, "FAIL %s: %s: %s\n", path, c->name, wrong);
    fflush(options->out);
}

__attribute__((noinline)) static enum arcd_err run_cases(const char *path, const char *text,
                                                         size_t len, struct base_arena *arena,
                                                         const struct conform_options *options,
                                                         struct conform_tally *tally,
                                                         struct arcd_errinfo *why)
{
    struct arcd_errinfo cause;
    const struct conform_json *whole = conform_json_parse(text, len, arena, &cause);
    const struct conform_json *cases = conform_json_get(whole, "cases");
    if (whole == NULL)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "%s: %s", path, cause.text);
    if (cases == NULL || cases->kind != CONFORM_JSON_ARRAY)
        return arcd_fail(why, ARCD_ERR_CONFIG, 0, "%s: no \"cases\"", path);
    for (const struct conform_json *v = cases->first; v != NULL; v = v->next) {
        const char *name = conform_json_text(v, "name");
        if (options->only != NULL && (name == NULL || strcmp(name, options->only) != 0))
            continue;
        struct conform_case *c = base_arena_new(arena, struct conform_case);
        if (conform_case_read(v, arena, c, &cause) != ARCD_OK)
            return arcd_fail(why, ARCD_ERR_CONFIG, 0, "%s: %s", path, cause.text);
        run_one(path, c, options, tally);
    }
    return ARCD_OK;
}

enum arcd_err conform_file(const char *path, const struct conform_options *options,
                           struct conform_tally *tally, struct arcd_errinfo *why)
{
    char *text = NULL;
    size_t len = 0;
    enum arcd_err err = read_file(path, &text, &len, why);
    if (err == ARCD_OK) {
        struct base_arena arena;
        base_arena_init(&arena);
        err = run_cases(path, text, len, &arena, options, tally, why);
        base_arena_fini(&arena);
    }
    free(text);
    return err;
}

void conform_summary(const struct conform_options *options, const struct conform_tally *tally)
{
    fprintf(options->out, "%u passed, %u failed\n", tally->passed, tally->failed);
}
