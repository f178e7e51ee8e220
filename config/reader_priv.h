/* config/reader_priv.h - what the reader and the printer of the reference share. */
#ifndef CONFIG_READER_PRIV_H
#define CONFIG_READER_PRIV_H

#include "config/reader.h"

/* "from 1 to 65535", "greater than 0 Hz": what goes after "must be". "" without limits. */
enum { CONFIG_LIMITS_TEXT = 160 };
const char *config_limits_text(const struct config_field *field, char text[CONFIG_LIMITS_TEXT]);

/* "a, b, c" in the arena. */
const char *config_names_text(struct base_arena *arena,
                              const char *(*get)(const void *ctx, uint32_t i), const void *ctx,
                              uint32_t n);

uint32_t config_choices_count(const struct config_choice *choices);
const char *config_choice_name(const void *choices, uint32_t i);
const char *config_variant_name(const void *variants, uint32_t i);

#endif
