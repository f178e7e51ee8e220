/* driver/lsp/json_place.h - where in a JSON text a member stands, for "go to definition".
 *
 * Pure functions, any thread. The text may be in error behind the member. A key that is written
 * with escapes is not found.
 */
#ifndef DRIVER_LSP_JSON_PLACE_H
#define DRIVER_LSP_JSON_PLACE_H

#include <stdbool.h>
#include <stddef.h>

struct lsp_json_place {
    size_t start, end; /* of the key, with its quotes */
};

/* The member path[0] of the outermost object, the member path[1] of that, and so on. False: there
 * is none. */
bool lsp_json_find(const char *text, size_t len, const char *const *path, size_t n_path,
                   struct lsp_json_place *place);

#endif
