/* Calls of a candidate's functions by tests that run in another process: builds the arguments of a request, calls, and
 * writes the result as a reply. candidate.c calls it.
 *
 * candidate_end.py does the same for all calls. Here are those without keywords whose values plain_values.c knows, as long as
 * they leave no trace in their arguments.
 */

#include "candidate.h"

#include <stdio.h>
#include <string.h>

/* A request that is a plain call. All references are borrowed from the request. */
struct call {
    PyObject *nonce, *function, *roots, *nodes;
};

/* The arguments of a call, and the values that its nodes describe. */
struct arguments {
    PyObject *all;
    Py_ssize_t count;
    PyObject *values[MAX_NODES];
    /* For each container a list of what was in it, NULL for other values; and how many references it had. */
    PyObject *before[MAX_NODES];
    Py_ssize_t uses[MAX_NODES];
};

/* Returns whether a request is a call without keywords, changes and forgotten containers. */
static int
is_call(const struct parts *parts, PyObject *request, struct call *call)
{
    if (!PyList_CheckExact(request) || PyList_Size(request) != REQUEST_FIELDS)
        return 0;
    PyObject *operation = PyList_GetItem(request, 1);
    if (!PyUnicode_CheckExact(operation) || PyUnicode_CompareWithASCIIString(operation, "call") != 0)
        return 0;
    static const int empty[] = {3, 6, 7};
    for (int i = 0; i < 3; i++)
        if (PyObject_IsTrue(PyList_GetItem(request, empty[i])) != 0)
            return 0;
    call->nonce = PyList_GetItem(request, 0);
    call->function = PyDict_GetItemWithError(parts->exported, PyList_GetItem(request, 2));
    call->roots = PyList_GetItem(request, 4);
    call->nodes = PyList_GetItem(request, 5);
    return call->function != NULL && PyList_CheckExact(call->roots) && PyList_CheckExact(call->nodes) &&
           PyList_Size(call->nodes) <= MAX_NODES;
}

/* Returns a list of what is in a container, as CONTAINERS in containers.py has it. */
static PyObject *
parts_of(PyObject *container)
{
    if (!PyDict_CheckExact(container))
        return PySequence_List(container);
    PyObject *values = PyDict_Values(container), *keys = values == NULL ? NULL : PyDict_Keys(container);
    PyObject *all = keys == NULL ? NULL : PySequence_InPlaceConcat(keys, values);
    Py_XDECREF(values);
    Py_XDECREF(keys);
    return all;
}

static void
release(struct arguments *arguments)
{
    Py_CLEAR(arguments->all);
    for (Py_ssize_t k = 0; k < arguments->count; k++) {
        Py_CLEAR(arguments->values[k]);
        Py_CLEAR(arguments->before[k]);
    }
}

/* Builds the arguments of a call, and empties its lists, whose references would count as uses. Returns 0, perhaps with an
 * error set, if Python has to do it. */
static int
build_arguments(const struct parts *parts, const struct call *call, struct arguments *arguments)
{
    Py_ssize_t count = arguments->count = PyList_Size(call->nodes);
    arguments->all = NULL;
    for (Py_ssize_t k = 0; k < count; k++)
        arguments->values[k] = arguments->before[k] = NULL;
    int is_built = 1;
    for (Py_ssize_t k = count - 1; is_built && k >= 0; k--)
        is_built = (arguments->values[k] = build_value(arguments->values, count, PyList_GetItem(call->nodes, k))) != NULL;
    if (is_built && resolve(arguments->values, count, call->roots, 0))
        arguments->all = PyList_AsTuple(call->roots);
    is_built = arguments->all != NULL && PyList_SetSlice(call->nodes, 0, count, NULL) == 0 &&
               PyList_SetSlice(call->roots, 0, PyList_Size(call->roots), NULL) == 0;
    for (Py_ssize_t k = 0; is_built && k < count; k++)
        if (!PyTuple_CheckExact(arguments->values[k]))
            is_built = (arguments->before[k] = parts_of(arguments->values[k])) != NULL;
    for (Py_ssize_t k = 0; is_built && k < count; k++)
        if (arguments->before[k] != NULL)
            is_built = (arguments->uses[k] = uses_of(parts, arguments->values[k])) >= 0;
    if (!is_built)
        release(arguments);
    return is_built;
}

/* Returns whether the containers among the arguments hold the same objects as before, and nothing else refers to them. */
static int
are_untouched(const struct parts *parts, const struct arguments *arguments)
{
    for (Py_ssize_t k = 0; k < arguments->count; k++) {
        PyObject *before = arguments->before[k];
        if (before == NULL)
            continue;
        PyObject *now = parts_of(arguments->values[k]);
        Py_ssize_t size = PyList_Size(before);
        int is_same = now != NULL && PyList_Size(now) == size && uses_of(parts, arguments->values[k]) == arguments->uses[k];
        for (Py_ssize_t i = 0; is_same && i < size; i++)
            is_same = PyList_GetItem(now, i) == PyList_GetItem(before, i);
        Py_XDECREF(now);
        if (!is_same)
            return 0;
    }
    return 1;
}

/* Writes the reply with a result into a frame. Returns its size, 0 if Python has to write it. */
static size_t
write_reply(struct parts *parts, PyObject *nonce, PyObject *value, char *frame)
{
    PyObject *nodes = is_plain(value) ? NULL : encode_nodes(parts, value);
    PyObject *json = is_plain(value) || nodes != NULL ? write_json(parts, nodes == NULL ? value : nodes) : NULL;
    int size = 0, room = FRAME_BYTES - LENGTH_BYTES;
    /* "%s" stops at a NUL, which JSON never holds. */
    if (json != NULL)
        size = snprintf(frame + LENGTH_BYTES, (size_t)room,
                        nodes == NULL ? "[%lld,%d,[%s],[],[],[]]" : "[%lld,%d,[[0]],%s,[],[]]", PyLong_AsLongLong(nonce),
                        RETURNED, PyBytes_AsString(json));
    PyErr_Clear();
    if (size >= room)
        size = 0;
    else if (size > 0 && nodes != NULL)
        parts->sent += PyList_Size(nodes);
    Py_XDECREF(nodes);
    Py_XDECREF(json);
    return size > 0 ? LENGTH_BYTES + (size_t)size : 0;
}

/* Leaves a call that has ended to Python, with its arguments as they were. Takes the references of the arguments. */
static enum progress
finish_in_python(struct parts *parts, PyObject *nonce, int status, PyObject *value, struct arguments *arguments)
{
    PyObject *values = PyList_New(0), *before = PyList_New(0);
    int is_listed = values != NULL && before != NULL;
    for (Py_ssize_t k = 0; is_listed && k < arguments->count; k++)
        is_listed = PyList_Append(values, arguments->values[k]) == 0 &&
                    (arguments->before[k] == NULL || PyList_Append(before, arguments->before[k]) == 0);
    release(arguments);
    PyObject *done = is_listed && note_counts(parts)
                         ? PyObject_CallFunction(parts->finish, "OiOOO", nonce, status, value, values, before)
                         : NULL;
    Py_XDECREF(values);
    Py_XDECREF(before);
    return left_to_python(done);
}

enum progress
answer_call(const struct settings *settings, struct parts *parts, PyObject *request)
{
    struct call call;
    struct arguments arguments;
    if (!is_call(parts, request, &call) || !build_arguments(parts, &call, &arguments)) {
        PyErr_Clear();
        return IS_UNANSWERED;
    }
    PyObject *value = PyObject_Call(call.function, arguments.all, NULL);
    int status = value == NULL ? RAISED : RETURNED;
    if (value == NULL)
        value = take_error();
    char frame[FRAME_BYTES];
    size_t size = 0;
    int is_plain_end = status == RETURNED && are_untouched(parts, &arguments);
    Py_CLEAR(arguments.all);
    if (is_plain_end)
        size = write_reply(parts, call.nonce, value, frame);
    PyErr_Clear();
    enum progress progress;
    if (size > 0) {
        parts->received += arguments.count;
        release(&arguments);
        progress = send_frame(settings, frame, size) ? GOES_ON : HAS_ENDED;
    }
    else
        progress = finish_in_python(parts, call.nonce, status, value, &arguments);
    Py_XDECREF(value);
    return progress;
}
