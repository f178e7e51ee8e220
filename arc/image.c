#include "arc/image.h"

#include <stdlib.h>

const char *arc_image_node_text(enum arc_image_node_kind kind)
{
    static const char *const texts[ARC_IMAGE_NODE_COUNT] = {
#define NODE_TEXT(name, text) [ARC_IMAGE_NODE_##name] = (text),
        ARC_IMAGE_NODES(NODE_TEXT)
#undef NODE_TEXT
    };
    return texts[kind];
}

void arc_image_free(struct arc_image *image)
{
    if (image == NULL)
        return;
    base_arena_fini(&image->arena);
    free(image);
}
