/* Plain data, and lists, tuples, dicts and sets of them, in the messages between a candidate's process and its tests'.
 *
 * calls.c uses it. values.py has the form of messages; value_decoder.py and value_encoder.py do the same for all values.
 */

#include "candidate.h"

#include <math.h>

int
resolve(PyObject *const *values, Py_ssize_t count, PyObject *list, Py_ssize_t from)
{
    Py_ssize_t size = PyList_Size(list);
    for (Py_ssize_t i = from; i < size; i++) {
        PyObject *child = PyList_GetItem(list, i);
        if (!PyList_CheckExact(child))
            continue;
        Py_ssize_t k = PyList_Size(child) == 1 ? PyLong_AsSsize_t(PyList_GetItem(child, 0)) : -1;
        if (k < 0 || k >= count || values[k] == NULL || PyList_SetItem(list, i, Py_NewRef(values[k])) < 0)
            return 0;
    }
    return 1;
}

/* Returns a dict of keys and, after them, their values. */
static PyObject *
build_dict(PyObject *list)
{
    Py_ssize_t half = PyList_Size(list) / 2;
    PyObject *dict = PyDict_New();
    for (Py_ssize_t i = 0; dict != NULL && i < half; i++)
        if (PyDict_SetItem(dict, PyList_GetItem(list, i), PyList_GetItem(list, half + i)) < 0)
            Py_CLEAR(dict);
    return dict;
}

PyObject *
build_value(PyObject *const *values, Py_ssize_t count, PyObject *node)
{
    PyObject *kind = PyList_CheckExact(node) && PyList_Size(node) > 0 ? PyList_GetItem(node, 0) : NULL;
    if (kind == NULL || !PyUnicode_CheckExact(kind) || !resolve(values, count, node, 1))
        return NULL;
    PyObject *(*build)(PyObject *) = PyUnicode_CompareWithASCIIString(kind, "list") == 0    ? Py_NewRef
                                     : PyUnicode_CompareWithASCIIString(kind, "tuple") == 0 ? PyList_AsTuple
                                     : PyUnicode_CompareWithASCIIString(kind, "dict") == 0  ? build_dict
                                     : PyUnicode_CompareWithASCIIString(kind, "set") == 0   ? PySet_New
                                                                                            : NULL;
    /* The list that JSON made becomes the value, or is its content. */
    return build == NULL || PySequence_DelItem(node, 0) < 0 ? NULL : build(node);
}

Py_ssize_t
uses_of(const struct parts *parts, PyObject *object)
{
    PyObject *number = PyObject_CallFunctionObjArgs(parts->count_uses, object, NULL);
    Py_ssize_t uses = number == NULL ? -1 : PyLong_AsSsize_t(number);
    Py_XDECREF(number);
    return uses;
}

int
is_plain(PyObject *value)
{
    int overflow = 0;
    if (PyLong_CheckExact(value))
        return PyLong_AsLongLongAndOverflow(value, &overflow), !overflow;
    if (PyFloat_CheckExact(value))
        return isfinite(PyFloat_AsDouble(value));
    return value == Py_None || PyBool_Check(value) || PyUnicode_CheckExact(value);
}

const char *
kind_of(PyObject *value)
{
    if (PyList_CheckExact(value))
        return "list";
    if (PyTuple_CheckExact(value))
        return "tuple";
    if (PyDict_CheckExact(value))
        return "dict";
    return Py_IS_TYPE(value, &PySet_Type) ? "set" : NULL;
}

static int append_node(const struct parts *parts, PyObject *nodes, PyObject *value);

/* Appends the child for an item to a node. */
static int
append_child(const struct parts *parts, PyObject *nodes, PyObject *node, PyObject *item)
{
    if (is_plain(item))
        return PyList_Append(node, item) == 0;
    if (uses_of(parts, item) != 1)
        return 0;
    PyObject *child = Py_BuildValue("[n]", PyList_Size(nodes));
    int is_appended = child != NULL && PyList_Append(node, child) == 0 && append_node(parts, nodes, item);
    Py_XDECREF(child);
    return is_appended;
}

/* Appends the children for the keys of a dict, and then for its values. */
static int
append_pairs(const struct parts *parts, PyObject *nodes, PyObject *node, PyObject *dict)
{
    for (int is_value = 0; is_value < 2; is_value++) {
        PyObject *pair[2];
        for (Py_ssize_t place = 0; PyDict_Next(dict, &place, &pair[0], &pair[1]);)
            if (!append_child(parts, nodes, node, pair[is_value]))
                return 0;
    }
    return 1;
}

/* Appends the node of a list, tuple, dict or set, and those of what is in it. Returns 0, perhaps with an error set, for other
 * values. Nothing else may refer to what is in it, so that no value comes twice. */
static int
append_node(const struct parts *parts, PyObject *nodes, PyObject *value)
{
    const char *kind = kind_of(value);
    if (kind == NULL || PyList_Size(nodes) >= MAX_NODES)
        return 0;
    PyObject *node = Py_BuildValue("[s]", kind);
    int is_appended = node != NULL && PyList_Append(nodes, node) == 0;
    if (is_appended && PyDict_CheckExact(value))
        is_appended = append_pairs(parts, nodes, node, value);
    else if (is_appended && Py_IS_TYPE(value, &PySet_Type)) {
        PyObject *items = PySequence_List(value);
        for (Py_ssize_t i = 0; is_appended && i < PyList_Size(items); i++)
            is_appended = append_child(parts, nodes, node, PyList_GetItem(items, i));
        is_appended = is_appended && items != NULL;
        Py_XDECREF(items);
    }
    else
        for (Py_ssize_t i = 0; is_appended && i < PySequence_Size(value); i++) {
            PyObject *item = PyList_CheckExact(value) ? PyList_GetItem(value, i) : PyTuple_GetItem(value, i);
            is_appended = append_child(parts, nodes, node, item);
        }
    Py_XDECREF(node);
    return is_appended;
}

PyObject *
encode_nodes(const struct parts *parts, PyObject *value)
{
    if (!PyTuple_CheckExact(value) && uses_of(parts, value) != 1)
        return NULL;
    PyObject *nodes = PyList_New(0);
    if (nodes != NULL && !append_node(parts, nodes, value))
        Py_CLEAR(nodes);
    return nodes;
}

PyObject *
write_json(const struct parts *parts, PyObject *data)
{
    PyObject *pieces = PyObject_CallFunction(parts->write, "Oi", data, 0);
    PyObject *nothing = pieces == NULL ? NULL : PyUnicode_FromStringAndSize(NULL, 0);
    PyObject *text = nothing == NULL ? NULL : PyUnicode_Join(nothing, pieces);
    PyObject *encoded = text == NULL ? NULL : PyUnicode_AsEncodedString(text, "utf-8", "surrogatepass");
    Py_XDECREF(pieces);
    Py_XDECREF(nothing);
    Py_XDECREF(text);
    return encoded;
}
