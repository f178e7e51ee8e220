#!/usr/bin/python3
"""Modbus devices for the tests of hw/modbus: an independent one, and one that misbehaves on command.

    modbus_server.py tcp [PORT]      pymodbus on 127.0.0.1
    modbus_server.py rtu DEVICE      pymodbus on a serial port
    modbus_server.py rogue [PORT]    raw sockets; register n has the value n until it is written

Prints "ready PORT" when it serves (port 0: any), then takes commands on standard input, one a line,
and answers each with one line:

    get TABLE ADDRESS COUNT     values as the server has them (pymodbus; TABLE hr, ir, co, di)
    stats                       "ACCEPTED REQUESTS" so far (rogue)
    do WHAT [ARG]               how the next request is answered (rogue):
        silent                  not at all, nor any later one until `do normal`
        exception CODE          with an exception
        delay SECONDS           that much later
        stall BYTES             with so many bytes of the answer, then nothing more
        close                   by hanging up
        slow SECONDS            byte by byte with pauses
        garbage SEED            damaged, as are all later ones until `do normal`
        normal                  well, from now on
"""
import asyncio
import logging
import random
import socket
import struct
import sys
import threading
import time

ORDERS = ("ABCD", "CDAB", "BADC", "DCBA")
# What test_modbus.c expects: the values, and the address of each type in the block of an order.
VALUES = ((0, "u16", ">H", 0x1234), (1, "i16", ">h", -2), (2, "u32", ">I", 305419896),
          (4, "i32", ">i", -123456789), (6, "f32", ">f", 123456.0),
          (8, "u64", ">Q", 0xFEDCBA9876543210), (12, "i64", ">q", -9007199254740993),
          (16, "f64", ">d", 1234.5678), (20, "u8", ">H", 200), (21, "i8", ">H", 0xFE))


def words(fmt, value, order):
    """The registers of a value, by the definition of the orders."""
    data = struct.pack(fmt, value)
    regs = [data[i:i + 2] for i in range(0, len(data), 2)]
    if order in ("CDAB", "DCBA"):
        regs.reverse()
    if order in ("BADC", "DCBA"):
        regs = [r[::-1] for r in regs]
    return [int.from_bytes(r, "big") for r in regs]


def registers():
    """0-199 count; a block of values for each order from 200, 300, 400, 500; a text at 600."""
    regs = {n: n for n in range(200)}
    for k, order in enumerate(ORDERS):
        base = 200 + 100 * k
        regs.update({base + n: 0 for n in range(30)})
        for offset, _, fmt, value in VALUES:
            for n, word in enumerate(words(fmt, value, order)):
                regs[base + offset + n] = word
    text = b"Pump 1 \xc3\xa4\0\0"
    regs.update({600 + n // 2: int.from_bytes(text[n:n + 2].ljust(2, b"\0"), "big")
                 for n in range(0, len(text), 2)})
    regs.update({1000 + n: 0 for n in range(200)})
    return regs


def commands(handle):
    """Reads commands on a thread of its own."""
    def loop():
        for line in sys.stdin:
            print(handle(line.split()), flush=True)
    threading.Thread(target=loop, daemon=True).start()


# ---- pymodbus

def context():
    from pymodbus.datastore import (ModbusServerContext, ModbusSlaveContext,
                                    ModbusSparseDataBlock)
    bits = {n: n % 3 == 0 for n in range(2100)}
    slave = ModbusSlaveContext(di=ModbusSparseDataBlock(dict(bits)),
                               co=ModbusSparseDataBlock(dict(bits)),
                               hr=ModbusSparseDataBlock(registers()),
                               ir=ModbusSparseDataBlock(registers()), zero_mode=True)
    return slave, ModbusServerContext(slaves={1: slave, 2: slave}, single=False)


def get(slave, command):
    code = {"hr": 3, "ir": 4, "co": 1, "di": 2}[command[1]]
    return " ".join(str(int(v)) for v in
                    slave.getValues(code, int(command[2]), int(command[3])))


async def serve_tcp(port):
    from pymodbus.server import StartAsyncTcpServer
    slave, ctx = context()
    server = await StartAsyncTcpServer(ctx, address=("127.0.0.1", port), defer_start=True,
                                       allow_reuse_address=True, ignore_missing_slaves=True)
    task = asyncio.ensure_future(server.serve_forever())
    await server.serving
    commands(lambda c: get(slave, c))
    print("ready", server.server.sockets[0].getsockname()[1], flush=True)
    await task


async def serve_rtu(device):
    from pymodbus.server import StartAsyncSerialServer
    from pymodbus.transaction import ModbusRtuFramer
    slave, ctx = context()
    server = await StartAsyncSerialServer(ctx, framer=ModbusRtuFramer, port=device,
                                          baudrate=115200, defer_start=True,
                                          ignore_missing_slaves=True)
    await server.start()
    commands(lambda c: get(slave, c))
    print("ready 0", flush=True)
    await server.serve_forever()


# ---- The rogue

class Rogue:
    def __init__(self, port):
        self.listener = socket.create_server(("127.0.0.1", port))
        self.regs = list(range(65536))
        self.what, self.arg = "normal", 0.0
        self.accepted = self.requests = 0
        self.random = random.Random(0)

    def command(self, command):
        if command[0] == "stats":
            return f"{self.accepted} {self.requests}"
        self.arg = float(command[2]) if len(command) > 2 else 0.0
        self.what = command[1]
        if self.what == "garbage":
            self.random = random.Random(int(self.arg))
        return "ok"

    def run(self):
        commands(self.command)
        print("ready", self.listener.getsockname()[1], flush=True)
        while True:
            peer, _ = self.listener.accept()
            self.accepted += 1
            threading.Thread(target=self.serve, args=(peer,), daemon=True).start()

    def serve(self, peer):
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while True:
                header = self.exactly(peer, 7)
                pdu = self.exactly(peer, int.from_bytes(header[4:6], "big") - 1)
                self.requests += 1
                what, arg = self.what, self.arg
                if what not in ("silent", "garbage"):
                    self.what = "normal"
                if what == "close":
                    break
                if what != "silent":
                    self.send(peer, what, arg, header, self.reply(pdu))
        except (ConnectionError, OSError):
            pass
        finally:
            peer.close()

    @staticmethod
    def exactly(peer, n):
        data = b""
        while len(data) < n:
            part = peer.recv(n - len(data))
            if not part:
                raise ConnectionError
            data += part
        return data

    def reply(self, pdu):
        fc, address, count = pdu[0], *struct.unpack(">HH", pdu[1:5])
        if fc in (3, 4):
            data = struct.pack(f">{count}H", *self.regs[address:address + count])
            return bytes([fc, len(data)]) + data
        if fc == 6:
            self.regs[address] = count
            return pdu
        if fc == 16:
            self.regs[address:address + count] = struct.unpack(f">{count}H", pdu[6:])
            return pdu[:5]
        return bytes([fc | 0x80, 1])

    def send(self, peer, what, arg, header, pdu):
        if what == "exception":
            pdu = bytes([pdu[0] & 0x7F | 0x80, int(arg)])
        frame = header[:4] + struct.pack(">HB", len(pdu) + 1, header[6]) + pdu
        if what == "delay":
            threading.Timer(arg, lambda: self.try_send(peer, frame)).start()
        elif what == "stall":
            peer.sendall(frame[:int(arg)])
        elif what == "slow":
            for byte in frame:
                peer.sendall(bytes([byte]))
                time.sleep(arg)
        elif what == "garbage":
            self.try_send(peer, self.damaged(frame))
        else:
            peer.sendall(frame)

    @staticmethod
    def try_send(peer, frame):
        try:
            peer.sendall(frame)
        except OSError:
            pass

    def damaged(self, frame):
        data = bytearray(frame)
        for _ in range(self.random.randrange(4)):
            data[self.random.randrange(len(data))] = self.random.randrange(256)
        if self.random.random() < 0.3:
            data = data[:self.random.randrange(1, len(data) + 1)]
        if self.random.random() < 0.2:
            data += bytes(self.random.randrange(256) for _ in range(self.random.randrange(300)))
        return bytes(data)


if __name__ == "__main__":
    logging.disable()
    mode = sys.argv[1]
    argument = sys.argv[2] if len(sys.argv) > 2 else "0"
    if mode == "tcp":
        asyncio.run(serve_tcp(int(argument)))
    elif mode == "rtu":
        asyncio.run(serve_rtu(argument))
    else:
        Rogue(int(argument)).run()
