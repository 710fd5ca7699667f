/* Runs a candidate and its tests, and says how they ended.
 *
 * child.c calls it. The verdict is decided here; child.c writes it, with the nonce.
 */

#include "_forking.h"

#include <string.h>

int
ran_to_its_end(const struct settings *settings, PyObject *code, PyObject *names)
{
    int there = PyDict_Contains(names, settings->builtins);
    if (there == 0)
        /* `exec` does the same. */
        there = PyDict_SetItem(names, settings->builtins, PyEval_GetBuiltins());
    PyObject *done = there < 0 ? NULL : PyEval_EvalCode(code, names, names);
    Py_XDECREF(done);
    return done != NULL;
}

PyObject *
take_error(void)
{
    PyObject *type, *error, *trace;
    PyErr_Fetch(&type, &error, &trace);
    PyErr_NormalizeException(&type, &error, &trace);
    if (error != NULL && trace != NULL)
        PyException_SetTraceback(error, trace);
    Py_XDECREF(type);
    Py_XDECREF(trace);
    return error;
}

static struct details
fixed_details(const char *text)
{
    return (struct details){text, strlen(text)};
}

/* Asks Python for the details of a program that has ended with an error, or with NULL. Python code that runs here may
 * be the candidate's by now. The report's first byte is *letter, which never becomes that of a pass here. */
static struct details
details_of(const struct settings *settings, PyObject *error, char *letter)
{
    int no_memory = error != NULL && PyErr_GivenExceptionMatches((PyObject *)Py_TYPE(error), PyExc_MemoryError);
    PyObject *reported = error == NULL ? Py_None : error;
    PyObject *encoded = PyObject_CallFunctionObjArgs(settings->encode_details, settings->server, reported, NULL);
    if (encoded != NULL && PyBytes_CheckExact(encoded))
        return (struct details){PyBytes_AsString(encoded), (size_t)PyBytes_Size(encoded)};
    no_memory = no_memory || (encoded == NULL && PyErr_ExceptionMatches(PyExc_MemoryError));
    PyErr_Clear();
    *letter = OTHER_REPORT;
    if (no_memory)
        return fixed_details("{\"outcome\": \"out_of_memory\", \"detail\": \"MemoryError\"}");
    return fixed_details("{\"outcome\": \"failed\", \"detail\": \"the error could not be described\"}");
}

struct details
run_program(const struct settings *settings, PyObject *program, char *letter)
{
    PyObject *candidate = PyTuple_GetItem(program, 0), *tests = PyTuple_GetItem(program, 1);
    PyObject *names = PyTuple_GetItem(program, 2), *record = PyTuple_GetItem(program, 3);
    int has_details = PyTuple_GetItem(program, 4) == Py_True;
    *letter = OTHER_REPORT;
    if (!ran_to_its_end(settings, candidate, names) || !ran_to_its_end(settings, tests, names))
        return details_of(settings, take_error(), letter);
    *letter = PASSED_REPORT;
    if (!has_details) {
        has_details = PyDict_Contains(names, record);
        PyErr_Clear();
    }
    return has_details ? details_of(settings, NULL, letter) : fixed_details("");
}
