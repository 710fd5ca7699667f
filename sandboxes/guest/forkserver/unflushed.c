/* Standard output that is not flushed yet, in memory that the supervisor can still read when the program was ended.
 *
 * The module's functions take the place of two methods of the buffer below sys.stdout. Only the program's first process
 * writes to the memory: two processes would mix their bytes there. What its own forks print is buffered as usual.
 */

#include "_forking.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* As UNFLUSHED_HEAD in frames.py, and the bytes. A program can write anything here. */
static struct unflushed {
    int32_t owner;
    uint32_t size;
    char bytes[UNFLUSHED_BYTES - 8];
} *unflushed;

static PyObject *write_base, *flush_base;
static pid_t server;
static int has_written;
/* Whether this process may write to the memory: 1 if it may, -1 if it may not, and 0, to which each fork sets it, if that is
 * not known yet. */
static int *standing;

PyObject *
keep_unflushed(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int fd;
    PyObject *write, *flush;
    if (!PyArg_ParseTuple(arguments, "iOO", &fd, &write, &flush))
        return NULL;
    int access = PROT_READ | PROT_WRITE;
    void *own = mmap(NULL, sizeof *standing, access, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED || madvise(own, sizeof *standing, MADV_WIPEONFORK) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    /* Last: programs could leave each other messages in memory that is not cleared after them. */
    void *shared = mmap(NULL, sizeof *unflushed, access, MAP_SHARED, fd, 0);
    if (shared == MAP_FAILED)
        return PyErr_SetFromErrno(PyExc_OSError);
    unflushed = shared;
    standing = own;
    server = getpid();
    write_base = Py_NewRef(write);
    flush_base = Py_NewRef(flush);
    Py_RETURN_NONE;
}

/* Returns whether this process is the program's first one. Orphans of the program have the same parent, but come later. */
static int
is_owner(void)
{
    if (*standing == 0) {
        int32_t nobody = 0, own = (int32_t)getpid();
        int is_first = getppid() == server && (__atomic_compare_exchange_n(&unflushed->owner, &nobody, own, 0, __ATOMIC_SEQ_CST,
                                                                            __ATOMIC_SEQ_CST) ||
                                               nobody == own);
        *standing = is_first ? 1 : -1;
    }
    return *standing > 0;
}

/* Moves bytes to the memory, and returns whether there was room for all of them. */
static int
put(const char *bytes, size_t size)
{
    size_t end = unflushed->size;
    if (end > sizeof unflushed->bytes || size > sizeof unflushed->bytes - end)
        return 0;
    memcpy(unflushed->bytes + end, bytes, size);
    unflushed->size = (uint32_t)(end + size);
    return 1;
}

/* Writes what is in the memory, and all that is buffered elsewhere. Returns whether that worked. If not, an error is set. */
static int
write_out(void)
{
    PyObject *written = Py_NewRef(Py_None);
    if (is_owner() && unflushed->size > 0) {
        size_t size = unflushed->size;
        PyObject *bytes = PyBytes_FromStringAndSize(
            unflushed->bytes, (Py_ssize_t)(size < sizeof unflushed->bytes ? size : sizeof unflushed->bytes));
        if (bytes == NULL)
            return 0;
        /* First, because a signal's handler or another thread may write meanwhile. */
        unflushed->size = 0;
        written = PyObject_CallFunctionObjArgs(write_base, bytes, NULL);
        Py_DECREF(bytes);
    }
    PyObject *flushed = written == NULL ? NULL : PyObject_CallNoArgs(flush_base);
    Py_XDECREF(written);
    Py_XDECREF(flushed);
    return flushed != NULL;
}

PyObject *
write_unflushed(PyObject *Py_UNUSED(module), PyObject *data)
{
    has_written = 1;
    if (!is_owner())
        return PyObject_CallFunctionObjArgs(write_base, data, NULL);
    int is_bytes = PyBytes_CheckExact(data);
    const char *bytes = is_bytes ? PyBytes_AsString(data) : NULL;
    Py_ssize_t size = is_bytes ? PyBytes_Size(data) : 0;
    if (is_bytes && put(bytes, (size_t)size))
        return PyLong_FromSsize_t(size);
    if (!write_out())
        return NULL;
    if (is_bytes && put(bytes, (size_t)size))
        return PyLong_FromSsize_t(size);
    /* It is too large, or of another type. The buffer holds it back if it has room. */
    PyObject *written = PyObject_CallFunctionObjArgs(write_base, data, NULL);
    PyObject *flushed = written == NULL ? NULL : PyObject_CallNoArgs(flush_base);
    if (flushed == NULL)
        Py_CLEAR(written);
    Py_XDECREF(flushed);
    return written;
}

PyObject *
flush_unflushed(PyObject *Py_UNUSED(module), PyObject *Py_UNUSED(nothing))
{
    /* Each child calls this at its end, and most have written nothing. */
    if (has_written && !write_out())
        return NULL;
    Py_RETURN_NONE;
}
