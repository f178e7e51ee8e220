#include "arc/lib.h"

#include <string.h>

#define TIME_SPAN(param_name, optional)                                                            \
    {                                                                                              \
        .name = (param_name), .prim = TELEM_I64, .is_time = true, .is_optional = (optional)        \
    }
#define PLAIN(param_name, type)                                                                    \
    {                                                                                              \
        .name = (param_name), .prim = (type)                                                       \
    }
#define NUMERIC(param_name)                                                                        \
    {                                                                                              \
        .name = (param_name), .kind = ARC_LIB_NUMERIC                                              \
    }

#define U8_OUTPUT .outputs = {PLAIN("", TELEM_U8)}, .n_outputs = 1
#define ONE_SPAN(param_name) .config = {TIME_SPAN(param_name, false)}, .n_config = 1
#define U8_INPUT .inputs = {PLAIN("input", TELEM_U8)}, .n_inputs = 1

/* A running value over a window. */
#define WINDOW                                                                                     \
    .config = {TIME_SPAN("duration", true),                                                        \
               {.name = "count", .prim = TELEM_I64, .is_optional = true}},                         \
    .n_config = 2,                                                                                 \
    .inputs = {NUMERIC("input"), {.name = "reset", .prim = TELEM_U8, .is_optional = true}},        \
    .n_inputs = 2, .outputs = {NUMERIC("")}, .n_outputs = 1

/* The parameters and outputs of each member of ARC_LIB_MEMBERS. */
#define SHAPE_TIME_INTERVAL ONE_SPAN("period"), U8_OUTPUT
#define SHAPE_TIME_WAIT ONE_SPAN("duration"), U8_OUTPUT
#define SHAPE_TIME_NOW .outputs = {TIME_SPAN("", false)}, .n_outputs = 1
#define SHAPE_MATH_AVG WINDOW
#define SHAPE_MATH_MIN WINDOW
#define SHAPE_MATH_MAX WINDOW
#define SHAPE_MATH_DERIVATIVE                                                                      \
    .inputs = {NUMERIC("input")}, .n_inputs = 1, .outputs = {PLAIN("", TELEM_F64)}, .n_outputs = 1
#define SHAPE_CONTROL_SET_AUTHORITY                                                                \
    .config = {PLAIN("value", TELEM_U8),                                                           \
               {.name = "channel", .kind = ARC_LIB_CHANNEL, .is_optional = true}},                 \
    .n_config = 2
#define SHAPE_STATUS_SET                                                                           \
    .config = {PLAIN("key_or_name", TELEM_STR), PLAIN("message", TELEM_STR),                       \
               PLAIN("variant", TELEM_STR)},                                                       \
    .n_config = 3, .outputs = {PLAIN("", TELEM_STR)}, .n_outputs = 1
#define SHAPE_STABLE_FOR ONE_SPAN("duration"), U8_INPUT, U8_OUTPUT
#define SHAPE_SELECT                                                                               \
    U8_INPUT, .outputs = {PLAIN("true", TELEM_U8), PLAIN("false", TELEM_U8)}, .n_outputs = 2
#define SHAPE_LEN .n_config = 0
#define SHAPE_RANGE .n_config = 0

static const struct arc_lib_member members[] = {
#define MEMBER(ID, module_name, member_name, bare_name, uses)                                      \
    [ARC_LIB_##ID] = {.id = ARC_LIB_##ID,                                                          \
                      .module = (module_name),                                                     \
                      .name = (member_name),                                                       \
                      .bare = (bare_name),                                                         \
                      .use = (uses),                                                               \
                      SHAPE_##ID},
    ARC_LIB_MEMBERS(MEMBER)
#undef MEMBER
};

const struct arc_lib_member *arc_lib_get(enum arc_lib_id id)
{
    return &members[id];
}

bool arc_lib_has_module(const char *module)
{
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        if (members[i].module != NULL && strcmp(members[i].module, module) == 0)
            return true;
    }
    return false;
}

const struct arc_lib_member *arc_lib_find(const char *module, const char *name)
{
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *member = &members[i];
        if (member->module != NULL && strcmp(member->module, module) == 0 &&
            strcmp(member->name, name) == 0)
            return member;
    }
    return NULL;
}

const struct arc_lib_member *arc_lib_find_bare(const char *name)
{
    for (size_t i = 0; i < ARC_LIB_COUNT; i++) {
        const struct arc_lib_member *member = &members[i];
        const char *bare = member->module ? member->bare : member->name;
        if (bare != NULL && strcmp(bare, name) == 0)
            return member;
    }
    return NULL;
}
