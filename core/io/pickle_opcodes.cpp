#include "core/io/pickle_opcodes.h"

namespace headloom {

const char* nameOfRefusedOpcode(unsigned char code) {
    struct Row {
        unsigned char code;
        const char* name;
    };
    static constexpr Row table[] = {{'0', "POP"},
                                    {'1', "POP_MARK"},
                                    {'2', "DUP"},
                                    {'F', "FLOAT"},
                                    {'I', "INT"},
                                    {'L', "LONG"},
                                    {'P', "PERSID"},
                                    {'S', "STRING"},
                                    {'V', "UNICODE"},
                                    {'d', "DICT"},
                                    {'g', "GET"},
                                    {'i', "INST"},
                                    {'l', "LIST"},
                                    {'o', "OBJ"},
                                    {'p', "PUT"},
                                    {0x82, "EXT1"},
                                    {0x83, "EXT2"},
                                    {0x84, "EXT4"},
                                    {0x8b, "LONG4"},
                                    {0x8e, "BINBYTES8"},
                                    {0x91, "FROZENSET"},
                                    {0x92, "NEWOBJ_EX"},
                                    {0x96, "BYTEARRAY8"},
                                    {0x97, "NEXT_BUFFER"},
                                    {0x98, "READONLY_BUFFER"}};
    for (const Row& row : table)
        if (row.code == code) return row.name;
    return nullptr;
}

}  // namespace headloom
