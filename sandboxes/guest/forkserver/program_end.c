/* The supervisor's work at a program's end, without Python code: receives what is left of it, and looks at what it may
 * have changed.
 *
 * Between two programs other processes use the caches, so that Python code would be slow here.
 */

#include "_forking.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

/* A short read would lose the rest of a packet, and a program can make packets of what it writes. */
enum { CHUNK_BYTES = PIPE_BUF };

/* Reads what a pipe that never blocks holds now. Returns the number of bytes, 0 if there are none. */
static Py_ssize_t
read_now(int fd, char *buffer)
{
    ssize_t got;
    do
        got = read(fd, buffer, CHUNK_BYTES);
    while (got < 0 && errno == EINTR);
    return got > 0 ? got : 0;
}

PyObject *
receive_end(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int channel, setup, report, output, errors, milliseconds;
    if (!PyArg_ParseTuple(arguments, "iiiiii", &channel, &setup, &report, &output, &errors, &milliseconds))
        return NULL;
    struct pollfd message = {.fd = channel, .events = POLLIN};
    struct state state;
    /* Whatever this is not made for, a signal among it, is left to Python code. */
    if (poll(&message, 1, milliseconds) <= 0 ||
        recv(channel, &state, sizeof state, MSG_PEEK) != sizeof state || state.phase != ENDED)
        Py_RETURN_NONE;
    if (recv(channel, &state, sizeof state, 0) != sizeof state)
        return PyErr_SetFromErrno(PyExc_OSError);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    char setup_message[CHUNK_BYTES], reported[CHUNK_BYTES];
    Py_ssize_t setup_bytes = read_now(setup, setup_message), reported_bytes = read_now(report, reported);
    struct pollfd rest[] = {{report, POLLIN, 0}, {output, POLLIN, 0}, {errors, POLLIN, 0}};
    int has_more = poll(rest, 3, 0) != 0;
    PyObject *first = PyBytes_FromStringAndSize(setup_message, setup_bytes);
    PyObject *second = PyBytes_FromStringAndSize(reported, reported_bytes);
    if (first == NULL || second == NULL) {
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    return Py_BuildValue("((iidiL)dNNO)", (int)state.phase, (int)state.pid, state.cpu_seconds, (int)state.status,
                         (long long)state.peak_memory_bytes, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec, first,
                         second, has_more ? Py_True : Py_False);
}

/* Appends a number to a list and returns whether that worked. If not, an error is set. */
static int
append(PyObject *list, long long number)
{
    PyObject *value = PyLong_FromLongLong(number);
    int failed = value == NULL || PyList_Append(list, value) < 0;
    Py_XDECREF(value);
    return !failed;
}

/* Removes an open file's locks, and appends its properties. */
static int
append_file(PyObject *list, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return 0;
    }
    flock(fd, LOCK_UN);
    struct flock none = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
    fcntl(fd, F_OFD_SETLK, &none);
    return append(list, status.st_mode) && append(list, fcntl(fd, F_GETFL)) && append(list, fcntl(fd, F_GETOWN)) &&
           append(list, fcntl(fd, F_GETSIG)) && append(list, fcntl(fd, F_GETPIPE_SZ));
}

/* Appends a folder's mode and the size of the names of its attributes. */
static int
append_folder(PyObject *list, int fd)
{
    struct stat status;
    if (fstat(fd, &status) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return 0;
    }
    return append(list, status.st_mode) && append(list, flistxattr(fd, NULL, 0));
}

/* Appends the number of files that still fit on a folder's file system. */
static int
append_file_system(PyObject *list, int fd)
{
    struct statvfs status;
    if (fstatvfs(fd, &status) < 0) {
        PyErr_SetFromErrno(PyExc_OSError);
        return 0;
    }
    return append(list, (long long)status.f_ffree);
}

PyObject *
unlock_and_inspect(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    static int (*const append_one[])(PyObject *, int) = {append_file, append_folder, append_file_system};
    PyObject *groups[3];
    if (!PyArg_ParseTuple(arguments, "OOO", &groups[0], &groups[1], &groups[2]))
        return NULL;
    PyObject *list = PyList_New(0);
    for (int kind = 0; list != NULL && kind < 3; kind++) {
        Py_ssize_t count = PyTuple_Size(groups[kind]);
        for (Py_ssize_t i = 0; list != NULL && i < count; i++) {
            int fd = (int)PyLong_AsLong(PyTuple_GetItem(groups[kind], i));
            if (PyErr_Occurred() || !append_one[kind](list, fd))
                Py_CLEAR(list);
        }
        if (count < 0)
            Py_CLEAR(list);
    }
    return list;
}
