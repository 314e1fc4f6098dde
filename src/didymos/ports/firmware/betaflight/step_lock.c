/* Preloaded into Betaflight's SITL: time passes for the firmware only as the twin's clock does.
 *
 * The firmware is not changed. It asks libc for the time, sleeps, waits for datagrams and binds its ports; those calls are
 * answered here. Two threads take turns, so that the same packets give the same answers to the bit:
 *
 *   state thread: takes a packet of time t -> the radio's of that time has been read -> main loop may run until t -> waits for it
 *   main loop:    runs, each reading of the clock costs 100 ns and each sleep its length -> past t it is parked
 *
 * For each packet exactly one set of motor values goes out: the first that the firmware computes after it, as its own simulator
 * interface has it; where it computes none within the step, the last set again. Sockets are handed down by number, already
 * bound to loopback with ports of the system's choice, in place of the fixed ones (9002 to 9004 and 5761).
 *
 * The thread of its command line and the main loop share lists without a lock: the thread throws away the listening stream that
 * the main loop is about to open, and the firmware is deaf for good. So those two take turns as well, locked or not: the main
 * loop lets go while it sleeps, the thread while it waits for bytes.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { MOTORS = 9002, STATE = 9003, RADIO = 9004, CONSOLE = 5761 };
enum { READING = 100, BOOT = 1000000000, LOOK = 200000000 }; /* ns: cost of a look at the clock, time to boot, to look for the parent */

static int (*real_bind)(int, const struct sockaddr *, socklen_t);
static ssize_t (*real_sendto)(int, const void *, size_t, int, const struct sockaddr *, socklen_t);
static ssize_t (*real_recvfrom)(int, void *, size_t, int, struct sockaddr *, socklen_t *);
static int (*real_clock_gettime)(clockid_t, struct timespec *);
static int (*real_nanosleep)(const struct timespec *, struct timespec *);
static int (*real_select)(int, fd_set *, fd_set *, fd_set *, struct timeval *);
static int (*real_pthread_join)(pthread_t, void **);
static sighandler_t (*real_signal)(int, sighandler_t);

static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER; /* of the main loop or the command line; taken before `lock` */
static __thread int has_turn;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t moved = PTHREAD_COND_INITIALIZER;
static int is_locked, state_fd = -1, radio_fd = -1;
static pid_t parent;
static int64_t now, until = BOOT; /* ns of the firmware's time: of the main loop, and how far it may go */
static int is_parked, is_radio_busy, has_packet, has_answered = 1;
static double stamp, first_stamp = -1.0; /* s, of the last packet and of the first */
static double radio_stamp = -1.0, radio_period; /* s, of the last packet of the radio, and between two */
static char motors[64];
static size_t motors_size;
static int motors_fd = -1;

static int number(const char *name) { const char *text = getenv(name); return text ? atoi(text) : -1; }
static int is_main_loop(void) { return gettid() == getpid(); }

static void take_turn(void)
{
    if (!has_turn) pthread_mutex_lock(&turn);
    has_turn = 1;
}

static void give_turn(void)
{
    if (has_turn) pthread_mutex_unlock(&turn);
    has_turn = 0;
}

__attribute__((constructor)) static void begin(void)
{
    real_bind = dlsym(RTLD_NEXT, "bind");
    real_sendto = dlsym(RTLD_NEXT, "sendto");
    real_recvfrom = dlsym(RTLD_NEXT, "recvfrom");
    real_clock_gettime = dlsym(RTLD_NEXT, "clock_gettime");
    real_nanosleep = dlsym(RTLD_NEXT, "nanosleep");
    real_select = dlsym(RTLD_NEXT, "select");
    real_pthread_join = dlsym(RTLD_NEXT, "pthread_join");
    real_signal = dlsym(RTLD_NEXT, "signal");
    is_locked = number("DIDYMOS_STEP_LOCK") > 0;
    parent = number("DIDYMOS_PARENT");
    radio_period = 1e-6 * number("DIDYMOS_RADIO_PERIOD");
    take_turn();
}

static void end_with_parent(void)
{
    if (getppid() != parent) _exit(1);
}

/* Wait, holding the lock, until something moved; not longer than the twin lives. */
static void wait_for_others(void)
{
    struct timespec end;
    real_clock_gettime(CLOCK_REALTIME, &end);
    end.tv_nsec += LOOK;
    end.tv_sec += end.tv_nsec / 1000000000;
    end.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&moved, &lock, &end);
    end_with_parent();
}

/* On a port of the loopback that the system chooses; a socket that only sends would be on all interfaces. */
static int bind_here(int fd)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return real_bind(fd, (struct sockaddr *)&here, sizeof here);
}

int bind(int fd, const struct sockaddr *address, socklen_t size)
{
    if (address->sa_family != AF_INET) return real_bind(fd, address, size);
    int port = ntohs(((const struct sockaddr_in *)address)->sin_port);
    if (port == STATE) state_fd = fd;
    if (port == RADIO) radio_fd = fd;
    int given = number(port == STATE ? "DIDYMOS_STATE" : port == RADIO ? "DIDYMOS_RADIO" : port == CONSOLE ? "DIDYMOS_CONSOLE" : "");
    if (given >= 0) return dup2(given, fd) < 0 ? -1 : 0;
    return bind_here(fd);
}

static void send_motors(void)
{
    struct sockaddr_in there = {.sin_family = AF_INET, .sin_port = htons(number("DIDYMOS_MOTORS"))};
    there.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    real_sendto(motors_fd, motors, motors_size, 0, (struct sockaddr *)&there, sizeof there);
}

ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t to_size)
{
    if (!to || to->sa_family != AF_INET) return real_sendto(fd, data, size, flags, to, to_size);
    if (ntohs(((const struct sockaddr_in *)to)->sin_port) != MOTORS || size > sizeof motors) return size;
    pthread_mutex_lock(&lock);
    memcpy(motors, data, size);
    motors_size = size;
    if (fd != motors_fd) bind_here(fd);
    motors_fd = fd;
    if (!is_locked || !has_answered) send_motors();
    has_answered = 1;
    pthread_mutex_unlock(&lock);
    return size;
}

int clock_gettime(clockid_t which, struct timespec *answer)
{
    if (!is_locked) return real_clock_gettime(which, answer);
    pthread_mutex_lock(&lock);
    int64_t time = is_main_loop() ? (now += READING) : until;
    pthread_mutex_unlock(&lock);
    answer->tv_sec = time / 1000000000;
    answer->tv_nsec = time % 1000000000;
    return 0;
}

/* The first call of the thread of the command line, before it looks at its streams. */
sighandler_t signal(int which, sighandler_t handler)
{
    if (which == SIGPIPE && !is_main_loop()) take_turn();
    return real_signal(which, handler);
}

/* At its end the main loop waits for the other threads to end, and turns no more. */
int pthread_join(pthread_t thread, void **answer)
{
    give_turn();
    return real_pthread_join(thread, answer);
}

static void sleep_until_allowed(const struct timespec *wish)
{
    pthread_mutex_lock(&lock);
    now += wish->tv_sec * 1000000000LL + wish->tv_nsec;
    while (now > until) {
        if (!has_packet && !has_answered && motors_fd >= 0) { /* it had its time */
            send_motors();
            has_answered = 1;
        }
        is_parked = 1;
        pthread_cond_broadcast(&moved);
        wait_for_others();
    }
    is_parked = 0;
    pthread_mutex_unlock(&lock);
}

int nanosleep(const struct timespec *wish, struct timespec *rest)
{
    if (!is_main_loop()) return real_nanosleep(wish, rest);
    int found = 0;
    give_turn();
    if (is_locked) sleep_until_allowed(wish);
    else found = real_nanosleep(wish, rest);
    take_turn();
    return found;
}

/* Whether what the radio said until this packet has been read; datagrams of two sockets may overtake each other. */
static int has_radio(void)
{
    return !is_radio_busy && stamp - radio_stamp < radio_period - 1e-6;
}

/* The state thread is back from a packet: let the main loop catch up with it, then take the next. */
static void give_time(void)
{
    if (has_packet) {
        while (!has_radio()) wait_for_others();
        has_packet = 0;
        if (first_stamp < 0.0) first_stamp = stamp;
        int64_t end = BOOT + (int64_t)((stamp - first_stamp) * 1e9 + 0.5);
        if (end > until) until = end;
        is_parked = now > until;
        pthread_cond_broadcast(&moved);
    }
    while (!is_parked) wait_for_others();
}

int select(int count, fd_set *reads, fd_set *writes, fd_set *errors, struct timeval *wait)
{
    int is_state = reads && state_fd >= 0 && FD_ISSET(state_fd, reads);
    int is_radio = reads && radio_fd >= 0 && FD_ISSET(radio_fd, reads);
    if (is_state) end_with_parent();
    if (!is_locked || !(is_state || is_radio)) {
        int has_command_line = has_turn;
        give_turn();
        int ready = real_select(count, reads, writes, errors, wait);
        if (has_command_line) take_turn();
        return ready;
    }
    pthread_mutex_lock(&lock);
    if (is_radio) {
        is_radio_busy = 0;
        pthread_cond_broadcast(&moved);
    } else {
        give_time();
    }
    pthread_mutex_unlock(&lock);
    int found = real_select(count, reads, writes, errors, wait);
    pthread_mutex_lock(&lock);
    if (is_radio && found > 0) {
        while (!is_parked) wait_for_others(); /* the next step's sticks are not for this one */
        is_radio_busy = 1;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

ssize_t recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *from_size)
{
    ssize_t found = real_recvfrom(fd, data, size, flags, from, from_size);
    if (!is_locked || found < (ssize_t)sizeof stamp) return found;
    pthread_mutex_lock(&lock);
    if (fd == radio_fd) memcpy(&radio_stamp, data, sizeof radio_stamp);
    if (fd == state_fd) {
        memcpy(&stamp, data, sizeof stamp);
        has_packet = 1;
        has_answered = 0;
    }
    pthread_mutex_unlock(&lock);
    return found;
}
