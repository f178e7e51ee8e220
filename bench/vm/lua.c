#include "bench/vm/lua.h"

#if BENCH_LUAJIT

#include <lauxlib.h>
#include <lua.h>
#include <luajit.h>
#include <lualib.h>

#include <stdio.h>
#include <stdlib.h>

struct bench_lua {
    lua_State *state;
};

static const char script[] =
    "local kp, ki, kd, dt, lo, hi, setpoint = 1.0, 0.5, 0.1, 0.001, -100.0, 100.0, 50.0\n"
    "local integral, last = 0.0, 0.0\n"
    "local function pid(pv)\n"
    "    local err = setpoint - pv\n"
    "    integral = integral + err * dt\n"
    "    if integral > hi then integral = hi end\n"
    "    if integral < lo then integral = lo end\n"
    "    local slope = (err - last) / dt\n"
    "    last = err\n"
    "    local out = kp * err + ki * integral + kd * slope\n"
    "    if out > hi then return hi end\n"
    "    if out < lo then return lo end\n"
    "    return out\n"
    "end\n"
    "input, output = {}, {}\n"
    "function run()\n"
    "    local input, output = input, output\n"
    "    for i = 1, #input do output[i] = pid(input[i]) end\n"
    "end\n";

static void must(struct bench_lua *lua, int result)
{
    if (result == 0)
        return;
    fprintf(stderr, "%s\n", lua_tostring(lua->state, -1));
    abort();
}

struct bench_lua *bench_lua_new(bool with_compiler)
{
    struct bench_lua *lua = calloc(1, sizeof *lua);
    if (lua == NULL || (lua->state = luaL_newstate()) == NULL)
        abort();
    luaL_openlibs(lua->state);
    if (luaJIT_setmode(lua->state, 0,
                       LUAJIT_MODE_ENGINE | (with_compiler ? LUAJIT_MODE_ON : LUAJIT_MODE_OFF)) ==
        0)
        abort();
    must(lua, luaL_dostring(lua->state, script));
    return lua;
}

void bench_lua_free(struct bench_lua *lua)
{
    lua_close(lua->state);
    free(lua);
}

void bench_lua_set(struct bench_lua *lua, const double *in, size_t n)
{
    lua_getglobal(lua->state, "input");
    for (size_t i = 0; i < n; i++) {
        lua_pushnumber(lua->state, in[i]);
        lua_rawseti(lua->state, -2, (int)i + 1);
    }
    lua_pop(lua->state, 1);
}

void bench_lua_pid(struct bench_lua *lua)
{
    lua_getglobal(lua->state, "run");
    must(lua, lua_pcall(lua->state, 0, 0, 0));
}

double bench_lua_result(struct bench_lua *lua, size_t i)
{
    lua_getglobal(lua->state, "output");
    lua_rawgeti(lua->state, -1, (int)i + 1);
    double value = lua_tonumber(lua->state, -1);
    lua_pop(lua->state, 2);
    return value;
}

#else

struct bench_lua *bench_lua_new(bool with_compiler)
{
    (void)with_compiler;
    return NULL;
}

void bench_lua_free(struct bench_lua *lua)
{
    (void)lua;
}

void bench_lua_set(struct bench_lua *lua, const double *in, size_t n)
{
    (void)lua;
    (void)in;
    (void)n;
}

void bench_lua_pid(struct bench_lua *lua)
{
    (void)lua;
}

double bench_lua_result(struct bench_lua *lua, size_t i)
{
    (void)lua;
    (void)i;
    return 0;
}

#endif
