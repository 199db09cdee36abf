// What AddressSanitizer is told in programs that hold the compiler. LLVM's allocators say which of their memory is in
// use where they are compiled with the sanitizer, as in our sources, and say nothing where they are not, as in LLVM's
// library: for memory that goes from the one to the other that would be a report of something that is right.
extern "C" const char *__asan_default_options() { return "allow_user_poisoning=0"; }
