/* Forks a child for a request and waits for its end, as `ForkServer.run_in_python` in server.py does.
 *
 * `run` in _forking.c calls it.
 */

#include "_forking.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child that is waited for; 0 if there is none. */
static volatile pid_t present;
static volatile sig_atomic_t is_orphaned;
static void (*python_handler)(int);

/* Ends the child, so that a wait for it is short. Python's handler alone leaves a note, which nobody reads in a wait that
 * begins a moment after the signal. */
static void
end_child(int number)
{
    int saved = errno;
    is_orphaned = 1;
    if (present > 0)
        kill(present, SIGKILL);
    python_handler(number);
    errno = saved;
}

int
end_child_on(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) < 0)
        return 0;
    python_handler = action.sa_handler;
    action.sa_handler = end_child;
    return sigaction(number, &action, NULL) == 0;
}

/* Returns whether this process has children, to which orphans of its descendants belong too. */
static int
has_children(void)
{
    return waitpid(-1, NULL, WNOHANG) >= 0 || errno != ECHILD;
}

/* Forks. The child begins on this process's CPU, whose caches hold its memory, because this process will only wait. */
static pid_t
fork_here(void)
{
    cpu_set_t allowed, here;
    int cpu = sched_getcpu();
    int held = cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof allowed, &allowed) == 0;
    if (held) {
        CPU_ZERO(&here);
        CPU_SET(cpu, &here);
        held = sched_setaffinity(0, sizeof here, &here) == 0;
    }
    pid_t pid = fork();
    int number = errno;
    if (held)
        sched_setaffinity(0, sizeof allowed, &allowed);
    errno = number;
    return pid;
}

int
run_one(const struct settings *settings, const struct request *request, int reaps_orphans, struct state *state)
{
    /* fork_hooks.py says why Python's own way is seldom needed. */
    int is_pythons_way = settings->fork_hooks == Py_None;
    if (is_pythons_way)
        PyOS_BeforeFork();
    pid_t pid = fork_here();
    if (pid == 0) {
        if (is_pythons_way)
            PyOS_AfterFork_Child();
        be_child(settings, (Py_ssize_t)request->candidate_bytes);
    }
    int number = errno;
    present = pid;
    if (is_orphaned && pid > 0)
        kill(pid, SIGKILL);
    if (is_pythons_way)
        PyOS_AfterFork_Parent();
    if (pid < 0) {
        errno = number;
        PyErr_SetFromErrno(PyExc_OSError);
        return 0;
    }
    if (settings->peer_fd >= 0)
        close(settings->peer_fd);
    if (settings->announces_children) {
        *state = (struct state){.phase = RUNNING, .pid = (int32_t)pid};
        if (!write_all(CHANNEL_FD, state, sizeof *state))
            return 0;
    }
    int status;
    struct rusage used;
    while (wait4(pid, &status, 0, &used) < 0)
        if (!was_interrupted())
            return 0;
    present = 0;
    if (is_orphaned && PyErr_CheckSignals() < 0)
        return 0;
    state->phase = reaps_orphans && !has_children() ? ENDED : LEFT_SOME;
    state->pid = (int32_t)pid;
    state->status = status;
    state->cpu_seconds = (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                         1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
    state->peak_memory_bytes = (int64_t)used.ru_maxrss * 1024;
    return write_all(CHANNEL_FD, state, sizeof *state);
}
