/* config/doc_priv.h - what the parts of config/ share about issues. */
#ifndef CONFIG_DOC_PRIV_H
#define CONFIG_DOC_PRIV_H

#include "config/doc.h"

#include <stdarg.h>

/* Copies the issue into the list, unless it is there already (then false). The numbers of the
 * document are its caller's. */
bool config_errors_put(struct config_errors *errors, const struct config_issue *issue);

/* As put, with the text made from a format. */
void config_errors_put_text(struct config_errors *errors, struct config_issue *issue,
                            const char *fmt, va_list args) __attribute__((format(printf, 3, 0)));

/* A member that belongs to the user: its name starts with x_. */
bool config_is_note(const char *name);

/* "ai" of "tasks/ai.json", at most 64 bytes. */
const char *config_file_stem(struct base_arena *arena, const char *file);

/* Names of tasks, devices and automations go into one-line messages: no control characters. NULL is
 * in order. */
bool config_check_name(struct config_at at, const char *name);

bool config_is_utf8(const char *text, size_t len_bytes);

#endif
