/* Firmware of the quadrocopter `daedalus` in C, written from the header that its twin gives; nothing else of Didymos is needed.

     didymos show daedalus --header -o didymos.h
     cc -O2 -shared -fPIC -o firmware.so firmware.c -lm
     didymos run daedalus --firmware ./firmware.so --scenario attitude_steps

   The same law in a process of its own:

     cc -O2 -DPROCESS -o firmware firmware.c -lm
     didymos run daedalus --firmware peer:./firmware --scenario attitude_steps

   Attitude by proportional and derivative accelerations times inertia, height by PID, from the pose sensor and the gyroscope. */

#include <math.h>
#include <string.h>

#include "didymos.h"

#define GRAVITY 9.80665
#define MASS 1.168             /* kg */
#define TILT_INERTIA 0.009657  /* kg m^2, about x and y */
#define YAW_INERTIA 0.01853
#define REACH 0.22             /* m: motors 1 front, 2 right, 3 rear, 4 left */
#define TORQUE_RATIO 0.015337  /* m: torque over thrust of a rotor; 1 and 3 push the body to the left */
#define THRUST 1.54348e-5      /* N s^2: thrust over speed squared */
#define IDLE_SPEED 94.911      /* rad/s at zero input */
#define SPEED_RANGE 606.652    /* rad/s more at full input */

static double height_integral, last_time;

static double limit(double value, double low, double high) { return value < low ? low : value > high ? high : value; }

int start(int measured, int setpoints, int inputs)
{
    height_integral = last_time = 0.0;
    return measured != DIDYMOS_MEASURED || setpoints != DIDYMOS_SETPOINTS || inputs != DIDYMOS_INPUTS;
}

/* The input that makes a rotor thrust so many newtons. */
static double throttle(double thrust)
{
    return limit((sqrt(fmax(thrust, 0.0) / THRUST) - IDLE_SPEED) / SPEED_RANGE, 0.0, 1.0);
}

void step(double time, const struct didymos_measured *now, const double *attitude, const struct didymos_setpoints *wish,
          struct didymos_inputs *motors)
{
    double w = now->state_orientation_w, x = now->state_orientation_x, y = now->state_orientation_y, z = now->state_orientation_z;
    double roll = atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y));
    double pitch = asin(limit(2.0 * (w * y - z * x), -1.0, 1.0));
    double yaw = atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z));
    double period = fmax(time - last_time, 0.0);
    (void)attitude; /* the pose sensor says the same */

    double turn = remainder(wish->yaw - yaw, 2.0 * M_PI);
    double roll_moment = TILT_INERTIA * (70.0 * (wish->roll - roll) - 15.0 * now->imu_gyro_x);
    double pitch_moment = TILT_INERTIA * (70.0 * (wish->pitch - pitch) - 15.0 * now->imu_gyro_y);
    double yaw_moment = limit(YAW_INERTIA * (3.25 * turn - 3.0 * now->imu_gyro_z), -0.05, 0.05);

    /* velocity is in the body's frame: what of it points up */
    double climb = 2.0 * (x * z - w * y) * now->state_velocity_x + 2.0 * (y * z + w * x) * now->state_velocity_y
                 + (1.0 - 2.0 * (x * x + y * y)) * now->state_velocity_z;
    double error = limit(wish->z - now->state_position_z, -0.4, 0.4);
    double lift = GRAVITY + 25.0 * error - 10.0 * climb + height_integral;
    if (lift > 0.0 && lift < 2.0 * GRAVITY)
        height_integral = limit(height_integral + 10.0 * error * period, -0.5 * GRAVITY, 0.5 * GRAVITY);
    last_time = time;

    double share = 0.25 * MASS * fmax(lift, 0.0) / fmax(cos(roll) * cos(pitch), 0.5);
    double twist = 0.25 * yaw_moment / TORQUE_RATIO;
    motors->motor1 = throttle(share - 0.5 * pitch_moment / REACH + twist);
    motors->motor2 = throttle(share - 0.5 * roll_moment / REACH - twist);
    motors->motor3 = throttle(share + 0.5 * pitch_moment / REACH + twist);
    motors->motor4 = throttle(share + 0.5 * roll_moment / REACH - twist);
}

#ifdef PROCESS /* the same law, asked over a socket */

#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

static void all(ssize_t (*move)(int, void *, size_t), int line, void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        ssize_t now = move(line, (char *)bytes + done, size - done);
        if (now <= 0) {
            fputs("the line broke\n", stderr);
            exit(1);
        }
        done += (size_t)now;
    }
}

static ssize_t put(int line, void *bytes, size_t size) { return write(line, bytes, size); }

int main(void)
{
    static const char hello[] = "{\"layout\": \"" DIDYMOS_PROCESS_LAYOUT "\"}";
    struct didymos_head ours = {DIDYMOS_MAGIC, DIDYMOS_HELLO, sizeof hello - 1, 0, 0.0};
    struct didymos_question question;
    struct didymos_answer answer = {.head = {DIDYMOS_MAGIC, DIDYMOS_STEP, DIDYMOS_INPUTS, 0, 0.0}};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int line = socket(AF_UNIX, SOCK_STREAM, 0);

    strncpy(address.sun_path, getenv("DIDYMOS_SOCKET"), sizeof address.sun_path - 1);
    if (connect(line, (struct sockaddr *)&address, sizeof address) != 0) {
        perror("DIDYMOS_SOCKET");
        return 1;
    }
    start(DIDYMOS_MEASURED, DIDYMOS_SETPOINTS, DIDYMOS_INPUTS);
    for (;;) {
        all(read, line, &question.head, sizeof question.head);
        if (question.head.kind == DIDYMOS_END)
            return 0;
        if (question.head.kind == DIDYMOS_HELLO) { /* names and units, which the header has told already */
            for (char byte; question.head.size-- > 0;)
                all(read, line, &byte, 1);
            all(put, line, &ours, sizeof ours);
            all(put, line, (void *)hello, sizeof hello - 1);
            continue;
        }
        if (question.head.size * sizeof(double) != sizeof question - sizeof question.head) {
            fputs("a question of another size\n", stderr);
            return 1;
        }
        all(read, line, &question.measured, sizeof question - sizeof question.head);
        step(question.head.time, &question.measured, question.attitude, &question.setpoints, &answer.inputs);
        answer.head.count = question.head.count;
        all(put, line, &answer, sizeof answer);
    }
}

#endif
