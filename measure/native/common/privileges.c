// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "common/privileges.h"

#define THREAD_SECONDS 5
/* Root gets no capability back by an exec, and nothing may change that. */
#define SECURE                                                                                   \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |                         \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | \
	 SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

static sem_t done;
static volatile sig_atomic_t failed;

/* Nothing here but calls that a handler may make. */
int privileges_drop_of_thread(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};
	int cap;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -errno;
	/* Both need a capability: who has not got it has nothing to drop from there. */
	for (cap = 0; !prctl(PR_CAPBSET_DROP, cap, 0, 0, 0); cap++)
		;
	if (cap)
		prctl(PR_SET_SECUREBITS, SECURE, 0, 0, 0);
	return syscall(SYS_capset, &header, none) ? -errno : 0;
}

static void on_signal(int number)
{
	int error = errno;

	(void)number;
	if (privileges_drop_of_thread())
		failed = 1;
	sem_post(&done);
	errno = error;
}

static int drop_of(int thread)
{
	struct timespec limit;

	if (syscall(SYS_tgkill, getpid(), thread, SIGRTMAX))
		return -errno;
	/* The other clock may be set meanwhile. */
	clock_gettime(CLOCK_MONOTONIC, &limit);
	limit.tv_sec += THREAD_SECONDS;
	while (sem_clockwait(&done, CLOCK_MONOTONIC, &limit))
		if (errno != EINTR)
			return -errno;
	return failed ? -EPERM : 0;
}

/* The kernel keeps capabilities by thread. No thread may begin or end meanwhile. */
int privileges_drop(void)
{
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART }, before;
	DIR *threads = opendir("/proc/self/task");
	struct dirent *entry;
	int error = 0;

	if (!threads)
		return -errno;
	sigfillset(&action.sa_mask);
	if (sem_init(&done, 0, 0) || sigaction(SIGRTMAX, &action, &before)) {
		closedir(threads);
		return -errno;
	}
	while (!error && (entry = readdir(threads)))
		if (entry->d_name[0] != '.')
			error = drop_of(atoi(entry->d_name));
	sigaction(SIGRTMAX, &before, NULL);
	closedir(threads);
	return error;
}
