/* The work of a fork server and its new child before and after a program, without Python code.
 *
 * After a fork, each page that the child or the fork server writes to costs a page fault, and Python writes to every
 * object that it reads. Where the extension is not compiled, server.py and child.py do the same work. The verdict of a
 * program must not depend on which of the two did it.
 *
 * This file has the module and its functions. server.c forks and waits, child.c is the child, program.c decides whether
 * a program passed, candidate.c, calls.c and plain_values.c are the candidate's end of separate grading, enter.c
 * undoes what only a fork server needs, unflushed.c keeps what was printed, and pipes.c reads and writes.
 */

#include "_forking.h"

#include <string.h>

PyDoc_STRVAR(run_doc,
             "run(packet, server, prepare, direct, served, tests_code, encode_details, streams, flushes, fork_hooks, enter, "
             "limits, peer_fd, own_session, reaps_orphans, announces_children, takes_more)\n--\n\n"
             "Run a request in a child.\n\n"
             "Args:\n"
             "    packet: the request, a FORK_REQUEST.\n"
             "    server: the fork server.\n"
             "    prepare: prepare(candidate, server) returns a program for `run_program`, or a complete report.\n"
             "    direct: None to call `prepare`; otherwise (compile_tests, compile, arguments, sources, namespace, name,\n"
             "        wants_output, report_error) to do the same without it, where there is `tests_code`.\n"
             "        compile_tests(source) returns the tests' code or None, and compile(source, *arguments) the\n"
             "        candidate's, by its file and three more arguments. The dict `sources` gets the source under the\n"
             "        file. report_error(server, error) returns a report.\n"
             "    served: None to call `prepare`; otherwise what `CandidateConnection.parts` returns.\n"
             "    tests_code: the code of the tests, or None.\n"
             "    encode_details: encode_details(server, error) returns a report without its first byte.\n"
             "    streams, flushes: (stdout, stderr) and their methods, which the child calls at its end.\n"
             "    fork_hooks: functions that a child calls at its beginning; None to fork in Python's own way.\n"
             "    enter: called in the child before its limits are set; None if it has nothing to do.\n"
             "    limits: as `resource_limits` returns them.\n"
             "    peer_fd: the descriptor of the program's socket to another one; -1 if it has none. Closed here.\n"
             "    own_session: whether the child gets a session of its own; otherwise it gets a process group.\n"
             "    reaps_orphans: whether the orphans of the child are this process's children.\n"
             "    announces_children: whether to tell the supervisor of the child when it begins.\n"
             "    takes_more: whether to run the requests that follow too, as long as only their candidates differ, and\n"
             "        tests of up to MAX_COMPILED_BYTES. The server's `tests` and `tests_code` are the last ones.\n\n"
             "Returns:\n"
             "    (pid, packet, peer_fd): the child that left processes behind, 0 if none did; the next request if it was\n"
             "    read, otherwise b\"\"; and the descriptor that came with it, otherwise -1.\n\n"
             "Raises:\n"
             "    OSError: if the fork failed, or the supervisor has gone.");

/* Reads and compiles the tests of a request, for `settings` and for the server. Returns whether that worked. If not, an
 * error is set. */
static int
take_tests(struct settings *settings, const struct request *request)
{
    PyObject *source = read_bytes(CHANNEL_FD, (Py_ssize_t)request->tests_bytes);
    PyObject *tests = source == NULL ? NULL : decode_text(source);
    PyObject *code = tests == NULL ? NULL : PyObject_CallFunctionObjArgs(PyTuple_GetItem(settings->direct, 0), tests, NULL);
    int is_set = code != NULL && PyObject_SetAttrString(settings->server, "tests", tests) == 0 &&
                 PyObject_SetAttrString(settings->server, "tests_code", code) == 0;
    /* The server's attribute holds it. */
    settings->tests_code = code;
    Py_XDECREF(source);
    Py_XDECREF(tests);
    Py_XDECREF(code);
    return is_set;
}

static PyObject *
run(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    struct settings settings;
    /* No "y#": whether a module may use it depends on the Python that it was compiled with. */
    PyObject *packet, *limits;
    int reaps_orphans, takes_more;
    if (!PyArg_ParseTuple(arguments, "SOOOOOOOOOOOipppp", &packet, &settings.server, &settings.prepare, &settings.direct,
                          &settings.served, &settings.tests_code, &settings.encode_details, &settings.streams, &settings.flushes,
                          &settings.fork_hooks, &settings.enter, &limits, &settings.peer_fd, &settings.own_session, &reaps_orphans,
                          &settings.announces_children, &takes_more))
        return NULL;
    struct request request;
    settings.limits_count = PyList_Size(limits);
    if (PyBytes_Size(packet) != sizeof request || settings.limits_count < 0 || settings.limits_count > MAX_LIMITS ||
        PyTuple_Size(settings.streams) != 2 || PyTuple_Size(settings.flushes) != 2) {
        PyErr_SetString(PyExc_ValueError, "not a request, too many limits, or not two streams");
        return NULL;
    }
    memcpy(&request, PyBytes_AsString(packet), sizeof request);
    for (Py_ssize_t i = 0; i < settings.limits_count; i++) {
        /* RLIM_INFINITY is -1 in Python. */
        unsigned long long soft, hard;
        if (!PyArg_ParseTuple(PyList_GetItem(limits, i), "i(KK)", &settings.resources[i], &soft, &hard))
            return NULL;
        settings.limits[i].rlim_cur = (rlim_t)soft;
        settings.limits[i].rlim_max = (rlim_t)hard;
    }
    settings.builtins = PyUnicode_InternFromString("__builtins__");
    if (settings.builtins == NULL)
        return NULL;
    struct state state;
    while (run_one(&settings, &request, reaps_orphans, &state)) {
        if (state.phase == LEFT_SOME)
            return Py_BuildValue("iyi", (int)state.pid, "", -1);
        struct request next;
        int peer_fd;
        if (!takes_more || !read_request(&next, &peer_fd))
            return PyErr_Occurred() ? NULL : Py_BuildValue("iyi", 0, "", -1);
        settings.peer_fd = peer_fd;
        int is_short = next.tests_bytes >= 0 && next.tests_bytes <= MAX_COMPILED_BYTES;
        int is_taken = next.tests_bytes == SAME_TESTS || (is_short && settings.direct != Py_None);
        if (!is_taken || memcmp(next.limits, request.limits, sizeof request.limits) != 0) {
            PyObject *rest = PyBytes_FromStringAndSize((const char *)&next, sizeof next);
            return rest == NULL ? NULL : Py_BuildValue("iNi", 0, rest, peer_fd);
        }
        request = next;
        if (request.tests_bytes >= 0 && !take_tests(&settings, &request))
            break;
    }
    return NULL;
}

PyDoc_STRVAR(reset_interrupts_doc,
             "reset_interrupts()\n--\n\n"
             "Let an interrupt end this process. In its children Python's own handler is called again.");

static PyObject *
reset(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    reset_interrupts();
    Py_RETURN_NONE;
}

PyDoc_STRVAR(end_child_on_doc,
             "end_child_on(number)\n--\n\n"
             "Let a signal that has a handler of Python's end the child that `run` waits for, before that handler is called.");

static PyObject *
end_child_on_signal(PyObject *Py_UNUSED(module), PyObject *number)
{
    int signal_number = (int)PyLong_AsLong(number);
    if (PyErr_Occurred())
        return NULL;
    if (!end_child_on(signal_number))
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}

/* Returns whether an audit event registers a Python function with sys.monitoring. Profilers register C functions, which
 * can't skip a line, and None takes a function away. */
static int
is_monitoring(PyObject *event, PyObject *details)
{
    if (PyUnicode_CompareWithASCIIString(event, "sys.monitoring.register_callback") != 0)
        return 0;
    PyObject *callback = details == NULL ? NULL : PyTuple_GetItem(details, 0);
    return callback == NULL || (callback != Py_None && !Py_IS_TYPE(callback, &PyCFunction_Type));
}

PyDoc_STRVAR(refuse_tracing_doc,
             "refuse_tracing(event, arguments)\n--\n\n"
             "Raise RuntimeError for sys.settrace and for callbacks of sys.monitoring. This is an audit hook.");

static PyObject *
refuse_tracing(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    PyObject *event = PyTuple_GetItem(arguments, 0);
    if (event == NULL)
        return NULL;
    const char *refused = NULL;
    if (!PyUnicode_Check(event))
        Py_RETURN_NONE;
    if (PyUnicode_CompareWithASCIIString(event, "sys.settrace") == 0)
        refused = "sys.settrace";
    else if (is_monitoring(event, PyTuple_GetItem(arguments, 1)))
        refused = "sys.monitoring";
    if (refused != NULL)
        return PyErr_Format(PyExc_RuntimeError, "%s is not possible in this sandbox", refused);
    Py_RETURN_NONE;
}

PyDoc_STRVAR(receive_end_doc,
             "receive_end(channel, setup, report, stdout, stderr, milliseconds)\n--\n\n"
             "Receive the end of a program that leaves no process behind.\n\n"
             "Args:\n"
             "    channel: descriptor of the channel to the fork server.\n"
             "    setup, report, stdout, stderr: descriptors of the supervisor's ends of the program's pipes.\n"
             "    milliseconds: to wait for the end.\n\n"
             "Returns:\n"
             "    (state, ended_at, setup, report, has_more): the fields of STATE, the time of the monotonic clock, what\n"
             "    the child wrote before its program began, the first chunk of its report, and whether it reported or\n"
             "    wrote more. None if the program has not ended in this way, or not yet: nothing is received then.");

PyDoc_STRVAR(unlock_and_inspect_doc,
             "unlock_and_inspect(files, folders, file_systems)\n--\n\n"
             "Remove the locks of open files, and return what programs can change of files and folders.\n\n"
             "Args:\n"
             "    files, folders, file_systems: tuples of descriptors.\n\n"
             "Returns:\n"
             "    A list of numbers: (mode, flags, owner, signal, size) of each file, (mode, size of the attributes'\n"
             "    names) of each folder, and the number of free files of each file system. -1 for what one lacks.");

PyDoc_STRVAR(move_memory_doc,
             "move_memory(fd, offset, start, end, is_writable)\n--\n\n"
             "Move a range of this process's memory into a file, and map the file in its place.\n\n"
             "Args:\n"
             "    fd: descriptor of the file.\n"
             "    offset: of the range in the file, a whole number of pages.\n"
             "    start, end: addresses of the range, which holds neither code nor the stack.\n"
             "    is_writable: whether it can be written to.\n\n"
             "Raises:\n"
             "    OSError: if it can't be moved. It is where it was.");

PyDoc_STRVAR(use_huge_pages_doc,
             "use_huge_pages(fd, size, huge_page)\n--\n\n"
             "Move a file in memory into huge pages, as far as the system gives some and knows how, as from Linux 6.1 on.\n"
             "Its length becomes a whole number of them.\n\n"
             "Args:\n"
             "    fd: descriptor of the file.\n"
             "    size: bytes of the file.\n"
             "    huge_page: bytes of a huge page.\n\n"
             "Raises:\n"
             "    OSError: if the file can't be mapped.");

PyDoc_STRVAR(enter_child_doc,
             "enter_child(workplace, reset, shows_memory, is_killed_first, user, hides_memory, ruleset)\n--\n\n"
             "In a child: take it to its folder and its user.\n\n"
             "Args:\n"
             "    workplace: path of the folder, bytes; None if the child is in it.\n"
             "    reset: sets the signal for orphaned fork servers back.\n"
             "    shows_memory: whether to undo what hides the fork server from programs.\n"
             "    is_killed_first: whether the kernel ends it before others when memory runs out.\n"
             "    user: user id to take, which is the group id too; -1 to take none.\n"
             "    hides_memory: whether to hide the child from programs, once it has its user.\n"
             "    ruleset: descriptor of a Landlock ruleset to apply, which is closed; -1 if there is none.\n\n"
             "Raises:\n"
             "    OSError: if one of the steps fails.");

PyDoc_STRVAR(keep_unflushed_doc,
             "keep_unflushed(fd, write, flush)\n--\n\n"
             "Begin to keep what programs print in a file, until it is flushed.\n\n"
             "Args:\n"
             "    fd: descriptor of the file, of UNFLUSHED_BYTES.\n"
             "    write, flush: methods of the buffer below sys.stdout, whose place the next two functions take.\n\n"
             "Raises:\n"
             "    OSError: if the file can't be mapped, or the kernel can't tell forks apart.");

PyDoc_STRVAR(write_unflushed_doc, "write_unflushed(data)\n--\n\nWrite to standard output as its buffer does, and return the number of bytes.");

PyDoc_STRVAR(flush_unflushed_doc, "flush_unflushed()\n--\n\nFlush standard output as its buffer does.");

static PyMethodDef functions[] = {
    {"keep_unflushed", keep_unflushed, METH_VARARGS, keep_unflushed_doc},
    {"write_unflushed", write_unflushed, METH_O, write_unflushed_doc},
    {"flush_unflushed", flush_unflushed, METH_NOARGS, flush_unflushed_doc},
    {"move_memory", move_memory, METH_VARARGS, move_memory_doc},
    {"use_huge_pages", use_huge_pages, METH_VARARGS, use_huge_pages_doc},
    {"receive_end", receive_end, METH_VARARGS, receive_end_doc},
    {"unlock_and_inspect", unlock_and_inspect, METH_VARARGS, unlock_and_inspect_doc},
    {"refuse_tracing", refuse_tracing, METH_VARARGS, refuse_tracing_doc},
    {"run", run, METH_VARARGS, run_doc},
    {"enter_child", enter_child, METH_VARARGS, enter_child_doc},
    {"reset_interrupts", reset, METH_NOARGS, reset_interrupts_doc},
    {"end_child_on", end_child_on_signal, METH_O, end_child_on_doc},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, .m_name = "_forking", .m_doc = "The work of a fork server and its children around a program.",
    .m_methods = functions,
};

PyMODINIT_FUNC
PyInit__forking(void)
{
    return PyModuleDef_Init(&definition);
}
