/* bench/vm/lua.h - the same computations in Lua, by LuaJIT with and without its compiler. */
#ifndef BENCH_VM_LUA_H
#define BENCH_VM_LUA_H

#include <stdbool.h>
#include <stddef.h>

struct bench_lua; /* one state */

/* NULL when built without LuaJIT. */
struct bench_lua *bench_lua_new(bool with_compiler);
void bench_lua_free(struct bench_lua *lua);

/* The controller over the samples given once with set. */
void bench_lua_set(struct bench_lua *lua, const double *in, size_t n);
void bench_lua_pid(struct bench_lua *lua);

/* Element i of its last result. */
double bench_lua_result(struct bench_lua *lua, size_t i);

#endif
