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

#endif
