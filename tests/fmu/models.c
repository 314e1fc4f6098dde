/* Small models for co-simulation by FMI 2.0, after the kinds of the public Reference FMUs; written from the standard's text.

   Which one it is, MODEL says: BALL (a bouncing ball), VANDERPOL, CYLINDER (hydraulic), CONTROLLER (PI), FAULTY.
   Numbers are v[reference]; a state is the whole struct. */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define BALL 1
#define VANDERPOL 2
#define CYLINDER 3
#define CONTROLLER 4
#define FAULTY 5

typedef void (*Logger)(void *, const char *, int, const char *, const char *, ...);
typedef struct { Logger logger; void *allocate, *release, *finished, *environment; } Callbacks;
typedef struct { double v[16]; const Callbacks *told; char name[64]; int running; } Model;

static void restart(Model *m)
{
    double v[16] = {0};
    m->running = 0;
#if MODEL == BALL /* h, v, e, g */
    v[0] = 1.0, v[2] = 0.7, v[3] = 9.81;
#elif MODEL == VANDERPOL /* x0, x1, mu */
    v[0] = 2.0, v[2] = 1.0;
#elif MODEL == CYLINDER /* x, v, u, F, p, area, supply, tau, damping, used */
    v[5] = 1e-3, v[6] = 2e5, v[7] = 0.05, v[8] = 20.0;
#elif MODEL == CONTROLLER /* y, r, u, kp, ki, integral */
    v[3] = 2.0, v[4] = 0.5;
#elif MODEL == FAULTY /* u, y, status, after, calls */
    v[2] = 3.0, v[3] = 3.0;
#endif
    memcpy(m->v, v, sizeof v);
}

static int advance(Model *m, double h)
{
    double *v = m->v;
#if MODEL == BALL
    while (h > 0.0) { /* exact between bounces */
        double end = (v[1] + sqrt(v[1] * v[1] + 2.0 * v[3] * v[0])) / v[3];
        double t = end < h ? end : h;
        v[0] += v[1] * t - 0.5 * v[3] * t * t;
        v[1] -= v[3] * t;
        if (end <= h) {
            v[0] = 0.0, v[1] = -v[2] * v[1];
            if (v[1] < 1e-3) { v[1] = 0.0; v[3] = 0.0; return 0; }
        }
        h -= t;
    }
#elif MODEL == VANDERPOL
    int i, n = (int)ceil(h / 1e-4);
    double dt = h / n;
    for (i = 0; i < n; i++) { /* midpoint rule */
        double a = v[1], b = v[2] * (1.0 - v[0] * v[0]) * v[1] - v[0];
        double x = v[0] + 0.5 * dt * a, y = v[1] + 0.5 * dt * b;
        v[0] += dt * y;
        v[1] += dt * (v[2] * (1.0 - x * x) * y - x);
    }
#elif MODEL == CYLINDER
    v[4] += (v[2] * v[6] - v[4]) * (1.0 - exp(-h / v[7]));
    v[3] = v[5] * v[4] - v[8] * v[1];
#elif MODEL == CONTROLLER
    v[5] += h * (v[1] - v[0]);
    v[2] = v[3] * (v[1] - v[0]) + v[4] * v[5];
#elif MODEL == FAULTY
    v[1] = v[0];
    if (++v[4] > v[3]) {
        if (v[2] == 9.0) { v[1] = NAN; return 0; }
        m->told->logger(m->told->environment, m->name, (int)v[2], "logAll", "the pump has run dry");
        return (int)v[2];
    }
#endif
    return 0;
}

const char *fmi2GetTypesPlatform(void) { return "default"; }
const char *fmi2GetVersion(void) { return "2.0"; }

void *fmi2Instantiate(const char *name, int type, const char *guid, const char *where, const Callbacks *told, int visible, int log)
{
    Model *m;
    if (type != 1 || strcmp(guid, "{tiny}") != 0) return NULL;
    m = calloc(1, sizeof *m);
    m->told = told;
    strncpy(m->name, name, sizeof m->name - 1);
    restart(m);
    return m;
}

void fmi2FreeInstance(void *c) { free(c); }
int fmi2SetDebugLogging(void *c, int on, size_t n, const char *const categories[]) { return 0; }
int fmi2SetupExperiment(void *c, int a, double tolerance, double start, int b, double stop) { return 0; }
int fmi2EnterInitializationMode(void *c) { return 0; }
int fmi2ExitInitializationMode(void *c) { ((Model *)c)->running = 1; return 0; }
int fmi2Terminate(void *c) { return 0; }
int fmi2Reset(void *c) { restart(c); return 0; }

int fmi2GetReal(void *c, const unsigned vr[], size_t n, double value[])
{
    while (n-- > 0) value[n] = ((Model *)c)->v[vr[n]];
    return 0;
}

int fmi2SetReal(void *c, const unsigned vr[], size_t n, const double value[])
{
    while (n-- > 0) ((Model *)c)->v[vr[n]] = value[n];
    return 0;
}

int fmi2DoStep(void *c, double time, double size, int no_set_back)
{
    return ((Model *)c)->running ? advance(c, size) : 3;
}

int fmi2GetFMUstate(void *c, void **state)
{
    if (*state == NULL) *state = malloc(sizeof(Model));
    memcpy(*state, c, sizeof(Model));
    return 0;
}

int fmi2SetFMUstate(void *c, void *state) { memcpy(c, state, sizeof(Model)); return 0; }
int fmi2FreeFMUstate(void *c, void **state) { free(*state); *state = NULL; return 0; }

#define NONE(name) int name(void) { return 3; }
NONE(fmi2GetInteger) NONE(fmi2GetBoolean) NONE(fmi2GetString) NONE(fmi2SetInteger) NONE(fmi2SetBoolean) NONE(fmi2SetString)
NONE(fmi2SerializedFMUstateSize) NONE(fmi2SerializeFMUstate) NONE(fmi2DeSerializeFMUstate) NONE(fmi2GetDirectionalDerivative)
NONE(fmi2SetRealInputDerivatives) NONE(fmi2GetRealOutputDerivatives) NONE(fmi2CancelStep) NONE(fmi2GetStatus)
NONE(fmi2GetRealStatus) NONE(fmi2GetIntegerStatus) NONE(fmi2GetBooleanStatus) NONE(fmi2GetStringStatus)
