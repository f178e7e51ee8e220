/* tests/config/config_test.h - one document, what is wrong with it as text, and an arena to read
 * into: given to each test by setup and teardown. */
#ifndef TESTS_CONFIG_CONFIG_TEST_H
#define TESTS_CONFIG_CONFIG_TEST_H

#include "config/reader.h"
#include "tests/support/test.h"

#include <stdlib.h>
#include <string.h>

struct config_test {
    struct config_errors errors;
    struct config_doc doc;
    struct base_arena arena;
    char *issues; /* as printed */
};

static inline int config_test_setup(void **state)
{
    struct config_test *t = calloc(1, sizeof(*t));
    config_errors_init(&t->errors);
    base_arena_init(&t->arena);
    *state = t;
    return 0;
}

static inline int config_test_teardown(void **state)
{
    struct config_test *t = *state;
    config_doc_fini(&t->doc);
    config_errors_fini(&t->errors);
    base_arena_fini(&t->arena);
    free(t->issues);
    free(t);
    return 0;
}

static inline enum arcd_err config_test_parse_bytes(struct config_test *t, const char *text,
                                                    size_t len)
{
    /* An exact block, so that a read past the end is seen by AddressSanitizer. */
    char *exact = malloc(len > 0 ? len : 1);
    memcpy(exact, text, len);
    config_doc_fini(&t->doc);
    enum arcd_err err = config_doc_parse(&t->doc, &t->errors, "a.json", exact, len);
    free(exact);
    return err;
}

static inline struct config_at config_test_parse(struct config_test *t, const char *text)
{
    assert_int_equal(config_test_parse_bytes(t, text, strlen(text)), ARCD_OK);
    return config_root(&t->doc);
}

/* Everything reported so far, as the user reads it. */
static inline const char *config_test_issues(struct config_test *t)
{
    free(t->issues);
    size_t size;
    FILE *out = open_memstream(&t->issues, &size);
    config_errors_print(&t->errors, out);
    fclose(out);
    return t->issues;
}

/* Everything reported since the last call of this. */
static inline const char *config_test_new_issues(struct config_test *t)
{
    config_test_issues(t);
    config_errors_fini(&t->errors);
    config_errors_init(&t->errors);
    return t->issues;
}

#define CONFIG_TEST(test)                                                                          \
    cmocka_unit_test_setup_teardown(test, config_test_setup, config_test_teardown)

#endif
