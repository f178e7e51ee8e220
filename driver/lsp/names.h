/* driver/lsp/names.h - what a name in a text means.
 *
 * One call: lsp_symbol_at(). The tokens say where a name stands, the tree what is declared, and
 * where the tree is broken, the last good one what types there were. A name of a program means one
 * thing only, so look-ups need no order beyond locals, members, program, channels, library.
 *
 * Pure, any thread; results live as long as the view.
 */
#ifndef DRIVER_LSP_NAMES_H
#define DRIVER_LSP_NAMES_H

#include "driver/lsp/channels.h"
#include "driver/lsp/scan.h"
#include "driver/lsp/text.h"

/* What an answer is made from. */
struct lsp_view {
    struct base_arena *arena;     /* of the answer */
    struct lsp_check *check;      /* of the text as it is now; it has a program */
    const struct lsp_check *good; /* of the last text without errors; NULL: there was none */
    const struct lsp_channels *channels;
    const char *uri;
    const struct lsp_text *text; /* for positions */
    enum lsp_encoding encoding;
};

enum lsp_symbol_kind {
    LSP_SYMBOL_NONE,
    LSP_SYMBOL_LOCAL, /* parameter or variable of a function */
    LSP_SYMBOL_FUNC,
    LSP_SYMBOL_CONST,
    LSP_SYMBOL_SCOPE, /* sequence or stage */
    LSP_SYMBOL_MODULE,
    LSP_SYMBOL_CHANNEL,
    LSP_SYMBOL_LIB,       /* member of the library */
    LSP_SYMBOL_LIB_PARAM, /* parameter or output of one */
    LSP_SYMBOL_UNIT,
};

/* Members by kind; `declared` where the text itself declares it, else it ends at 0. */
struct lsp_symbol {
    enum lsp_symbol_kind kind;
    const char *name; /* NUL-terminated */
    struct arc_span declared;
    enum arc_var_kind var_kind;  /* LOCAL */
    const struct arc_var *var;   /* LOCAL; NULL: the tree does not have it */
    struct arc_type type;        /* LOCAL; ARC_SHAPE_NONE or _ERROR: not known */
    const struct arc_func *func; /* FUNC; LOCAL: whose it is, or NULL */
    const struct arc_const *constant;
    const struct arc_scope *scope;
    const struct arc_import *import; /* MODULE; NULL: not imported */
    const struct lsp_channel *channel;
    const struct arc_lib_member *lib; /* LIB, LIB_PARAM */
    const struct arc_lib_param *param;
    const struct arc_unit *unit;
};

/* Start and end of the name at the offset, if there is one. */
struct lsp_symbol lsp_symbol_at(const struct lsp_view *view, uint32_t offset,
                                struct arc_span *span);

/* A name by itself, as it would be understood where the scan stopped. */
struct lsp_symbol lsp_symbol_named(const struct lsp_view *view, const struct lsp_scan *scan,
                                   const char *name, size_t len);
struct lsp_symbol lsp_symbol_of_local(const struct lsp_view *view, const struct lsp_scan *scan,
                                      const struct lsp_local *local);

/* What stands before the brace of f{, or before the arrow in front of a table. Both NULL: nothing
 * known. */
struct lsp_callee {
    const struct arc_func *func;
    const struct arc_lib_member *lib;
};

struct lsp_callee lsp_callee_before(const struct lsp_view *view, uint32_t brace);

/* Of a routing table, by the index of its brace. */
bool lsp_table_is_output(const struct lsp_check *check, uint32_t brace);
struct lsp_callee lsp_table_source(const struct lsp_view *view, uint32_t brace);
struct lsp_callee lsp_table_target(const struct lsp_view *view, uint32_t brace);

/* A module of the library by the name that the program has for it; NULL: none. */
const struct arc_import *lsp_import_named(const struct lsp_check *check, const char *name,
                                          size_t len);

/* Whether the text at the offset is inside a string (and not a placeholder of it) or a comment. */
bool lsp_is_prose(const struct lsp_check *check, uint32_t offset);

#endif
