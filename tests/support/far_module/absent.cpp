/// In a library that the loader does not find.
extern "C" int headloom_absent() {
    return 1;
}
