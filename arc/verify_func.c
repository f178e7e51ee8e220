/* Function records: that the ranges exist, that frames do not overlap themselves, and that the
 * bounds on stack and state hold. The stack bound is checked call by call: it must cover the call's
 * window and the callee's own bound, or be the most that any run can need. */
#include "arc/verify_priv.h"

static bool bad(struct arc_verify *v, uint32_t id, const char *what)
{
    return arc_verify_bad(v, "function %u: %s", id, what);
}

static bool overlaps(uint32_t a, uint32_t n_a, uint32_t b, uint32_t n_b)
{
    return n_a != 0 && n_b != 0 && a < b + n_b && b < a + n_a;
}

static bool is_frame(const struct arc_image_func *func, const struct arc_image_body *body,
                     bool is_batch)
{
    uint32_t n_args = func->args.n;
    uint32_t n_state = func->state_mode == ARC_STATE_REGS && !is_batch ? func->state.n : 0;
    uint32_t max = is_batch ? ARC_MAX_BATCH_REGS : ARC_MAX_REGS;
    return body->n_regs >= 1 && body->n_regs <= max && n_args <= body->n_regs &&
           (uint32_t)body->k_reg + body->n_k <= body->n_regs &&
           body->state_reg + n_state <= body->n_regs &&
           !overlaps(0, n_args, body->k_reg, body->n_k) &&
           !overlaps(0, n_args, body->state_reg, n_state) &&
           !overlaps(body->k_reg, body->n_k, body->state_reg, n_state);
}

static bool is_body(const struct arc_image *image, const struct arc_image_func *func,
                    const struct arc_image_body *body, bool is_batch)
{
    struct arc_image_range consts = {.first = body->k_first, .n = body->n_k};
    return arc_verify_in(body->code, image->n_code) && body->code.n >= 1 &&
           body->code.n <= ARC_MAX_CODE && arc_verify_in(consts, image->n_consts) &&
           is_frame(func, body, is_batch);
}

static bool is_output_reg(uint16_t reg, const struct arc_image_body *body)
{
    return reg < body->n_regs;
}

static bool check_output(struct arc_verify *v, uint32_t id, const struct arc_image_func *func,
                         const struct arc_image_func_output *out)
{
    if (!arc_verify_is_sample(out->type))
        return bad(v, id, "an output has no type");
    bool is_result = out->reg == ARC_NO_REG;
    if (is_result ? func->result != out->type || func->outputs.n != 1
                  : func->result != ARC_VT_NONE || !is_output_reg(out->reg, &func->body))
        return bad(v, id, "an output has no register");
    if (out->flag_reg != ARC_NO_REG && !is_output_reg(out->flag_reg, &func->body))
        return bad(v, id, "an output has no flag register");
    if (func->batch.code.n == 0)
        return true;
    if (!is_output_reg(out->batch_reg, &func->batch) ||
        (out->batch_flag_reg != ARC_NO_REG && !is_output_reg(out->batch_flag_reg, &func->batch)))
        return bad(v, id, "an output has no batch register");
    return true;
}

static bool check_types(struct arc_verify *v, uint32_t id, const struct arc_image_func *func)
{
    const struct arc_image *image = v->image;
    for (uint32_t i = 0; i < func->args.n; i++) {
        uint8_t vt = image->func_args[func->args.first + i];
        if (!arc_verify_is_vt(vt) || (func->batch.code.n != 0 && vt >= TELEM_STR))
            return bad(v, id, "an argument has a wrong type");
    }
    for (uint32_t i = 0; i < func->state.n; i++) {
        uint8_t vt = image->state_types[func->state.first + i];
        union arc_reg init = image->state_init[func->state.first + i];
        if (!arc_verify_is_vt(vt) || arc_vt_is_chan(vt) ||
            (vt == TELEM_STR && init.u64 >= image->n_strings) ||
            (arc_vt_is_series(vt) && init.u64 != 0))
            return bad(v, id, "a state slot has a wrong type or value");
    }
    if (func->result != ARC_VT_NONE && (!arc_verify_is_vt(func->result)))
        return bad(v, id, "the result has a wrong type");
    for (uint32_t i = 0; i < func->outputs.n; i++)
        if (!check_output(v, id, func, &image->func_outputs[func->outputs.first + i]))
            return false;
    return true;
}

static bool check_record(struct arc_verify *v, uint32_t id)
{
    const struct arc_image *image = v->image;
    const struct arc_image_func *func = &image->funcs[id];
    if (func->name == NULL || !arc_verify_in(func->args, image->n_func_args) ||
        !arc_verify_in(func->outputs, image->n_func_outputs) ||
        !arc_verify_in(func->state, image->n_state_slots) || func->args.n > ARC_MAX_ARGS ||
        func->outputs.n > ARC_MAX_ARGS || func->n_inputs > func->args.n)
        return bad(v, id, "a list is not there");
    if (func->state_mode > ARC_STATE_SLOTS ||
        (func->state_mode == ARC_STATE_NONE) != (func->state.n == 0) ||
        (func->state_id == ARC_NONE) != (func->state.n == 0))
        return bad(v, id, "the kind of state is wrong");
    if (!is_body(image, func, &func->body, false))
        return bad(v, id, "the body is wrong");
    if (func->batch.code.n != 0 &&
        (!is_body(image, func, &func->batch, true) || func->state.n != 0 || func->outputs.n == 0))
        return bad(v, id, "the batch body is wrong");
    return check_types(v, id, func);
}

/* ---- Stack -------------------------------------------------------------------------------- */

static uint32_t most_stack(const struct arc_image *image)
{
    uint32_t largest = 0;
    for (uint32_t i = 0; i < image->n_funcs; i++)
        if (image->funcs[i].body.n_regs > largest)
            largest = image->funcs[i].body.n_regs;
    return (ARC_MAX_CALL_DEPTH + 1u) * largest;
}

/* Calls, and what they ask of their caller: stack, and that it says what it does. */
static bool check_calls(struct arc_verify *v, uint32_t id, uint32_t most)
{
    const struct arc_image *image = v->image;
    const struct arc_image_func *func = &image->funcs[id];
    if (func->stack_regs < func->body.n_regs || func->stack_regs > image->stack_regs)
        return bad(v, id, "the stack bound is too low");
    bool calls = false;
    for (uint32_t i = 0; i < func->body.code.n; i++) {
        const struct arc_insn *insn = &image->code[func->body.code.first + i];
        if ((insn->op == ARC_OP_CHWR || insn->op == ARC_OP_CHWRR) && !func->writes)
            return bad(v, id, "writes a channel and does not say so");
        if (insn->op != ARC_OP_CALL)
            continue;
        calls = true;
        if (insn->imm < 0 || (uint32_t)insn->imm >= image->n_funcs)
            return bad(v, id, "calls a function that is not there");
        uint64_t need = (uint64_t)insn->a + image->funcs[insn->imm].stack_regs;
        if (func->stack_regs < (need < most ? need : most))
            return bad(v, id, "the stack bound is too low for a call");
        if (image->funcs[insn->imm].writes && !func->writes)
            return bad(v, id, "writes a channel by a call and does not say so");
    }
    return calls == func->calls || bad(v, id, "says wrongly whether it calls");
}

/* ---- State -------------------------------------------------------------------------------- */

struct reach {
    struct arc_verify *v;
    uint32_t n_stateful;
    uint32_t *seen; /* by function: the root that has seen it, + 1 */
    uint32_t *todo;
};

static bool check_slots(struct reach *r, uint32_t root_id, uint32_t id, bool *taken)
{
    const struct arc_image *image = r->v->image;
    const struct arc_image_func *root = &image->funcs[root_id];
    const struct arc_image_func *func = &image->funcs[id];
    struct arc_image_range map = {.first = root->state_map, .n = r->n_stateful};
    if (root->state_map == ARC_NONE || !arc_verify_in(map, image->n_lists))
        return bad(r->v, root_id, "has no map of its state");
    struct arc_image_range slots = {.first = image->lists[root->state_map + func->state_id],
                                    .n = func->state.n};
    if (!arc_verify_in(slots, root->n_root_state))
        return bad(r->v, root_id, "state lies outside of the node's");
    for (uint32_t i = 0; i < slots.n; i++) {
        if (taken[slots.first + i])
            return bad(r->v, root_id, "two functions share state");
        taken[slots.first + i] = true;
    }
    return true;
}

/* A host fills the state of every function in the map: those that are not reached have no place. */
static bool check_map(struct reach *r, uint32_t root_id)
{
    const struct arc_image *image = r->v->image;
    const struct arc_image_func *root = &image->funcs[root_id];
    struct arc_image_range map = {.first = root->state_map, .n = r->n_stateful};
    if (root->state_map == ARC_NONE)
        return root->n_root_state == 0 || bad(r->v, root_id, "has no map of its state");
    if (!arc_verify_in(map, image->n_lists))
        return bad(r->v, root_id, "has no map of its state");
    for (uint32_t i = 0; i < image->n_funcs; i++) {
        uint32_t id = image->funcs[i].state_id;
        if (id != ARC_NONE && r->seen[i] != root_id + 1 &&
            image->lists[root->state_map + id] != ARC_NONE)
            return bad(r->v, root_id, "has state of a function that it does not reach");
    }
    return true;
}

static bool check_root(struct reach *r, uint32_t root_id)
{
    const struct arc_image *image = r->v->image;
    bool *taken = base_arena_array(&r->v->scratch, bool, image->funcs[root_id].n_root_state);
    uint32_t n_todo = 0;
    r->todo[n_todo++] = root_id;
    r->seen[root_id] = root_id + 1;
    while (n_todo > 0) {
        uint32_t id = r->todo[--n_todo];
        const struct arc_image_func *func = &image->funcs[id];
        if (func->state.n != 0 && !check_slots(r, root_id, id, taken))
            return false;
        for (uint32_t i = 0; i < func->body.code.n && func->calls; i++) {
            const struct arc_insn *insn = &image->code[func->body.code.first + i];
            if (insn->op != ARC_OP_CALL || r->seen[insn->imm] == root_id + 1)
                continue;
            r->seen[insn->imm] = root_id + 1;
            r->todo[n_todo++] = (uint32_t)insn->imm;
        }
    }
    return check_map(r, root_id);
}

static bool check_state_ids(struct reach *r)
{
    const struct arc_image *image = r->v->image;
    for (uint32_t i = 0; i < image->n_funcs; i++)
        r->n_stateful += image->funcs[i].state_id != ARC_NONE;
    bool *taken = base_arena_array(&r->v->scratch, bool, r->n_stateful);
    for (uint32_t i = 0; i < image->n_funcs; i++) {
        uint32_t id = image->funcs[i].state_id;
        if (id == ARC_NONE)
            continue;
        if (id >= r->n_stateful || taken[id])
            return bad(r->v, i, "the state id is wrong");
        taken[id] = true;
    }
    return true;
}

static bool check_node_state(struct arc_verify *v, const struct arc_image_node *node, uint32_t id)
{
    uint32_t n = node->func == ARC_NONE ? 0 : v->image->funcs[node->func].n_root_state;
    bool is_good = node->state.n == n && arc_verify_in(node->state, v->image->n_state);
    return is_good || arc_verify_bad(v, "node %u: its state is not there", id);
}

static bool check_states(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    struct reach r = {.v = v};
    if (!check_state_ids(&r))
        return false;
    r.seen = base_arena_array(&v->scratch, uint32_t, image->n_funcs);
    r.todo = base_arena_array(&v->scratch, uint32_t, image->n_funcs);
    bool *is_root = base_arena_array(&v->scratch, bool, image->n_funcs);
    uint64_t n_state = 0;
    for (uint32_t i = 0; i < image->n_nodes; i++) {
        const struct arc_image_node *node = &image->nodes[i];
        if (node->func != ARC_NONE && node->func >= image->n_funcs)
            return arc_verify_bad(v, "node %u: its function is not there", i);
        /* One after the other, so that no two overlap. */
        if (!check_node_state(v, node, i) || node->state.first != n_state)
            return arc_verify_bad(v, "node %u: its state is not there", i);
        n_state += node->state.n;
        if (node->func == ARC_NONE || is_root[node->func])
            continue;
        is_root[node->func] = true;
        if (image->funcs[node->func].n_root_state > ARC_MAX_STATE)
            return arc_verify_bad(v, "node %u: too much state", i);
        if (!check_root(&r, node->func))
            return false;
    }
    return true;
}

bool arc_verify_funcs(struct arc_verify *v)
{
    const struct arc_image *image = v->image;
    for (uint32_t i = 0; i < image->n_funcs; i++) {
        if (!check_record(v, i))
            return false;
        if (image->funcs[i].batch.n_regs > image->batch_regs)
            return bad(v, i, "needs more columns than the image says");
    }
    uint32_t most = most_stack(image);
    for (uint32_t i = 0; i < image->n_funcs; i++)
        if (!check_calls(v, i, most))
            return false;
    if (image->n_state > ARC_MAX_STATE)
        return arc_verify_bad(v, "the program keeps too much state");
    bool is_good = check_states(v);
    base_arena_reset(&v->scratch);
    return is_good;
}
