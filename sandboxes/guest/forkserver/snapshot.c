/* Moves this process's memory into a file.
 *
 * A fork copies the page tables of memory that belongs to no file, and the end of the child frees them. Pages of a
 * private mapping of a file that nobody has written to are left out. A child finds them in the file when it needs them.
 */

#include "_forking.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

/* Between the two calls nothing writes to memory but the stack, which is no such range. */
PyObject *
move_memory(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int fd, is_writable;
    unsigned long long start, end;
    long long offset;
    if (!PyArg_ParseTuple(arguments, "iLKKp", &fd, &offset, &start, &end, &is_writable))
        return NULL;
    for (unsigned long long next = start; next < end;) {
        off_t place = (off_t)(offset + (long long)(next - start));
        ssize_t put = pwrite(fd, (const void *)(uintptr_t)next, (size_t)(end - next), place);
        if (put <= 0)
            return PyErr_SetFromErrno(PyExc_OSError);
        next += (unsigned long long)put;
    }
    int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void *wanted = (void *)(uintptr_t)start;
    if (mmap(wanted, (size_t)(end - start), protection, MAP_PRIVATE | MAP_FIXED, fd, (off_t)offset) == MAP_FAILED)
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}
