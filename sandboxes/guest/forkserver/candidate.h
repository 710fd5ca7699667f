/* What the files share that do the work of candidate_process.py and candidate_end.py without Python code. */

#ifndef CODE_EVAL_CANDIDATE_H
#define CODE_EVAL_CANDIDATE_H

#include "_forking.h"

/* Calls with larger requests, replies or arguments are left to Python. */
enum { LENGTH_BYTES = 4, FRAME_BYTES = 4096, MAX_NODES = 64 };
/* As in messages.py and message_stream.py: tests/guest/test_plain_calls.py compares them. */
enum { REQUEST_FIELDS = 8, RETURNED = 0, RAISED = 1 };

/* The fields of `settings->served`, as `CandidateEnd.parts` in candidate_end.py describes them, and how many
 * nodes were received and sent since they were last noted there. */
struct parts {
    PyObject *compile, *file, *mode, *flags, *is_alone, *sources, *names;
    PyObject *function_type, *describe, *builtins, *exported, *references, *sender;
    PyObject *scan, *write, *count_uses, *encode_report;
    PyObject *fail_to_compile, *fail, *serve_tests, *note_counts, *go_on, *finish;
    Py_ssize_t received, sent;
};

/* The tests have ended; they may call again; an error is set; a request was only read. */
enum progress { HAS_ENDED, GOES_ON, HAS_ERROR, IS_UNANSWERED };

#pragma GCC visibility push(hidden)

/* candidate.c */

/* Writes a frame after the candidate's output, as `send_body` in candidate_end.py does. The first LENGTH_BYTES of
 * `frame` are set here. Returns whether the tests are there. */
int send_frame(const struct settings *settings, char *frame, size_t size);

/* Tells the connection of the nodes that crossed without it. Returns whether that worked. If not, an error is set. */
int note_counts(struct parts *parts);

/* Ends a call of one of Python's functions that returns once the tests have ended. NULL is an error. */
enum progress left_to_python(PyObject *done);

/* plain_values.c */

/* Puts values in the places of the children that refer to them, from an index of a list on. Returns 0 if one refers to a
 * value that is not there. */
int resolve(PyObject *const *values, Py_ssize_t count, PyObject *list, Py_ssize_t from);

/* Returns the value of a node. Children must refer to later nodes, as those of an Encoder do that no cycle leads back to.
 * Returns NULL, perhaps without an error, if Python has to build it. */
PyObject *build_value(PyObject *const *values, Py_ssize_t count, PyObject *node);

/* Returns the number of references to an object; -1 with an error set if that failed. */
Py_ssize_t uses_of(const struct parts *parts, PyObject *object);

/* Returns whether JSON itself keeps a value exactly. */
int is_plain(PyObject *value);

/* Returns the name of a value's kind in a node: "list", "tuple", "dict" or "set"; NULL for other values. */
const char *kind_of(PyObject *value);

/* Returns the nodes of a result that is no longer used here; NULL, perhaps with an error set, for others. */
PyObject *encode_nodes(const struct parts *parts, PyObject *value);

/* Returns plain data, or nodes, as JSON. */
PyObject *write_json(const struct parts *parts, PyObject *data);

/* calls.c */

/* Answers a request. IS_UNANSWERED if Python has to. */
enum progress answer_call(const struct settings *settings, struct parts *parts, PyObject *request);

#pragma GCC visibility pop

#endif
