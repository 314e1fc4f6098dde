/* A tool that is not written in Python: loads an FMU of FMI 2.0, steps it and prints one output.
   fmu_host LIBRARY GUID RESOURCES REFERENCE STEP COUNT */

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct { Logger logger; void *allocate, *release, *finished, *environment; } Callbacks;

static void say(void *environment, const char *name, int status, const char *category, const char *text, ...)
{
    fprintf(stderr, "%d %s\n", status, text);
}

int main(int count, char **words)
{
    Callbacks told = {say, calloc, free, NULL, NULL};
    unsigned reference;
    double step, value = 0.0;
    int k, status = 0;
    void *model, *library = count == 7 ? dlopen(words[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (library == NULL) { fprintf(stderr, "%s\n", dlerror()); return 2; }
    model = ((void *(*)(const char *, int, const char *, const char *, const Callbacks *, int, int))dlsym(library, "fmi2Instantiate"))(
        "one", 1, words[2], words[3], &told, 0, 1);
    if (model == NULL) return 3;
    reference = (unsigned)atoi(words[4]);
    step = atof(words[5]);
    ((int (*)(void *, int, double, double, int, double))dlsym(library, "fmi2SetupExperiment"))(model, 0, 0.0, 0.0, 0, 0.0);
    status |= ((int (*)(void *))dlsym(library, "fmi2EnterInitializationMode"))(model);
    status |= ((int (*)(void *))dlsym(library, "fmi2ExitInitializationMode"))(model);
    for (k = 0; k < atoi(words[6]); k++)
        status |= ((int (*)(void *, double, double, int))dlsym(library, "fmi2DoStep"))(model, k * step, step, 1);
    status |= ((int (*)(void *, const unsigned *, size_t, double *))dlsym(library, "fmi2GetReal"))(model, &reference, 1, &value);
    printf("%d %a\n", status, value);
    fflush(stdout);
    ((int (*)(void *))dlsym(library, "fmi2Terminate"))(model);
    ((void (*)(void *))dlsym(library, "fmi2FreeInstance"))(model);
    return 0;
}
