/* Lets the n-th operation on a file below some folder fail: cc -shared -fPIC -o shim.so shim.c -ldl
   It is preloaded; fault_arm() says which operation, with which error, below which folders. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

static char under[PATH_MAX], beside[PATH_MAX];
static long at = -1, seen = 0;
static int reason = 0, lasting = 0, locking = 0;

void fault_arm(const char *folder, const char *other, long n, int error, int for_ever, int locks) {
    strncpy(under, folder, sizeof under - 1);
    strncpy(beside, other, sizeof beside - 1);
    at = n; reason = error; lasting = for_ever; locking = locks;
    __atomic_store_n(&seen, 0, __ATOMIC_SEQ_CST);
}
long fault_seen(void) { return __atomic_load_n(&seen, __ATOMIC_SEQ_CST); }

static int starts(const char *path, const char *with) { return with[0] && strncmp(path, with, strlen(with)) == 0; }
static int inside(const char *path) { return starts(path, under) || starts(path, beside); }

static int by_name(const char *path) {
    char whole[2 * PATH_MAX], here[PATH_MAX];
    if (!under[0] || path == NULL) return 0;
    if (path[0] == '/') return inside(path);
    if (getcwd(here, sizeof here) == NULL) return 0;
    snprintf(whole, sizeof whole, "%s/%s", here, path);
    return inside(whole);
}
static int by_file(int file) {
    char link[64], path[PATH_MAX];
    if (!under[0] || file < 3) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    return inside(path);
}
static int counted(int ours) {
    if (!ours) return 0;
    long now = __atomic_add_fetch(&seen, 1, __ATOMIC_SEQ_CST);
    if (at > 0 && (now == at || (lasting && now > at))) { errno = reason; return 1; }
    return 0;
}
static int fails(int ours) { return !locking && counted(ours); }
/* Where files cannot be locked, as on some network drives, the disk is not what is full. */
static int cannot_lock(int how, int file) {
    int locks = how == F_SETLK || how == F_SETLKW || how == F_OFD_SETLK || how == F_OFD_SETLKW;
    if (!locking || !locks || !counted(by_file(file))) return 0;
    if (errno == ENOSPC || errno == EDQUOT) errno = ENOLCK;
    return 1;
}
#define REAL(name) __typeof__(&name) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)
#define OPENS(name, before, given, ours)                                        \
    int name(before const char *path, int flags, ...) {                         \
        va_list rest; va_start(rest, flags);                                    \
        mode_t mode = va_arg(rest, mode_t); va_end(rest);                       \
        REAL(name); if (fails(ours)) return -1; return real(given path, flags, mode); }
#define COMMA ,
OPENS(open, , , by_name(path))
OPENS(open64, , , by_name(path))
OPENS(openat, int folder COMMA, folder COMMA, folder == AT_FDCWD ? by_name(path) : by_file(folder))
OPENS(openat64, int folder COMMA, folder COMMA, folder == AT_FDCWD ? by_name(path) : by_file(folder))
ssize_t write(int f, const void *b, size_t n) { REAL(write); return fails(by_file(f)) ? -1 : real(f, b, n); }
ssize_t pwrite(int f, const void *b, size_t n, off_t o) { REAL(pwrite); return fails(by_file(f)) ? -1 : real(f, b, n, o); }
ssize_t pwrite64(int f, const void *b, size_t n, off64_t o) { REAL(pwrite64); return fails(by_file(f)) ? -1 : real(f, b, n, o); }
#define LOCKS(name)                                                             \
    int name(int f, int how, ...) {                                             \
        va_list rest; va_start(rest, how);                                      \
        void *given = va_arg(rest, void *); va_end(rest);                       \
        REAL(name); return cannot_lock(how, f) ? -1 : real(f, how, given); }
LOCKS(fcntl)
LOCKS(fcntl64)
int fsync(int f) { REAL(fsync); return fails(by_file(f)) ? -1 : real(f); }
int fdatasync(int f) { REAL(fdatasync); return fails(by_file(f)) ? -1 : real(f); }
int ftruncate(int f, off_t n) { REAL(ftruncate); return fails(by_file(f)) ? -1 : real(f, n); }
int ftruncate64(int f, off64_t n) { REAL(ftruncate64); return fails(by_file(f)) ? -1 : real(f, n); }
int rename(const char *a, const char *b) { REAL(rename); return fails(by_name(b)) ? -1 : real(a, b); }
int renameat(int x, const char *a, int y, const char *b) { REAL(renameat); return fails(by_name(b)) ? -1 : real(x, a, y, b); }
int mkdir(const char *p, mode_t m) { REAL(mkdir); return fails(by_name(p)) ? -1 : real(p, m); }
int rmdir(const char *p) { REAL(rmdir); return fails(by_name(p)) ? -1 : real(p); }
int unlink(const char *p) { REAL(unlink); return fails(by_name(p)) ? -1 : real(p); }
int unlinkat(int d, const char *p, int f) { REAL(unlinkat); return fails(d == AT_FDCWD ? by_name(p) : by_file(d)) ? -1 : real(d, p, f); }
int chmod(const char *p, mode_t m) { REAL(chmod); return fails(by_name(p)) ? -1 : real(p, m); }
void *mmap(void *a, size_t n, int p, int g, int f, off_t o) { REAL(mmap); return fails(f >= 3 && by_file(f)) ? MAP_FAILED : real(a, n, p, g, f, o); }
void *mmap64(void *a, size_t n, int p, int g, int f, off64_t o) { REAL(mmap64); return fails(f >= 3 && by_file(f)) ? MAP_FAILED : real(a, n, p, g, f, o); }
