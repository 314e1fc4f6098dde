/* Preloaded: freed blocks of the size of a small shared object hold ones from then on, and are given to nobody again. Whoever
   counts references on what is gone finds the last one, and falls. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <malloc.h>
#include <stddef.h>
#include <stdint.h>
void free(void *block) {
    static void (*really)(void *);
    if (!really) really = (void (*)(void *))dlsym(RTLD_NEXT, "free");
    size_t size = block ? malloc_usable_size(block) : 0;
    if (size < 104 || size > 200) {
        really(block);
        return;
    }
    for (size_t i = 0; i < size / 4; i++) ((volatile uint32_t *)block)[i] = 1;
}
