/* config/reference.h - the part of the configuration reference that belongs to no backend.
 *
 * Printed from the tables that check the files, so it cannot say anything else than they do.
 * Whoever knows the backends prints their tables after it.
 */
#ifndef CONFIG_REFERENCE_H
#define CONFIG_REFERENCE_H

#include <stdio.h>

/* Markdown, from the title on; sections are headings of level 2. */
void config_print_reference(FILE *out);

#endif
