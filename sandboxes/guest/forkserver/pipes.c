/* Reads and writes of descriptors, as frames.py does them in Python. */

#include "_forking.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int
was_interrupted(void)
{
    if (errno == EINTR)
        return PyErr_CheckSignals() == 0;
    PyErr_SetFromErrno(PyExc_OSError);
    return 0;
}

int
read_exact(int fd, void *buffer, size_t size)
{
    char *next = buffer;
    while (size > 0) {
        ssize_t got = read(fd, next, size);
        if (got == 0)
            return 0;
        if (got < 0 && !was_interrupted())
            return 0;
        if (got > 0) {
            next += got;
            size -= (size_t)got;
        }
    }
    return 1;
}

PyObject *
read_bytes(int fd, Py_ssize_t size)
{
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, size);
    if (bytes == NULL || read_exact(fd, PyBytes_AsString(bytes), (size_t)size))
        return bytes;
    if (!PyErr_Occurred())
        PyErr_SetString(PyExc_EOFError, "the supervisor has gone");
    Py_DECREF(bytes);
    return NULL;
}

PyObject *
decode_text(PyObject *bytes)
{
    return PyUnicode_DecodeUTF8(PyBytes_AsString(bytes), PyBytes_Size(bytes), "surrogatepass");
}

int
read_request(struct request *request, int *peer_fd)
{
    union {
        struct cmsghdr align;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec text = {request, sizeof *request};
    struct msghdr message = {
        .msg_iov = &text, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
    *peer_fd = -1;
    ssize_t got;
    while ((got = recvmsg(CHANNEL_FD, &message, MSG_WAITALL | MSG_CMSG_CLOEXEC)) < 0)
        if (!was_interrupted())
            return 0;
    struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header != NULL && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS)
        memcpy(peer_fd, CMSG_DATA(header), sizeof *peer_fd);
    return got > 0 && read_exact(CHANNEL_FD, (char *)request + got, sizeof *request - (size_t)got);
}

int
write_all(int fd, const void *buffer, size_t size)
{
    const char *next = buffer;
    while (size > 0) {
        ssize_t put = write(fd, next, size);
        if (put < 0 && !was_interrupted())
            return 0;
        if (put > 0) {
            next += put;
            size -= (size_t)put;
        }
    }
    return 1;
}
