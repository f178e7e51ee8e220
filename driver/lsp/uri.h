/* driver/lsp/uri.h - file URIs and paths.
 *
 * Pure functions, results in the arena. A URI of another scheme (an unsaved buffer) has no path.
 */
#ifndef DRIVER_LSP_URI_H
#define DRIVER_LSP_URI_H

#include "base/arena.h"

/* "file:///home/a%20b/x.arc" -> "/home/a b/x.arc"; NULL when there is no path in it. */
const char *lsp_uri_to_path(struct base_arena *arena, const char *uri);

/* An absolute path. */
const char *lsp_uri_from_path(struct base_arena *arena, const char *path);

#endif
