/* The first steps of a child that other programs could see, as in ForkServer.enter_child. */

#include "_forking.h"

#include <fcntl.h>
#include <grp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The same on every architecture. Older headers lack it. */
#ifndef SYS_landlock_restrict_self
#define SYS_landlock_restrict_self 446
#endif

static int
set_dumpable(int value)
{
    return prctl(PR_SET_DUMPABLE, value, 0, 0, 0) == 0;
}

/* Has the kernel end this process before the guest's own ones when memory runs out. */
static int
prefer_for_killing(void)
{
    static const char first_to_be_killed[] = "1000";
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return 1;
    int is_written = write_all(fd, first_to_be_killed, sizeof first_to_be_killed - 1);
    close(fd);
    return is_written;
}

/* Takes another user id, which is the group id too, with the pipes to the supervisor. */
static int
become_user(uid_t user)
{
    if (fchown(STDOUT_FILENO, user, user) < 0 || fchown(STDERR_FILENO, user, user) < 0 || setgroups(0, NULL) < 0 ||
        setresgid(user, user, user) < 0 || setresuid(user, user, user) < 0)
        return 0;
    /* A change of user takes /proc/self away, and /dev/stdout with it. */
    return set_dumpable(1);
}

PyObject *
enter_child(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *workplace, *reset;
    int shows_memory, is_killed_first, hides_memory, ruleset;
    long long user;
    if (!PyArg_ParseTuple(arguments, "OOppLpi", &workplace, &reset, &shows_memory, &is_killed_first, &user, &hides_memory,
                          &ruleset))
        return NULL;
    if (workplace != Py_None) {
        const char *path = PyBytes_AsString(workplace);
        if (path == NULL)
            return NULL;
        if (chdir(path) < 0)
            return PyErr_SetFromErrnoWithFilename(PyExc_OSError, path);
    }
    PyObject *done = PyObject_CallNoArgs(reset);
    if (done == NULL)
        return NULL;
    Py_DECREF(done);
    /* The program may see the memory of its own fork. A hidden process could not open /dev/stdout. */
    if ((shows_memory && !set_dumpable(1)) || (is_killed_first && !prefer_for_killing()) ||
        (user >= 0 && !become_user((uid_t)user)) || (hides_memory && !set_dumpable(0)))
        return PyErr_Occurred() ? NULL : PyErr_SetFromErrno(PyExc_OSError);
    if (ruleset >= 0) {
        if (syscall(SYS_landlock_restrict_self, ruleset, 0) < 0)
            return PyErr_SetFromErrno(PyExc_OSError);
        close(ruleset);
    }
    Py_RETURN_NONE;
}
