#pragma once

#include <cstdint>

namespace headloom {

/// The opcodes that are read. Names and codes: Python's Lib/pickle.py.
enum class Opcode : unsigned char {
    mark = '(',
    stop = '.',
    binInt = 'J',
    binInt1 = 'K',
    binInt2 = 'M',
    none = 'N',
    binPersId = 'Q',
    reduce = 'R',
    binString = 'T',
    shortBinString = 'U',
    binUnicode = 'X',
    append = 'a',
    build = 'b',
    global = 'c',
    appends = 'e',
    binGet = 'h',
    longBinGet = 'j',
    binPut = 'q',
    longBinPut = 'r',
    setItem = 's',
    tuple = 't',
    setItems = 'u',
    emptyDict = '}',
    emptyList = ']',
    emptyTuple = ')',
    binFloat = 'G',
    binBytes = 'B',
    shortBinBytes = 'C',
    proto = 0x80,
    newObj = 0x81,
    tuple1 = 0x85,
    tuple2 = 0x86,
    tuple3 = 0x87,
    newTrue = 0x88,
    newFalse = 0x89,
    long1 = 0x8a,
    shortBinUnicode = 0x8c,
    binUnicode8 = 0x8d,
    emptySet = 0x8f,
    addItems = 0x90,
    stackGlobal = 0x93,
    memoize = 0x94,
    frame = 0x95
};

/// Python's name of an opcode that is not read; null where Python has none either.
const char* nameOfRefusedOpcode(unsigned char code);

}  // namespace headloom
