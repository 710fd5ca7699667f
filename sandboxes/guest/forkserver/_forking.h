/* The parts that the C files of the extension module `_forking` share.
 *
 * The module exports its init function alone: everything declared here is hidden, and the rest is static.
 */

#ifndef CODE_EVAL_FORKING_H
#define CODE_EVAL_FORKING_H

#ifndef __linux__
#error "Needs Linux. Elsewhere server.py and child.py do this work."
#endif

#define _GNU_SOURCE
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

/* In headers of Python 3.12 and newer it does not count the reference, and Python 3.11, which may load the file that they
 * were used for, would one day free None. */
#undef Py_RETURN_NONE
#define Py_RETURN_NONE return Py_NewRef(Py_None)

#include <stdint.h>
#include <sys/resource.h>

/* From here to struct start as in frames.py: tests/guest/test_forking.py compares the two. */
enum { REPORT_FD = 3, SETUP_FD = 4, CHANNEL_FD = 5, FIRST_FREE_FD = 64 };
enum { NONCE_BYTES = 16, SAME_TESTS = -1, RUNNING = 0, ENDED = 1, LEFT_SOME = 2, STARTED = 'S', BROKEN = 'B' };
enum { PASSED_REPORT = 'P', OTHER_REPORT = 'O' };
enum { MAX_COMPILED_BYTES = 16384, UNFLUSHED_BYTES = 8192 };

struct request {
    int64_t tests_bytes, candidate_bytes, limits[6];
};

struct __attribute__((packed)) state {
    uint8_t phase;
    int32_t pid;
    double cpu_seconds;
    int32_t status;
    int64_t peak_memory_bytes;
};

struct __attribute__((packed)) start {
    char letter;
    double started_at;
};

enum { MAX_LIMITS = 16 };

/* The settings that all children of one call of `run` share. */
struct settings {
    PyObject *server, *prepare, *encode_details, *streams, *flushes, *enter;
    /* Functions that each child calls; None if Python's own way to fork is needed. */
    PyObject *fork_hooks;
    /* What `prepare_directly` takes; None if `prepare` has to be called. */
    PyObject *direct;
    /* What `serve_candidate` takes; None if `prepare` has to be called. */
    PyObject *served;
    /* None if children have to compile the tests, in `prepare`. */
    PyObject *tests_code;
    /* The name of the builtins in a namespace. */
    PyObject *builtins;
    int resources[MAX_LIMITS];
    struct rlimit limits[MAX_LIMITS];
    Py_ssize_t limits_count;
    int peer_fd, own_session, announces_children;
};

/* The part of a report after its first byte. */
struct details {
    const char *text;
    size_t size;
};

#pragma GCC visibility push(hidden)

/* pipes.c */

/* Returns whether a call that failed was only interrupted, and must be made again. Otherwise an error is set. */
int was_interrupted(void);

/* Reads exactly `size` bytes and returns whether that worked. If not, an error is set, unless the writer has gone. */
int read_exact(int fd, void *buffer, size_t size);

/* Reads exactly `size` bytes. Returns NULL with an error set if that did not work, or the writer has gone. */
PyObject *read_bytes(int fd, Py_ssize_t size);

/* Returns bytes as text. They are UTF-8, in which lone surrogates are allowed. */
PyObject *decode_text(PyObject *bytes);

/* Reads the next request as `read_exact` does, and sets the descriptor that came with it, -1 if there is none. */
int read_request(struct request *request, int *peer_fd);

/* Writes all bytes and returns whether that worked. If not, an error is set. */
int write_all(int fd, const void *buffer, size_t size);

/* server.c */

/* Forks a child, waits for its end and reports it. Returns whether that worked. If not, an error is set.
 *
 * Args:
 *     reaps_orphans: as `run` takes it.
 *     state: set to the state in which the child ended.
 */
int run_one(const struct settings *settings, const struct request *request, int reaps_orphans, struct state *state);

/* Lets a signal that has a handler of Python's end the child that `run_one` waits for. Returns whether that worked. */
int end_child_on(int number);

/* child.c */

/* Lets an interrupt end this process. In its children Python's own handler is called again. */
void reset_interrupts(void);

/* Calls the functions that a new child has to call. Returns whether that worked. If not, an error is set. */
int call_all(PyObject *functions);

/* Turns a new child into the program, and ends with it. No Python object holds the nonce at any time. */
void be_child(const struct settings *settings, Py_ssize_t candidate_bytes);

/* Ends a call whose error is the program's own affair: a stream is closed, replaced or full. */
void ignore(PyObject *done);

/* candidate.c */

/* Runs a candidate whose tests run in another process, and answers them until they end. SETUP_FD is the socket to them.
 * Returns the complete report, bytes; NULL with an error set if there is none. */
PyObject *serve_candidate(const struct settings *settings, PyObject *candidate);

/* enter.c */

/* enter_child(workplace, reset, shows_memory, user, hides_memory, ruleset): the first steps of a child that other programs
 * could see. `enter_child_doc` in _forking.c says what they are. */
PyObject *enter_child(PyObject *module, PyObject *arguments);

/* program.c */

/* Runs a code object in a namespace and returns whether it came to its end. If not, an error is set. */
int ran_to_its_end(const struct settings *settings, PyObject *code, PyObject *names);

/* Clears the exception that is set, and returns it with its traceback. */
PyObject *take_error(void);

/* Runs a candidate and its tests here, and not in a Python function: no frame and no object that the candidate could
 * change holds whether both ran to their end.
 *
 * Args:
 *     program: (code of the candidate, code of the tests, namespace, name, wants_output). If the namespace has the name
 *         in the end, or `wants_output` is true, a pass has details too.
 *     letter: set to the first byte of the report.
 *
 * Returns the rest of the report.
 */
struct details run_program(const struct settings *settings, PyObject *program, char *letter);

/* program_end.c, snapshot.c and unflushed.c. _forking.c describes these functions of the module. */

PyObject *receive_end(PyObject *module, PyObject *arguments);
PyObject *unlock_and_inspect(PyObject *module, PyObject *arguments);
PyObject *move_memory(PyObject *module, PyObject *arguments);
PyObject *keep_unflushed(PyObject *module, PyObject *arguments);
PyObject *write_unflushed(PyObject *module, PyObject *data);
PyObject *flush_unflushed(PyObject *module, PyObject *nothing);
PyObject *use_huge_pages(PyObject *module, PyObject *arguments);

#pragma GCC visibility pop

#endif
