/* Moves this process's memory into a file.
 *
 * A fork copies the page tables of memory that belongs to no file, and the end of the child frees them. Pages of a
 * private mapping of a file that nobody has written to are left out. A child finds them in the file when it needs them.
 * Where the file lies in huge pages, the kernel copies and frees the entries of many small pages at once.
 */

#include "_forking.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

/* Copies a range of memory to an offset of a file, and maps the file in its place. Returns whether that worked. If not, errno
 * says why. */
static int
move_range(int fd, off_t offset, char *start, size_t size, int protection)
{
    for (size_t done = 0; done < size;) {
        ssize_t put = pwrite(fd, start + done, size - done, offset + (off_t)done);
        if (put <= 0)
            return 0;
        done += (size_t)put;
    }
    return mmap(start, size, protection, MAP_PRIVATE | MAP_FIXED, fd, offset) != MAP_FAILED;
}

#ifndef MADV_COLLAPSE
#define MADV_COLLAPSE 25
#endif

PyObject *
use_huge_pages(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int fd;
    unsigned long long size, huge_page;
    if (!PyArg_ParseTuple(arguments, "iKK", &fd, &size, &huge_page))
        return NULL;
    size = (size + huge_page - 1) / huge_page * huge_page;
    if (ftruncate(fd, (off_t)size) < 0)
        return PyErr_SetFromErrno(PyExc_OSError);
    char *reserved = mmap(NULL, size + huge_page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (reserved == MAP_FAILED)
        return PyErr_SetFromErrno(PyExc_OSError);
    /* The kernel looks for huge pages at their boundaries only. */
    char *start = (char *)(((uintptr_t)reserved + huge_page - 1) / huge_page * huge_page);
    int is_mapped = mmap(start, size, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0) != MAP_FAILED;
    int number = errno;
    /* One by one, and whatever the result: Linux 6.1 calls each one that it has moved invalid, and leaves out the rest. */
    for (unsigned long long done = 0; is_mapped && done < size; done += huge_page)
        madvise(start + done, huge_page, MADV_COLLAPSE);
    munmap(reserved, size + huge_page);
    errno = number;
    return is_mapped ? Py_NewRef(Py_None) : PyErr_SetFromErrno(PyExc_OSError);
}

PyObject *
move_memory(PyObject *Py_UNUSED(module), PyObject *arguments)
{
    int fd, is_writable;
    unsigned long long start, end;
    long long offset;
    if (!PyArg_ParseTuple(arguments, "iLKKp", &fd, &offset, &start, &end, &is_writable))
        return NULL;
    /* What a signal's handler notes after the copy would be lost, such as the death of the supervisor. Nothing else writes
       to memory meanwhile but the stack, which is no such range. */
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before);
    int protection = is_writable ? PROT_READ | PROT_WRITE : PROT_READ;
    int is_moved = move_range(fd, (off_t)offset, (char *)(uintptr_t)start, (size_t)(end - start), protection);
    int number = errno;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    errno = number;
    if (!is_moved)
        return PyErr_SetFromErrno(PyExc_OSError);
    Py_RETURN_NONE;
}
