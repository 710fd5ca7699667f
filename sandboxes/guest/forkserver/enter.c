/* The first steps of a child that other programs of its user could see, as in Privileges.enter_child. */

#include "_forking.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

PyObject *
enter_child(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    static const char first_to_be_killed[] = "1000";
    PyObject *reset;
    int is_visible;
    if (!PyArg_ParseTuple(arguments, "Op", &reset, &is_visible))
        return NULL;
    PyObject *done = PyObject_CallObject(reset, NULL);
    if (done == NULL || !is_visible)
        return done;
    Py_DECREF(done);
    /* The program may see the memory of its own fork. A hidden process could not open /dev/stdout. */
    if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        Py_RETURN_NONE;
    int is_written = write_all(fd, first_to_be_killed, sizeof first_to_be_killed - 1);
    close(fd);
    if (!is_written)
        return NULL;
    Py_RETURN_NONE;
}
