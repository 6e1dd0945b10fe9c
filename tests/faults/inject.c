/* Makes the n-th call of one kind to the C library fail, for tests/faults.py; preloaded into a Python.

   A kind is counted while it is armed, in all threads. A lasting fault fails every later call of its kind, too, as a
   full disk does. Error 0 is a call that does a part of its work: a read or a write of half the bytes. */

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

enum kind { OPEN, READ, MAP, WRITE, SYNC, RENAME, ENTRY, LOOK, CLOSE, FORK, ALLOC, OBJECT, KINDS };
enum { SMALL = 512 };            /* bytes; smaller pieces of memory are Python's own to give out */

static atomic_long seen[KINDS];
static atomic_long hits;
static atomic_int counting;
static int armed = -1, error_number, lasting;
static long when;

static void count_objects(int);

void faults_arm(int kind, long n, int error, int lasts)
{
    for (int i = 0; i < KINDS; i++) atomic_store(&seen[i], 0);
    atomic_store(&hits, 0);
    armed = kind, when = n, error_number = error, lasting = lasts;
    count_objects(kind == OBJECT || kind < 0);
    atomic_store(&counting, 1);
}
long faults_disarm(void)
{
    atomic_store(&counting, 0);
    count_objects(0);
    return atomic_load(&hits);
}
long faults_seen(int kind) { return atomic_load(&seen[kind]); }

/* Whether this call is to fail. */
static int due(enum kind kind)
{
    if (!atomic_load(&counting)) return 0;
    long n = atomic_fetch_add(&seen[kind], 1);
    if ((int)kind != armed || n < when || (n > when && !lasting)) return 0;
    atomic_fetch_add(&hits, 1);
    return 1;
}

#define REAL(name) static __typeof__(name) *real; if (!real) real = (__typeof__(name) *)dlsym(RTLD_NEXT, #name)
#define FAIL(kind, failed) if (due(kind)) { errno = error_number; return failed; }
#define OURS(fd) ((fd) > 2 && ((fd) >= FILES || !of_kernel[fd]))  /* the standard streams are the test's own */

/* What the kernel tells of itself under /proc and /sys does not fail. */
enum { FILES = 4096 };
static char of_kernel[FILES];
static int is_of_kernel(const char *path) { return !strncmp(path, "/proc/", 6) || !strncmp(path, "/sys/", 5); }
static int noted(int fd, int kernel)
{
    if (fd >= 0 && fd < FILES) of_kernel[fd] = kernel;
    return fd;
}

#define OPENING(name)                                                                     \
    int name(const char *path, int flags, ...)                                            \
    {                                                                                     \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        REAL(name);                                                                       \
        if (is_of_kernel(path)) return noted(real(path, flags, mode), 1);                 \
        FAIL(OPEN, -1); return noted(real(path, flags, mode), 0);                         \
    }
#define OPENING_AT(name)                                                                  \
    int name(int folder, const char *path, int flags, ...)                                \
    {                                                                                     \
        va_list more; va_start(more, flags); mode_t mode = va_arg(more, mode_t); va_end(more); \
        REAL(name);                                                                       \
        if (is_of_kernel(path)) return noted(real(folder, path, flags, mode), 1);         \
        FAIL(OPEN, -1); return noted(real(folder, path, flags, mode), 0);                 \
    }
OPENING(open) OPENING(open64) OPENING_AT(openat) OPENING_AT(openat64)
FILE *fopen(const char *path, const char *mode) { REAL(fopen); FAIL(OPEN, NULL); return real(path, mode); }
FILE *fopen64(const char *path, const char *mode) { REAL(fopen64); FAIL(OPEN, NULL); return real(path, mode); }
DIR *opendir(const char *path)
{
    REAL(opendir);
    if (error_number != EINTR) FAIL(OPEN, NULL);         /* no folder is waited for */
    return real(path);
}
int pipe2(int ends[2], int flags) { REAL(pipe2); FAIL(OPEN, -1); return real(ends, flags); }

#define PART(kind, fd, size)                                                              \
    if (OURS(fd) && due(kind)) {                                                          \
        if (error_number) { errno = error_number; return -1; }                            \
        if ((size) > 1) (size) /= 2;                                                      \
    }
ssize_t read(int fd, void *to, size_t n) { REAL(read); PART(READ, fd, n) return real(fd, to, n); }
ssize_t pread(int fd, void *to, size_t n, off_t at) { REAL(pread); PART(READ, fd, n) return real(fd, to, n, at); }
ssize_t pread64(int fd, void *to, size_t n, off64_t at) { REAL(pread64); PART(READ, fd, n) return real(fd, to, n, at); }
ssize_t write(int fd, const void *from, size_t n) { REAL(write); PART(WRITE, fd, n) return real(fd, from, n); }
ssize_t pwrite(int fd, const void *from, size_t n, off_t at) { REAL(pwrite); PART(WRITE, fd, n) return real(fd, from, n, at); }
ssize_t pwrite64(int fd, const void *from, size_t n, off64_t at) { REAL(pwrite64); PART(WRITE, fd, n) return real(fd, from, n, at); }

void *mmap(void *at, size_t n, int p, int flags, int fd, off_t o)
{
    REAL(mmap); FAIL(fd < 0 ? ALLOC : MAP, MAP_FAILED); return real(at, n, p, flags, fd, o);
}
void *mmap64(void *at, size_t n, int p, int flags, int fd, off64_t o)
{
    REAL(mmap64); FAIL(fd < 0 ? ALLOC : MAP, MAP_FAILED); return real(at, n, p, flags, fd, o);
}

int fsync(int fd) { REAL(fsync); FAIL(SYNC, -1); return real(fd); }
int fdatasync(int fd) { REAL(fdatasync); FAIL(SYNC, -1); return real(fd); }
int ftruncate(int fd, off_t n) { REAL(ftruncate); FAIL(SYNC, -1); return real(fd, n); }
int ftruncate64(int fd, off64_t n) { REAL(ftruncate64); FAIL(SYNC, -1); return real(fd, n); }

int rename(const char *from, const char *to) { REAL(rename); FAIL(RENAME, -1); return real(from, to); }
int unlink(const char *path) { REAL(unlink); FAIL(ENTRY, -1); return real(path); }
int mkdir(const char *path, mode_t mode) { REAL(mkdir); FAIL(ENTRY, -1); return real(path, mode); }
int rmdir(const char *path) { REAL(rmdir); FAIL(ENTRY, -1); return real(path); }
int chmod(const char *path, mode_t mode) { REAL(chmod); FAIL(ENTRY, -1); return real(path, mode); }

int stat(const char *path, struct stat *to) { REAL(stat); FAIL(LOOK, -1); return real(path, to); }
int stat64(const char *path, struct stat64 *to) { REAL(stat64); FAIL(LOOK, -1); return real(path, to); }
int lstat(const char *path, struct stat *to) { REAL(lstat); FAIL(LOOK, -1); return real(path, to); }
int lstat64(const char *path, struct stat64 *to) { REAL(lstat64); FAIL(LOOK, -1); return real(path, to); }
int fstat(int fd, struct stat *to) { REAL(fstat); FAIL(LOOK, -1); return real(fd, to); }
int fstat64(int fd, struct stat64 *to) { REAL(fstat64); FAIL(LOOK, -1); return real(fd, to); }

/* A file whose closing fails is closed all the same. */
int close(int fd)
{
    REAL(close);
    int told = real(fd), fails = OURS(fd) && due(CLOSE);
    noted(fd, 0);
    if (fails) { errno = error_number; return -1; }
    return told;
}

pid_t fork(void) { REAL(fork); FAIL(FORK, -1); return real(); }
pid_t vfork(void) { FAIL(FORK, -1); return fork(); }
int pthread_create(pthread_t *t, const pthread_attr_t *a, void *(*f)(void *), void *x)
{
    REAL(pthread_create);
    if (due(FORK)) return error_number;
    return real(t, a, f, x);
}

/* dlsym asks for memory itself, so these go by the names that glibc gives its own. */
void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
void *malloc(size_t n) { if (n >= SMALL) FAIL(ALLOC, NULL); return __libc_malloc(n); }
void *calloc(size_t k, size_t n) { if (k * n >= SMALL) FAIL(ALLOC, NULL); return __libc_calloc(k, n); }
void *realloc(void *p, size_t n) { if (n >= SMALL) FAIL(ALLOC, NULL); return __libc_realloc(p, n); }

/* Memory for Python's objects: what PyMem_Malloc and PyObject_Malloc give out. */
typedef struct {
    void *context;
    void *(*malloc)(void *, size_t);
    void *(*calloc)(void *, size_t, size_t);
    void *(*realloc)(void *, void *, size_t);
    void (*free)(void *, void *);
} allocator;
static allocator kept[3];
#define OWN(a) ((allocator *)(a))
static void *give(void *a, size_t n) { FAIL(OBJECT, NULL); return OWN(a)->malloc(OWN(a)->context, n); }
static void *give_clear(void *a, size_t k, size_t n) { FAIL(OBJECT, NULL); return OWN(a)->calloc(OWN(a)->context, k, n); }
static void *resize(void *a, void *p, size_t n) { FAIL(OBJECT, NULL); return OWN(a)->realloc(OWN(a)->context, p, n); }
static void take(void *a, void *p) { OWN(a)->free(OWN(a)->context, p); }

static void count_objects(int on)
{
    static void (*get)(int, allocator *), (*set)(int, allocator *);
    static int hooked;
    if (!get) {
        *(void **)&get = dlsym(RTLD_DEFAULT, "PyMem_GetAllocator");
        *(void **)&set = dlsym(RTLD_DEFAULT, "PyMem_SetAllocator");
    }
    if (!get || on == hooked) return;
    for (int domain = 1; domain <= 2; domain++) {        /* 0 is the C library's own */
        allocator mine = {&kept[domain], give, give_clear, resize, take};
        if (on) get(domain, &kept[domain]);
        set(domain, on ? &mine : &kept[domain]);
    }
    hooked = on;
}
