/* config/channel.h - the channel declarations of driver.json.
 *
 * Life cycle: config_channels_read -> config_channels_find ... -> config_channels_declare.
 * The declarations are plain checked structs in the caller's arena; declaring puts those that a
 * channel table does not have yet into it, so a reload adds and never changes.
 */
#ifndef CONFIG_CHANNEL_H
#define CONFIG_CHANNEL_H

#include "config/reader.h"
#include "telem/chan.h"

struct config_channel {
    struct telem_chan_decl
        decl;              /* its index: key into the table, set by config_channels_declare() */
    const char *index;     /* name; NULL: none */
    const char *canonical; /* equal texts: the same declaration */
    bool broken;           /* an error was reported; only the name is sure */
};

struct config_channels {
    const struct config_channel *v; /* sorted by name */
    uint32_t n;
};

extern const struct config_table config_channel_table;

/* Reads the object name -> declaration, also checking the rules between channels. An absent object
 * is an empty one. False when anything was wrong; what is in order is there all the same. */
bool config_channels_read(struct config_at at, struct base_arena *arena,
                          struct config_channels *channels);

/* NULL when there is no such channel. */
const struct config_channel *config_channels_find(const struct config_channels *channels,
                                                  const char *name);

/* As find, with an error at the cursor: "channel 'x' is not declared (did you mean 'y'?)". */
const struct config_channel *config_channels_need(const struct config_channels *channels,
                                                  struct config_at at, const char *name);

/* Adds what `chans` does not have yet. ARCD_ERR_STATE: a channel is there with another declaration:
 * nothing was added, and *why names it. */
ARCD_MUST_CHECK enum arcd_err config_channels_declare(const struct config_channels *channels,
                                                      struct telem_chans *chans,
                                                      struct arcd_errinfo *why);

#endif
