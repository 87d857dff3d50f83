// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <limits.h>
#include <linux/mount.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell.h"
#include "common/privileges.h"
#include "common/runner.h"

#define NOBODY	      65534
#define ROOM	      "/tmp"
#define ROOM_INCLUDE  ROOM "/include"
#define ROOM_OPTIONS  "mode=1777,size=512m"
#define MEMORY_BYTES  (4UL << 30)
#define FILE_BYTES    (64UL << 20)
#define CPU_SECONDS   280
#define NAMESPACES    (CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS)
#define ADMINISTRATOR 0
/* Both <sys/mount.h> and <linux/mount.h> define these: we take the kernel's, and call it. */
#define BIND	    4096
#define PRIVATE	    (1 << 18)
#define RECURSIVE   16384
#define NO_SUID_DEV (2 | 4)

static int is_first_of_tree;

pid_t swx_cell_fork(void)
{
	pid_t pid = -1;

	if (geteuid() == ADMINISTRATOR)
		pid = syscall(SYS_clone, NAMESPACES | SIGCHLD, NULL, NULL, NULL, NULL);
	if (!pid)
		is_first_of_tree = 1;
	/* Root of a container may not; then we have its rights only to lose. */
	return pid < 0 ? fork() : pid;
}

static int mount_at(const char *from, const char *to, const char *type, unsigned long flags,
		    const char *options)
{
	return syscall(SYS_mount, from, to, type, flags, options) ? -errno : 0;
}

/* All else can only be read. Kernels before 5.12 cannot say so; rights say nearly as much. */
static void make_read_only(void)
{
	struct mount_attr attributes = { .attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID };

	syscall(SYS_mount_setattr, AT_FDCWD, "/", AT_RECURSIVE, &attributes, sizeof(attributes));
}

/* The headers may lie where nobody may not go. */
static int furnish(struct swx_cell *cell, const char *include)
{
	char at[64];
	int error, fd;

	error = mount_at("none", "/", NULL, RECURSIVE | PRIVATE, NULL);
	if (error)
		return error;
	make_read_only();
	fd = open(include, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	snprintf(at, sizeof(at), "/proc/self/fd/%d", fd);
	error = mount_at("tmpfs", ROOM, "tmpfs", NO_SUID_DEV, ROOM_OPTIONS);
	if (!error && mkdir(ROOM_INCLUDE, 0755))
		error = -errno;
	if (!error)
		error = mount_at(at, ROOM_INCLUDE, NULL, BIND, NULL);
	close(fd);
	if (error)
		return error;
	snprintf(cell->temporary, sizeof(cell->temporary), ROOM);
	snprintf(cell->include, sizeof(cell->include), ROOM_INCLUDE);
	cell->is_private = 1;
	return 0;
}

/* Not below TMPDIR, which may be a place that nobody may not go. */
static int make_folder(struct swx_cell *cell, const char *include)
{
	if (snprintf(cell->include, sizeof(cell->include), "%s", include) >=
	    (int)sizeof(cell->include))
		return -ENAMETOOLONG;
	snprintf(cell->temporary, sizeof(cell->temporary), "/tmp/linerate-swx-XXXXXX");
	if (!mkdtemp(cell->temporary)) {
		*cell->temporary = '\0';
		return -errno;
	}
	if (geteuid() == ADMINISTRATOR && chown(cell->temporary, NOBODY, NOBODY))
		return -errno;
	return 0;
}

static int limit(int resource, rlim_t most)
{
	const struct rlimit both = { most, most };

	return setrlimit(resource, &both) ? -errno : 0;
}

static int become_nobody(void)
{
	int cap;

	if (geteuid() != ADMINISTRATOR)
		return 0;
	for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	if (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
	    setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	return 0;
}

int swx_cell_enter(struct swx_cell *cell, const char *include)
{
	int error;

	*cell = (struct swx_cell){};
	error = is_first_of_tree ? furnish(cell, include) : make_folder(cell, include);
	if (!error)
		error = limit(RLIMIT_AS, MEMORY_BYTES);
	if (!error)
		error = limit(RLIMIT_CPU, CPU_SECONDS);
	if (!error)
		error = limit(RLIMIT_FSIZE, FILE_BYTES);
	if (!error)
		error = limit(RLIMIT_CORE, 0);
	if (!error)
		error = become_nobody();
	if (!error)
		error = privileges_drop_of_thread();
	/* A change of user takes back what was asked for before. */
	if (!error && prctl(PR_SET_PDEATHSIG, SIGKILL))
		error = -errno;
	if (error) {
		runner_complain("a place to compile in", error);
		swx_cell_clean(cell);
	}
	return error;
}

void swx_cell_clean(const struct swx_cell *cell)
{
	if (!cell->is_private && *cell->temporary)
		rmdir(cell->temporary);
}
