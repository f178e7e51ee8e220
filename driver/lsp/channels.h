/* driver/lsp/channels.h - the channels that programs may name, and where they are declared.
 *
 * Life cycle: lsp_sources_init -> lsp_sources_of (for each document, as often as you like),
 * lsp_sources_refresh -> lsp_sources_fini.
 *
 * A program belongs to the nearest folder above it that has a driver.json. Such a folder is read
 * once for all of its programs, and again when driver.json or a file of tasks/ is another than it
 * was. While driver.json is broken its last good channels stay. With channels from a file or from
 * the client, these are those of every program.
 *
 * Threads: one. Ownership: a set of channels is valid until the next refresh or the end.
 */
#ifndef DRIVER_LSP_CHANNELS_H
#define DRIVER_LSP_CHANNELS_H

#include "arc/compile.h"

struct json_t;

struct lsp_channel {
    const char *name;
    enum telem_type type;
    const char *unit, *desc; /* "" : none */
    const char *index;       /* NULL: none */
    bool is_index, is_virtual;
    bool is_measured; /* some task writes it, so programs may only read it */
};

struct lsp_channels {
    struct base_arena arena;
    uint64_t id;                 /* another set of channels has another one */
    const char *file;            /* where they are declared; NULL: the client has sent them */
    bool is_driver;              /* the file is a driver.json, not just an object of channels */
    const struct lsp_channel *v; /* sorted by name */
    size_t n;
    struct arc_chan_table table;
    const char *problem; /* the first thing wrong with the file; NULL: nothing */
    uint64_t problem_id; /* another problem has another one */
};

enum { LSP_FOLDERS_MAX = 64 /* configuration folders at a time; more: the oldest are forgotten */ };

struct lsp_folder;

struct lsp_sources {
    const char *fixed_file;     /* the file for all programs, or NULL; the caller's */
    struct lsp_folder *folders; /* newest first */
    size_t n_folders;
    struct lsp_channels *fixed; /* what the client has sent; NULL: nothing */
    struct lsp_channels *none;
    uint64_t last_id;
};

void lsp_sources_init(struct lsp_sources *sources, const char *fixed_file);
void lsp_sources_fini(struct lsp_sources *sources);

/* What the client has sent for all programs: an object as "channels" in driver.json. False: it is
 * something else. */
bool lsp_sources_fix(struct lsp_sources *sources, const struct json_t *channels);

/* The channels of the program in that file (NULL: it has none yet); never NULL, empty without a
 * source. */
const struct lsp_channels *lsp_sources_of(struct lsp_sources *sources, const char *path);

/* Reads again what has changed on disk. */
void lsp_sources_refresh(struct lsp_sources *sources);

/* NULL: no such channel. */
const struct lsp_channel *lsp_channels_find(const struct lsp_channels *channels, const char *name,
                                            size_t len);

#endif
