#!/usr/bin/python3
"""The PLC of this example: an oven behind Modbus TCP, for those who have none at hand.

    examples/modbus/server.py [PORT]        default 5020, on 127.0.0.1 only

Needs pymodbus 3 (Debian: python3-pymodbus). Registers, 32-bit values low word first (CDAB):

    input register 0      f32   oven temperature, degC
    holding register 10   u32   hours of operation
    discrete input 0            1 while the door is open (for 5 s in every minute)
    coil 0                      burner
"""
import asyncio
import struct
import sys
import time

from pymodbus.datastore import (ModbusSequentialDataBlock, ModbusServerContext,
                                ModbusSlaveContext)
from pymodbus.server import StartAsyncTcpServer

COILS, DISCRETE_INPUTS, HOLDING, INPUTS = 1, 2, 3, 4  # as the data store calls them
AMBIENT_C, HEATING_C_PER_S, LOSS_PER_S, STEP_S = 20.0, 4.0, 0.015, 0.1


def low_word_first(fmt, value):
    high, low = struct.unpack(">HH", struct.pack(fmt, value))
    return [low, high]


async def run_oven(plc):
    temp, hours, began = 150.0, 12345, time.monotonic()
    while True:
        door_open = (time.monotonic() - began) % 60 >= 55
        burner = plc.getValues(COILS, 0, 1)[0]
        loss = LOSS_PER_S * (3 if door_open else 1)
        temp += STEP_S * (HEATING_C_PER_S * burner - loss * (temp - AMBIENT_C))
        plc.setValues(INPUTS, 0, low_word_first(">f", temp))
        plc.setValues(HOLDING, 10, low_word_first(">I", hours))
        plc.setValues(DISCRETE_INPUTS, 0, [door_open])
        await asyncio.sleep(STEP_S)


async def main(port):
    def block(n):
        return ModbusSequentialDataBlock(0, [0] * n)

    plc = ModbusSlaveContext(di=block(16), co=block(16), hr=block(32), ir=block(32), zero_mode=True)
    oven = asyncio.ensure_future(run_oven(plc))
    print(f"an oven on 127.0.0.1:{port}, unit 1; Ctrl-C ends it", flush=True)
    try:
        await StartAsyncTcpServer(ModbusServerContext(slaves={1: plc}, single=False),
                                  address=("127.0.0.1", port), allow_reuse_address=True)
    finally:
        oven.cancel()


if __name__ == "__main__":
    try:
        asyncio.run(main(int(sys.argv[1]) if len(sys.argv) > 1 else 5020))
    except KeyboardInterrupt:
        pass
