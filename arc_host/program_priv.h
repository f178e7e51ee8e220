/* arc_host/program_priv.h - the parts of a running program, for the files of this folder.
 *
 * program.c    makes it, resets it           machine.c   runs function bodies, sample by sample
 * cycle.c      the steps of a cycle          batch.c     runs straight-line bodies over columns
 * scope.c      walks, activation, moves      series.c    series operations of the machine
 * slot.c       firing, edges, inputs         nodes_*.c   what each kind of node does when it runs
 * output.c     what a cycle hands out        memory.c    strings and series, and their roots
 *
 * Everything is allocated by arc_host_program_new(). A function that can stop the program returns
 * false when it did; the fault is recorded then.
 */
#ifndef ARC_HOST_PROGRAM_PRIV_H
#define ARC_HOST_PROGRAM_PRIV_H

#include "arc/image.h"
#include "arc_host/bits.h"
#include "arc_host/heap.h"
#include "arc_host/program.h"
#include "arc_host/timers.h"

/* ---- Samples in flight */

/* n samples and their times. The elements of a str column are references (union arc_reg's ref). */
struct arc_host_column_view {
    const void *data;
    const int64_t *times;
    uint32_t n;
};

/* What an input offers to the node that runs now. n == 0: nothing was ever held. */
struct arc_host_offer {
    struct arc_host_column_view view;
    bool is_new;
};

/* The slot of one output. What it held in an earlier cycle counts for nothing: a slot is empty
 * unless fired == program->cycle. */
struct arc_host_slot {
    struct arc_host_column_view view; /* own memory, another slot's, or the frame's */
    uint64_t fired;                   /* the cycle */
    union arc_reg one;                /* room for one sample, typed as a column element */
    int64_t one_time;
    void *data;     /* room for `rows` samples; NULL when one is enough */
    int64_t *times; /* likewise; NULL when the times are always another's */
    uint32_t rows;  /* most samples of one firing */
    uint8_t type;   /* enum telem_type, never TIMESTAMP; or ARC_VT_SERIES | type */
};

/* An input whose value changes from one call of a body to the next. */
struct arc_host_feed {
    const void *data;
    uint32_t n, at;
    uint16_t reg;
    uint8_t type;
};

/* An input of a node with several connected inputs keeps its last batch; an unconnected input holds
 * its one default. */
struct arc_host_held {
    struct arc_host_column_view view;
    void *data; /* room for the rows of the source's slot */
    int64_t *times;
    union arc_reg one; /* the default */
    bool is_new;
};

struct arc_host_backlog {
    void *data; /* ring of `rows` samples */
    int64_t *times;
    uint64_t total; /* samples ever put in; sample i is at i % rows */
    uint32_t rows;
    uint32_t n_waiting; /* active mid-flow sources */
};

struct arc_host_chan {
    union arc_reg newest; /* `preset` before the first sample */
    union arc_reg preset; /* zero, or what arc_host_program_preset() said */
    struct arc_host_column_view now;
    uint64_t arrived;   /* cycle in which `now` came */
    const char *text;   /* of a str column: now.data is of struct telem_str */
    uint64_t *refs;     /* str: the references of this cycle's samples, made when first wanted */
    uint64_t refs_made; /* cycle */
    struct arc_host_backlog *backlog; /* NULL: the channel is never in the middle of a flow */
    int64_t written_ns;               /* time of the last sample queued for it */
    uint32_t first_source; /* active source nodes at the head of a flow; ARC_NONE: none */
    uint32_t authority;    /* place in the cycle's authority changes, from 1; 0: none */
    uint8_t type;          /* never TIMESTAMP */
    bool is_wanted;        /* source, or read somewhere */
};

/* ---- Nodes and scopes */

enum {
    ARC_HOST_STATUS_NAMES = 64, /* remembered with their keys */
    ARC_HOST_STATUSES = 64,     /* requests of one cycle */
    ARC_HOST_STATUS_KEY_BYTES = 256,
};

struct arc_host_node {
    bool is_done;  /* constant, set_authority, timer: has run since the reset */
    bool has_held; /* its inputs are in held[] */
    uint8_t n_connected;
    uint32_t next_source, prev_source; /* in the channel's list of active ones */
    union {
        struct { /* interval, wait */
            int64_t start_ns;
            int64_t deadline_ns;
        } timer;
        struct {                 /* avg, min, max */
            union arc_reg value; /* typed as a register */
            int64_t start_ns;
            uint64_t seen;
            bool has_started, reset_wanted;
        } window;
        struct {
            double value;
            int64_t time_ns;
            bool has_value;
        } derivative;
        struct {
            int64_t changed_ns;
            uint8_t value, emitted;
            bool has_value, has_emitted;
        } stable;
        struct { /* mid-flow source */
            uint64_t watermark;
        } source;
        struct {
            uint64_t request; /* waits for the key of this one; 0: none */
            union arc_reg key;
            bool has_key; /* came since, to be fired */
        } status;
    } u;
};

struct arc_host_scope {
    bool is_active;
    bool is_carried;      /* in carried[] */
    uint32_t current;     /* sequential: item */
    uint32_t first_child; /* scopes inside; ARC_NONE: none */
    uint32_t next_sibling;
    uint32_t next_always,
        prev_always; /* list of active scopes with nodes that run in every cycle */
};

/* ---- Machine */

struct arc_host_call {
    const struct arc_insn *back; /* where the caller goes on */
    union arc_reg *regs;         /* the caller's */
    union arc_reg *state;        /* the caller's */
    uint32_t func;               /* the callee */
    uint32_t caller;
};

struct arc_host_machine {
    union arc_reg *stack;
    union arc_reg *stack_end;
    union arc_reg *top; /* end of the registers in use: what the collector looks at */
    struct arc_host_call *calls;
    uint64_t *columns; /* batch: batch_regs columns of ARC_HOST_CHUNK rows, 8 bytes each */
    void **column_of;  /* batch: where each register's column is now */
    int64_t budget;    /* left in this cycle */
    int64_t time_ns;   /* of samples that the body writes */
    union arc_reg result;
    uint32_t root;        /* func that the node runs */
    uint32_t state_first; /* of the node */
    union arc_reg *root_state;
    const struct arc_insn *entry; /* of the root's body */
    int64_t root_cost;            /* budget of one run of it */
    /* Further runs that the machine makes by itself before it comes back: the result of one is put
     * to row_out, the next argument is taken from row_in. 8-byte numbers. */
    uint32_t rows_left;
    uint16_t row_reg;
    uint64_t *row_out;
    const uint64_t *row_in;
    const int64_t *row_times;
};

enum {
    ARC_HOST_CHUNK = 256,    /* rows of a column of the batch machine */
    ARC_HOST_BATCH_ROWS = 8, /* from here on it is faster than sample by sample */
};

/* ---- The program */

struct arc_host_status_name {
    uint64_t hash;     /* of the name or key that was asked for; 0: unused */
    uint64_t request;  /* the latest */
    union arc_reg key; /* 0: unknown */
};

struct arc_host_program {
    const struct arc_image *image;
    struct arc_host_options options;
    struct base_arena arena;

    struct arc_host_chan *chans;
    struct arc_host_slot *slots; /* per output */
    struct arc_host_held *held;  /* per input */
    struct arc_host_node *nodes;
    struct arc_host_scope *scopes;
    uint64_t *ready;   /* bit per member: has something to do in the next walk of its scope */
    uint64_t *moves;   /* bit per transition: its output fired, and truthy if that is asked */
    uint64_t *late;    /* bits of the root's members, for scopes behind the walk */
    uint32_t *carried; /* sequential scopes that used up their moves in the last cycle */
    uint32_t n_carried;
    bool has_moves; /* some bit of moves was set in this cycle */
    uint32_t first_always;
    struct arc_host_timers timers; /* ids are nodes */

    union arc_reg *state;
    union arc_reg *state_init;
    uint32_t *state_refs; /* slots that hold references */
    uint32_t n_state_refs;
    uint64_t *string_refs; /* of image->strings */
    uint32_t *ref_slots;   /* outputs that carry references */
    uint32_t n_ref_slots;
    uint32_t *ref_held; /* held inputs that carry references */
    uint32_t n_ref_held;
    uint32_t *status_nodes; /* nodes of kind status.set */
    uint32_t n_status_nodes;
    struct arc_host_offer *offers;        /* as many as any function node has inputs */
    struct arc_host_feed *feeds;          /* likewise */
    struct arc_host_column_view building; /* references of a column that is being made */
    struct arc_host_heap heap;
    struct arc_host_machine machine;

    struct arc_host_write *writes;
    struct arc_host_authority *authority;
    struct arc_host_status *statuses;
    union arc_reg (*status_refs)[3]; /* the texts of each request */
    struct arc_host_outputs outputs;
    struct arc_host_status_name status_names[ARC_HOST_STATUS_NAMES];
    uint64_t n_requests; /* ever made: the ids */

    uint64_t cycle; /* from 1 */
    int64_t elapsed_ns;
    int64_t stamp_ns;
    int64_t now_ns;  /* the latest that time.now has given */
    int64_t *stamps; /* stamp, stamp + 1, ... for samples without times */
    uint32_t n_stamps;
    uint32_t node; /* running */
    bool is_started;
    struct arc_host_fault fault;
    struct arc_host_stats stats;
};

/* ---- Columns */

/* TIMESTAMP counts as what it is to the program. */
static inline uint8_t arc_host_type(uint8_t type)
{
    return type == TELEM_TIMESTAMP ? TELEM_I64 : type;
}

/* A str, or a series: between nodes both are references. */
static inline bool arc_host_is_ref(uint8_t vt)
{
    return vt == TELEM_STR || arc_vt_is_series(vt);
}

static inline uint32_t arc_host_type_size(uint8_t type)
{
    switch (type) {
    case TELEM_I8:
    case TELEM_U8: return 1;
    case TELEM_I16:
    case TELEM_U16: return 2;
    case TELEM_I32:
    case TELEM_U32:
    case TELEM_F32: return 4;
    default: return 8;
    }
}

/* Element i of a column, as a register holds it. */
static inline union arc_reg arc_host_load(uint8_t type, const void *column, uint32_t i)
{
    union arc_reg r = {.i64 = 0};
    switch (type) {
    case TELEM_I8: r.i64 = ((const int8_t *)column)[i]; break;
    case TELEM_I16: r.i64 = ((const int16_t *)column)[i]; break;
    case TELEM_I32: r.i64 = ((const int32_t *)column)[i]; break;
    case TELEM_U8: r.u64 = ((const uint8_t *)column)[i]; break;
    case TELEM_U16: r.u64 = ((const uint16_t *)column)[i]; break;
    case TELEM_U32: r.u64 = ((const uint32_t *)column)[i]; break;
    case TELEM_F32: r.f32 = ((const float *)column)[i]; break;
    default: r.u64 = ((const uint64_t *)column)[i]; break;
    }
    return r;
}

static inline void arc_host_store(uint8_t type, void *column, uint32_t i, union arc_reg r)
{
    switch (arc_host_type_size(type)) {
    case 1: ((uint8_t *)column)[i] = (uint8_t)r.u64; break;
    case 2: ((uint16_t *)column)[i] = (uint16_t)r.u64; break;
    case 4:
        if (type == TELEM_F32)
            ((float *)column)[i] = r.f32;
        else
            ((uint32_t *)column)[i] = (uint32_t)r.u64;
        break;
    default: ((uint64_t *)column)[i] = r.u64; break;
    }
}

/* ---- slot.c */

/* Puts n >= 1 samples into an output's slot and does what follows: pending targets, held inputs,
 * transitions, activations. The memory must last until the cycle ends. */
ARCD_RT void arc_host_fire(struct arc_host_program *p, uint32_t output,
                           struct arc_host_column_view view);
ARCD_RT void arc_host_fire_one(struct arc_host_program *p, uint32_t output, union arc_reg value,
                               int64_t time_ns);

ARCD_RT struct arc_host_offer arc_host_offer(struct arc_host_program *p, uint32_t input);

/* All inputs of the node become not new. */
ARCD_RT void arc_host_consume(struct arc_host_program *p, const struct arc_image_node *node);

ARCD_RT bool arc_host_is_truthy(const struct arc_host_program *p, const struct arc_host_slot *slot);

/* ---- scope.c */

ARCD_RT void arc_host_activate(struct arc_host_program *p, uint32_t scope);
ARCD_RT void arc_host_deactivate(struct arc_host_program *p, uint32_t scope);

/* The node has something to do in the next cycle's walk (or in this one's, before it). */
ARCD_RT void arc_host_mark(struct arc_host_program *p, uint32_t node);
ARCD_RT void arc_host_mark_scope(struct arc_host_program *p, uint32_t scope);

ARCD_RT bool arc_host_walk_root(struct arc_host_program *p);

/* ---- nodes_*.c */

ARCD_RT bool arc_host_run_node(struct arc_host_program *p, uint32_t node);
ARCD_RT void arc_host_reset_node(struct arc_host_program *p, uint32_t node);

/* Config value i, as a register holds it. */
ARCD_RT union arc_reg arc_host_config(const struct arc_host_program *p,
                                      const struct arc_image_node *node, uint32_t i);

/* One for each kind: */
typedef bool (*arc_host_run_fn)(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_source(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_sink(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_const(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_func(struct arc_host_program *p, uint32_t node); /* and expressions */
ARCD_RT bool arc_host_run_interval(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_wait(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_now(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_window(struct arc_host_program *p, uint32_t node); /* avg, min, max */
ARCD_RT bool arc_host_run_derivative(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_set_authority(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_status_set(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_stable_for(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_run_select(struct arc_host_program *p, uint32_t node);

/* ---- machine.c, batch.c */

/* Makes the frame of the node's function: constants, config values, state. Then each run takes the
 * inputs from the first registers and leaves its value in machine.result; close stores the state.
 */
ARCD_RT union arc_reg *arc_host_machine_open(struct arc_host_program *p, uint32_t node);
ARCD_RT bool arc_host_machine_run(struct arc_host_program *p);
ARCD_RT void arc_host_machine_close(struct arc_host_program *p);

/* Runs the batch body of the node's function over n rows; `offers` are the inputs. */
ARCD_RT bool arc_host_batch_run(struct arc_host_program *p, uint32_t node,
                                const struct arc_host_offer *offers, uint32_t n,
                                const int64_t *times);

/* ---- output.c */

ARCD_RT void arc_host_outputs_clear(struct arc_host_program *p);
ARCD_RT void arc_host_outputs_finish(struct arc_host_program *p);
ARCD_RT bool arc_host_write(struct arc_host_program *p, uint32_t channel, union arc_reg value,
                            int64_t time_ns);
ARCD_RT bool arc_host_write_rows(struct arc_host_program *p, uint32_t channel,
                                 struct arc_host_column_view view);
ARCD_RT void arc_host_set_authority(struct arc_host_program *p, uint32_t channel, uint8_t value);

/* Queues a request and gives the key if it is known, else the empty string; *id is 0 when nobody
 * needs to wait for it. */
ARCD_RT union arc_reg arc_host_set_status(struct arc_host_program *p, const union arc_reg texts[3],
                                          uint64_t *id);

/* ---- memory.c */

/* A new object, collecting first when there is no room; false: the `memory` fault. A reference in
 * `building` or in a register of the machine below its top survives. */
ARCD_RT bool arc_host_new_object(struct arc_host_program *p, uint32_t n, uint32_t elem_bytes,
                                 uint64_t *ref);
ARCD_RT bool arc_host_new_text(struct arc_host_program *p, const char *bytes, uint32_t len,
                               uint64_t *ref);
ARCD_RT void arc_host_collect(struct arc_host_program *p);

/* ---- fault.c */

/* Records it, unless there is one already; the node is the running one. Returns false. */
ARCD_RT bool arc_host_stop(struct arc_host_program *p, struct arc_host_fault fault);

/* ---- cycle.c */

/* The references of a channel's str column of this cycle, in chan->refs. */
ARCD_RT bool arc_host_chan_refs(struct arc_host_program *p, struct arc_host_chan *chan);

ARCD_RT int64_t arc_host_now(struct arc_host_program *p);
ARCD_RT const int64_t *arc_host_stamps(struct arc_host_program *p, uint32_t n);

#endif
