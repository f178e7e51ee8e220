#include "arc_host/fault.h"

#include "arc_host/program_priv.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

ARCD_RT bool arc_host_stop(struct arc_host_program *p, struct arc_host_fault fault)
{
    if (p->fault.kind != ARC_HOST_FAULT_NONE)
        return false;
    fault.function = ARC_HOST_FAULT_NOWHERE;
    fault.node = p->node;
    fault.line = p->node != ARC_NONE ? p->image->nodes[p->node].line : 0;
    p->fault = fault;
    return false;
}

/* Appends to text[*len ..] as printf does, never past the end. */
static void append(char *text, size_t size, size_t *len, const char *format, ...) ARCD_PRINTF(4, 5);

static void append(char *text, size_t size, size_t *len, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(text + *len, size - *len, format, args);
    va_end(args);
    if (n > 0)
        *len = *len + (size_t)n < size ? *len + (size_t)n : size - 1;
}

static void append_place(char *text, size_t size, size_t *len, const struct arc_image *image,
                         const struct arc_host_fault *fault)
{
    if (fault->function < image->n_funcs) {
        const struct arc_image_func *func = &image->funcs[fault->function];
        append(text, size, len, func->is_expression ? "%s" : "function '%s'", func->name);
    } else if (fault->node < image->n_nodes) {
        const struct arc_image_node *node = &image->nodes[fault->node];
        append(text, size, len, "%s", arc_image_node_text(node->kind));
        if (node->channel < image->n_channels)
            append(text, size, len, " '%s'", image->channels[node->channel].name);
    }
    if (fault->line != 0)
        append(text, size, len, "%sline %" PRIu32, *len > 0 ? ", " : "", fault->line);
    if (*len > 0)
        append(text, size, len, ": ");
}

void arc_host_fault_text(const struct arc_image *image, const struct arc_host_fault *fault,
                         char *text, size_t size)
{
    static const char *const SENTENCES[] = {
#define ARC_HOST_FAULT_SENTENCE(name, sentence) sentence,
        ARC_HOST_FAULTS(ARC_HOST_FAULT_SENTENCE)
#undef ARC_HOST_FAULT_SENTENCE
    };
    if (size == 0)
        return;
    size_t len = 0;
    text[0] = '\0';
    append_place(text, size, &len, image, fault);
    const int64_t numbers[] = {fault->a, fault->b, fault->c};
    for (const char *at = SENTENCES[fault->kind]; *at != '\0'; at++) {
        if (*at == '%' && at[1] >= '1' && at[1] <= '3')
            append(text, size, &len, "%" PRId64, numbers[*++at - '1']);
        else
            append(text, size, &len, "%c", *at);
    }
}
