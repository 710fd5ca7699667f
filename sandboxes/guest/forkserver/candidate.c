/* The candidate's process, if its tests run in another: runs the candidate, sends the names that it defines, and answers
 * the tests' calls. candidate_process.py and candidate_end.py do the same, and whatever is not done here.
 *
 * child.c calls it. Each function of Python's that a new child calls costs it page faults. Nothing here decides a verdict.
 */

#include "candidate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { TEXT_BYTES = 1024 };

struct text {
    char bytes[TEXT_BYTES];
    size_t size;
};

/* Appends to a text and returns whether it fits. */
static int
append(struct text *text, const char *more, size_t size)
{
    if (size > sizeof text->bytes - text->size)
        return 0;
    memcpy(text->bytes + text->size, more, size);
    text->size += size;
    return 1;
}

/* Appends "name:rest", after a space if something is there. Returns whether it fits, and needs no quoting in JSON. */
static int
append_name(struct text *text, const char *name, PyObject *rest)
{
    Py_ssize_t size;
    const char *more = PyUnicode_AsUTF8AndSize(rest, &size);
    if (more == NULL)
        return 0;
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:";
    if (name[strspn(name, plain)] != 0 || strspn(more, plain) != (size_t)size)
        return 0;
    return (text->size == 0 || append(text, " ", 1)) && append(text, name, strlen(name)) &&
           (size == 0 || (append(text, ":", 1) && append(text, more, (size_t)size)));
}

/* Returns the number of a function for the tests, which it gets if it has none; NULL with an error set if that failed. */
static PyObject *
number_of(const struct parts *parts, PyObject *function)
{
    PyObject *identity = PyLong_FromVoidPtr(function);
    PyObject *known = identity == NULL ? NULL : PyDict_GetItemWithError(parts->references, identity);
    PyObject *number = known == NULL ? NULL : Py_XNewRef(PyList_GetItem(known, 1));
    if (known == NULL && !PyErr_Occurred()) {
        number = PyLong_FromSsize_t(PyDict_Size(parts->exported) + 1);
        PyObject *node = number == NULL ? NULL : Py_BuildValue("[OO]", parts->sender, number);
        if (node == NULL || PyDict_SetItem(parts->exported, number, function) < 0 ||
            PyDict_SetItem(parts->references, identity, node) < 0)
            Py_CLEAR(number);
        Py_XDECREF(node);
    }
    Py_XDECREF(identity);
    return number;
}

/* Returns whether a value is a function of the candidate's own without attributes; -1 with an error set if that failed. */
static int
is_own_function(const struct parts *parts, PyObject *value)
{
    PyObject *globals, *attributes;
    if (!Py_IS_TYPE(value, (PyTypeObject *)parts->function_type))
        return 0;
    PyObject *description = PyObject_CallFunctionObjArgs(parts->describe, value, NULL);
    int is_own = -1;
    if (description != NULL && PyArg_ParseTuple(description, "OO", &globals, &attributes))
        is_own = globals == parts->names && PyDict_Size(attributes) == 0;
    Py_XDECREF(description);
    return is_own;
}

/* Returns what is said of a value besides its name: the number of a function of the candidate's own, the name of a module,
 * or "". NULL with an error set if that failed. */
static PyObject *
description_of(const struct parts *parts, PyObject *value)
{
    PyObject *number, *text = NULL;
    if (PyModule_CheckExact(value))
        return PyModule_GetNameObject(value);
    switch (is_own_function(parts, value)) {
    case 0:
        return PyUnicode_FromStringAndSize(NULL, 0);
    case 1:
        number = number_of(parts, value);
        text = number == NULL ? NULL : PyObject_Str(number);
        Py_XDECREF(number);
    }
    return text;
}

/* Appends what the candidate defines, as `exports` in candidate_end.py returns it. Returns 0, perhaps with an error
 * set, if a value needs more care than is taken here. None of the candidate's code runs. */
static int
append_exports(const struct parts *parts, struct text *functions, struct text *others, struct text *modules)
{
    Py_ssize_t place = 0, size;
    PyObject *key, *value;
    while (PyDict_Next(parts->names, &place, &key, &value)) {
        if (!PyUnicode_CheckExact(key))
            continue;
        const char *name = PyUnicode_AsUTF8AndSize(key, &size);
        if (name == NULL || strlen(name) != (size_t)size)
            return 0;
        if (size > 4 && strncmp(name, "__", 2) == 0 && strcmp(name + size - 2, "__") == 0)
            continue;
        int is_builtin = PySet_Contains(parts->builtins, key);
        if (is_builtin < 0)
            return 0;
        if (is_builtin)
            continue;
        PyObject *description = description_of(parts, value);
        struct text *group = description == NULL || PyUnicode_GetLength(description) == 0 ? others : functions;
        int is_done = description != NULL && append_name(PyModule_CheckExact(value) ? modules : group, name, description);
        Py_XDECREF(description);
        if (!is_done)
            return 0;
    }
    return 1;
}

int
send_frame(const struct settings *settings, char *frame, size_t size)
{
    for (Py_ssize_t i = 0; i < 2; i++)
        ignore(PyObject_CallNoArgs(PyTuple_GetItem(settings->flushes, i)));
    size_t body = size - LENGTH_BYTES;
    for (int i = 0; i < LENGTH_BYTES; i++)
        frame[i] = (char)(body >> 8 * (LENGTH_BYTES - 1 - i));
    int is_written = write_all(SETUP_FD, frame, size);
    PyErr_Clear();
    return is_written;
}

int
note_counts(struct parts *parts)
{
    PyObject *done = PyObject_CallFunction(parts->note_counts, "nn", parts->received, parts->sent);
    parts->received = parts->sent = 0;
    Py_XDECREF(done);
    return done != NULL;
}

enum progress
left_to_python(PyObject *done)
{
    Py_XDECREF(done);
    return done == NULL ? HAS_ERROR : HAS_ENDED;
}

/* Sends the candidate's names. IS_UNANSWERED, perhaps with an error set, if nothing was sent. */
static enum progress
send_exports(const struct settings *settings, const struct parts *parts)
{
    struct text groups[3];
    for (int i = 0; i < 3; i++)
        groups[i].size = 0;
    if (!append_exports(parts, &groups[0], &groups[1], &groups[2]))
        return IS_UNANSWERED;
    char frame[LENGTH_BYTES + 3 * TEXT_BYTES + 64];
    int size = snprintf(frame + LENGTH_BYTES, sizeof frame - LENGTH_BYTES,
                        "[0,0,[\"%.*s\",\"%.*s\",\"%.*s\"],[],[],[]]", (int)groups[0].size, groups[0].bytes,
                        (int)groups[1].size, groups[1].bytes, (int)groups[2].size, groups[2].bytes);
    return send_frame(settings, frame, LENGTH_BYTES + (size_t)size) ? GOES_ON : HAS_ENDED;
}

/* Reads a request and answers it. Whatever calls.c does not answer is left to Python, together with what was read. */
static enum progress
serve_request(const struct settings *settings, struct parts *parts)
{
    char frame[FRAME_BYTES];
    ssize_t got;
    do {
        /* A thread of the candidate's may go on. */
        PyThreadState *state = PyEval_SaveThread();
        got = read(SETUP_FD, frame, sizeof frame);
        int number = errno;
        PyEval_RestoreThread(state);
        errno = number;
    } while (got < 0 && was_interrupted());
    if (got <= 0) {
        /* The tests have ended, or a signal's handler has raised an exception. */
        if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception))
            return HAS_ERROR;
        PyErr_Clear();
        return HAS_ENDED;
    }
    size_t body = 0;
    for (int i = 0; i < LENGTH_BYTES && i < got; i++)
        body = body << 8 | (unsigned char)frame[i];
    PyObject *text = NULL, *scanned = NULL;
    if (got > LENGTH_BYTES && body == (size_t)got - LENGTH_BYTES)
        text = PyUnicode_DecodeUTF8(frame + LENGTH_BYTES, (Py_ssize_t)body, "surrogatepass");
    if (text != NULL)
        scanned = PyObject_CallFunction(parts->scan, "Oi", text, 0);
    enum progress progress = IS_UNANSWERED;
    if (scanned != NULL && PyTuple_CheckExact(scanned))
        progress = answer_call(settings, parts, PyTuple_GetItem(scanned, 0));
    if (progress == IS_UNANSWERED) {
        PyErr_Clear();
        PyObject *bytes = PyBytes_FromStringAndSize(frame, got);
        PyObject *done = bytes == NULL || !note_counts(parts) ? NULL : PyObject_CallFunctionObjArgs(parts->go_on, bytes, NULL);
        progress = left_to_python(done);
        Py_XDECREF(bytes);
    }
    Py_XDECREF(text);
    Py_XDECREF(scanned);
    return progress;
}

/* Returns the complete report of a candidate that failed. The function sends the tests the same. */
static PyObject *
report_of(const struct parts *parts, PyObject *report_error)
{
    PyObject *report = PyObject_CallFunctionObjArgs(report_error, take_error(), NULL);
    return report == NULL ? NULL : PyObject_CallFunctionObjArgs(parts->encode_report, report, NULL);
}

PyObject *
serve_candidate(const struct settings *settings, PyObject *candidate)
{
    struct parts parts = {.received = 0, .sent = 0};
    if (!PyArg_ParseTuple(settings->served, "(O(OOOO)OO)(OOOOOO)(OOOO)(OOOOOO)", &parts.compile, &parts.file, &parts.mode,
                          &parts.flags, &parts.is_alone, &parts.sources, &parts.names, &parts.function_type, &parts.describe,
                          &parts.builtins, &parts.exported, &parts.references, &parts.sender, &parts.scan,
                          &parts.write, &parts.count_uses, &parts.encode_report, &parts.fail_to_compile, &parts.fail,
                          &parts.serve_tests, &parts.note_counts, &parts.go_on, &parts.finish))
        return NULL;
    PyObject *code = NULL, *source = decode_text(candidate);
    if (source != NULL && PyDict_SetItem(parts.sources, parts.file, source) == 0)
        code = PyObject_CallFunctionObjArgs(parts.compile, source, parts.file, parts.mode, parts.flags, parts.is_alone, NULL);
    if (code == NULL)
        return report_of(&parts, parts.fail_to_compile);
    if (!ran_to_its_end(settings, code, parts.names))
        return report_of(&parts, parts.fail);
    enum progress progress = IS_UNANSWERED;
    /* Functions with this statement may define more names when they are called. */
    if (memmem(PyBytes_AsString(candidate), (size_t)PyBytes_Size(candidate), "global ", 7) == NULL)
        progress = send_exports(settings, &parts);
    if (progress == IS_UNANSWERED) {
        PyErr_Clear();
        progress = left_to_python(PyObject_CallFunctionObjArgs(parts.serve_tests, candidate, NULL));
    }
    while (progress == GOES_ON)
        progress = serve_request(settings, &parts);
    return progress == HAS_ERROR ? NULL : PyBytes_FromFormat("%c", PASSED_REPORT);
}
