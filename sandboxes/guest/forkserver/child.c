/* A new child: is set up, becomes the program, and reports. child.py does the same in Python.
 *
 * server.c calls it after a fork. The nonce is a local variable of `be_child`, and nothing else has it.
 */

#include "_forking.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

/* Python's handler of interrupts. Only children use it. */
static PyOS_sighandler_t interrupt_handler = SIG_DFL;

void
reset_interrupts(void)
{
    interrupt_handler = PyOS_setsig(SIGINT, SIG_DFL);
}

int
call_all(PyObject *functions)
{
    Py_ssize_t count = PyTuple_Size(functions);
    for (Py_ssize_t i = 0; i < count; i++) {
        PyObject *done = PyObject_CallNoArgs(PyTuple_GetItem(functions, i));
        if (done == NULL)
            return 0;
        Py_DECREF(done);
    }
    return count >= 0;
}

/* Reads the rest of a request, and gives a new child its session, user and limits. Returns its candidate, or NULL with an
 * error set. Once the child has said that it begins, it may be ended: nothing of its request may be left by then. */
static PyObject *
set_up_child(const struct settings *settings, Py_ssize_t candidate_bytes, char *nonce)
{
    PyObject *candidate = read_bytes(CHANNEL_FD, candidate_bytes);
    if (candidate == NULL)
        return NULL;
    if (!read_exact(CHANNEL_FD, nonce, NONCE_BYTES))
        _exit(0);
    /* set_up_child in child.py says why. */
    if ((settings->own_session ? setsid() : setpgid(0, 0)) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    PyOS_setsig(SIGINT, interrupt_handler);
    if (settings->fork_hooks != Py_None && !call_all(settings->fork_hooks))
        return NULL;
    if (settings->enter != Py_None) {
        PyObject *entered = PyObject_CallNoArgs(settings->enter);
        if (entered == NULL)
            return NULL;
        Py_DECREF(entered);
    }
    for (Py_ssize_t i = 0; i < settings->limits_count; i++)
        if (setrlimit(settings->resources[i], &settings->limits[i]) < 0)
            return PyErr_SetFromErrno(PyExc_OSError);
    PyGC_Enable();
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    struct start start = {STARTED, (double)now.tv_sec + 1e-9 * (double)now.tv_nsec};
    return write_all(SETUP_FD, &start, sizeof start) ? candidate : NULL;
}

/* Writes why this child could not be set up. */
static void
report_broken(void)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    PyObject *name = PyType_GetName((PyTypeObject *)type);
    PyObject *text = PyUnicode_FromFormat("%c%U: %S", BROKEN, name, error);
    PyObject *message = text == NULL ? NULL : PyUnicode_AsEncodedString(text, "utf-8", "replace");
    if (message == NULL)
        write_all(SETUP_FD, "B", 1);
    else
        write_all(SETUP_FD, PyBytes_AsString(message), (size_t)PyBytes_Size(message));
}

/* Closes all descriptors from one on that a child must not have. */
static void
close_all_from(int first)
{
#ifdef SYS_close_range
    if (syscall(SYS_close_range, first, FIRST_FREE_FD - 1, 0) == 0)
        return;
#endif
    for (int fd = first; fd < FIRST_FREE_FD; fd++)
        close(fd);
}

void
ignore(PyObject *done)
{
    PyErr_Clear();
    Py_XDECREF(done);
}

/* Flushes the original (stdout, stderr), and the streams that the program has put in their places. */
static void
flush_all(const struct settings *settings)
{
    static const char *names[] = {"stdout", "stderr"};
    for (Py_ssize_t i = 0; i < 2; i++) {
        ignore(PyObject_CallNoArgs(PyTuple_GetItem(settings->flushes, i)));
        PyObject *last = PySys_GetObject(names[i]);
        if (last != NULL && last != PyTuple_GetItem(settings->streams, i))
            ignore(PyObject_CallMethod(last, "flush", NULL));
    }
}

/* Does what `prepare` does, for most policies and programs. A call of `prepare` costs 20 page faults. */
static PyObject *
prepare_directly(const struct settings *settings, PyObject *candidate)
{
    PyObject *compile_tests, *compile, *file, *mode, *flags, *is_alone, *sources, *names, *record, *wants_output, *report_error;
    if (!PyArg_ParseTuple(settings->direct, "OO(OOOO)OOOOO", &compile_tests, &compile, &file, &mode, &flags, &is_alone, &sources,
                          &names, &record, &wants_output, &report_error))
        return NULL;
    PyObject *code = NULL, *source = decode_text(candidate);
    if (source != NULL && PyDict_SetItem(sources, file, source) == 0)
        code = PyObject_CallFunctionObjArgs(compile, source, file, mode, flags, is_alone, NULL);
    if (code == NULL)
        return PyObject_CallFunctionObjArgs(report_error, settings->server, take_error(), NULL);
    return PyTuple_Pack(5, code, settings->tests_code, names, record, wants_output);
}

/* Returns whether a candidate's tests need guards: `may_lie` in guarded_comparisons.py. */
static int
may_lie(PyObject *candidate)
{
    const char *source = PyBytes_AsString(candidate);
    size_t size = (size_t)PyBytes_Size(candidate);
    return memmem(source, size, "class ", 6) != NULL || memmem(source, size, "mock", 4) != NULL;
}

void
be_child(const struct settings *settings, Py_ssize_t candidate_bytes)
{
    pid_t own = getpid();
    char nonce[NONCE_BYTES];
    PyObject *candidate = set_up_child(settings, candidate_bytes, nonce);
    if (candidate == NULL) {
        report_broken();
        _exit(0);
    }
    if (settings->peer_fd >= 0)
        dup3(settings->peer_fd, SETUP_FD, O_CLOEXEC);
    close_all_from(settings->peer_fd >= 0 ? SETUP_FD + 1 : SETUP_FD);
    PyObject *program;
    if (settings->served != Py_None)
        program = serve_candidate(settings, candidate);
    else if (settings->direct != Py_None && settings->tests_code != Py_None && !may_lie(candidate))
        program = prepare_directly(settings, candidate);
    else
        program = PyObject_CallFunctionObjArgs(settings->prepare, candidate, settings->server, NULL);
    char letter = OTHER_REPORT;
    struct details details;
    if (program != NULL && PyTuple_CheckExact(program) && PyTuple_Size(program) == 5)
        details = run_program(settings, program, &letter);
    else if (program != NULL && PyBytes_CheckExact(program) && PyBytes_Size(program) > 0) {
        /* The report is complete: the program can't be run, or no tests run in this process. */
        letter = *PyBytes_AsString(program);
        details = (struct details){PyBytes_AsString(program) + 1, (size_t)PyBytes_Size(program) - 1};
    }
    else
        _exit(0);
    /* A copy of this process that the candidate forked comes here too. */
    if (getpid() != own)
        _exit(0);
    /* One call writes all parts, so that no process that the program left behind, which has the pipe too, can write in
       between. It needs no copy, for which the program may have left no memory. */
    struct iovec parts[] = {{nonce, sizeof nonce}, {&letter, 1}, {(char *)details.text, details.size}};
    const size_t head = sizeof nonce + 1;
    ssize_t put;
    do
        put = writev(REPORT_FD, parts, 3);
    while (put < 0 && errno == EINTR);
    if (put < (ssize_t)head)
        _exit(0);
    size_t done = (size_t)put - head;
    if (!write_all(REPORT_FD, details.text + done, details.size - done))
        _exit(0);
    flush_all(settings);
    _exit(0);
}
