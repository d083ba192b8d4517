/* Preloaded into a program, kills it by SIGKILL just before its N-th change of a file below a folder.

   The calls are counted over all processes of the program, in a file that they map. A write counts twice: the program
   is killed before it, or after half of its bytes. Environment:

       KILL_FOLDER   the folder, an absolute path without links
       KILL_STATE    the file of the counter: a struct state
       KILL_AT       N, counted from 1; 0: only count
       KILL_WHOM     "group": the whole process group; "one": only the process that makes the call
*/
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct state {
  _Atomic long count;
  char killed_at[4088]; /* the call and the path that the kill prevented */
};

static struct state* shared;
static const char* folder;
static long kill_at;

__attribute__((constructor)) static void begin(void) {
  const char *state = getenv("KILL_STATE"), *at = getenv("KILL_AT");
  folder = getenv("KILL_FOLDER");
  if (!state || !at || !folder) return;
  int file = (int)syscall(SYS_openat, AT_FDCWD, state, O_RDWR);
  if (file < 0) return;
  void* memory = mmap(NULL, sizeof(struct state), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return;
  kill_at = atol(at);
  shared = memory;
}

static void die(const char* call, const char* path) {
  const char* whom = getenv("KILL_WHOM");
  snprintf(shared->killed_at, sizeof shared->killed_at, "%s: %s", call, path);
  kill(whom && strcmp(whom, "one") == 0 ? getpid() : 0, SIGKILL);
  for (;;) pause();
}

/* The absolute path of `path` as seen from an open folder; false if it is not below the folder. */
static int is_below(int at, const char* path, char full[2 * PATH_MAX]) {
  if (!shared || !path) return 0;
  char base[PATH_MAX] = "";
  if (path[0] != '/') {
    if (at == AT_FDCWD) {
      if (!getcwd(base, sizeof base)) return 0;
    } else {
      char link[64];
      snprintf(link, sizeof link, "/proc/self/fd/%d", at);
      ssize_t size = readlink(link, base, sizeof base - 1);
      base[size < 0 ? 0 : size] = 0;
    }
  }
  snprintf(full, 2 * PATH_MAX, "%s%s%s", base, base[0] && path[0] ? "/" : "", path);
  size_t length = strlen(folder);
  return strncmp(full, folder, length) == 0 && (full[length] == '/' || full[length] == 0);
}

/* Whether this is the call to die at; counts it. */
static int is_last(void) { return atomic_fetch_add(&shared->count, 1) + 1 == kill_at; }

static void path_call(const char* call, int at, const char* path) {
  char full[2 * PATH_MAX];
  if (is_below(at, path, full) && is_last()) die(call, full);
}

static void file_call(const char* call, int file) { path_call(call, file, ""); }

/* 0: write on; 1: write only half of it, then call die_written(). */
static int write_call(const char* call, int file) {
  char full[2 * PATH_MAX];
  if (!is_below(file, "", full)) return 0;
  if (is_last()) die(call, full);
  return is_last();
}

static void die_written(const char* call, int file) {
  char full[2 * PATH_MAX];
  is_below(file, "", full);
  die(call, full);
}

#define REAL(type, name, ...) \
  static type (*real)(__VA_ARGS__); \
  if (!real) *(void**)(&real) = dlsym(RTLD_NEXT, name)

#define OPEN(name) \
  int name(const char* path, int flags, ...) { \
    REAL(int, #name, const char*, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (flags & (O_CREAT | O_TRUNC)) path_call("open", AT_FDCWD, path); \
    return real(path, flags, mode); \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name) \
  int name(int at, const char* path, int flags, ...) { \
    REAL(int, #name, int, const char*, int, ...); \
    va_list rest; \
    va_start(rest, flags); \
    mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0; \
    va_end(rest); \
    if (flags & (O_CREAT | O_TRUNC)) path_call("openat", at, path); \
    return real(at, path, flags, mode); \
  }
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void* data, size_t size) {
  REAL(ssize_t, "write", int, const void*, size_t);
  if (write_call("write", file)) {
    real(file, data, size / 2);
    die_written("half of write", file);
  }
  return real(file, data, size);
}

#define PWRITE(name, offset_type) \
  ssize_t name(int file, const void* data, size_t size, offset_type offset) { \
    REAL(ssize_t, #name, int, const void*, size_t, offset_type); \
    if (write_call(#name, file)) { \
      real(file, data, size / 2, offset); \
      die_written("half of " #name, file); \
    } \
    return real(file, data, size, offset); \
  }
PWRITE(pwrite, off_t)
PWRITE(pwrite64, off64_t)

ssize_t writev(int file, const struct iovec* parts, int count) {
  REAL(ssize_t, "writev", int, const struct iovec*, int);
  if (write_call("writev", file)) {
    real(file, parts, count / 2);
    die_written("half of writev", file);
  }
  return real(file, parts, count);
}

#define ON_FILE(name) \
  int name(int file) { \
    REAL(int, #name, int); \
    file_call(#name, file); \
    return real(file); \
  }
ON_FILE(fsync)
ON_FILE(fdatasync)

#define TRUNCATE(name, offset_type) \
  int name(int file, offset_type size) { \
    REAL(int, #name, int, offset_type); \
    file_call(#name, file); \
    return real(file, size); \
  }
TRUNCATE(ftruncate, off_t)
TRUNCATE(ftruncate64, off64_t)

int rename(const char* from, const char* to) {
  REAL(int, "rename", const char*, const char*);
  path_call("rename", AT_FDCWD, to);
  return real(from, to);
}

int renameat(int from_at, const char* from, int to_at, const char* to) {
  REAL(int, "renameat", int, const char*, int, const char*);
  path_call("renameat", to_at, to);
  return real(from_at, from, to_at, to);
}

int unlink(const char* path) {
  REAL(int, "unlink", const char*);
  path_call("unlink", AT_FDCWD, path);
  return real(path);
}

int unlinkat(int at, const char* path, int flags) {
  REAL(int, "unlinkat", int, const char*, int);
  path_call("unlinkat", at, path);
  return real(at, path, flags);
}

int mkdir(const char* path, mode_t mode) {
  REAL(int, "mkdir", const char*, mode_t);
  path_call("mkdir", AT_FDCWD, path);
  return real(path, mode);
}
