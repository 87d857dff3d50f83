// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <unistd.h>

#include "common/privileges.h"
#include "common/runner.h"
#include "confined.h"

#define NOBODY	       65534
#define TICK_MS	       250
#define TICKS_MAX      4 /* without a step */
#define STACK_BYTES    (1 << 16)
#define CALLS_MAX      64
#define PAGE_BYTES     4096
#define ARRAY_COUNT(a) (sizeof(a) / sizeof((a)[0]))

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the system calls of this machine are not known"
#endif

volatile struct doing doing;

/* What a function needs that computes, and we need to time it and to say so. */
static const int running[] = {
	SYS_brk,	  SYS_close,	SYS_clock_gettime, SYS_exit,
	SYS_exit_group,	  SYS_fstat,	SYS_futex,	   SYS_getpid,
	SYS_gettid,	  SYS_madvise,	SYS_mmap,	   SYS_mremap,
	SYS_munmap,	  SYS_mprotect, SYS_getrandom,	   SYS_restart_syscall,
	SYS_rt_sigreturn, SYS_write,
};
static const int loading[] = {
	SYS_lseek,	SYS_newfstatat, SYS_pread64, SYS_read,
	SYS_readlinkat, SYS_seccomp,	SYS_prctl,
#ifdef SYS_access
	SYS_access,	SYS_readlink,
#endif
#ifdef SYS_faccessat
	SYS_faccessat,
#endif
};

static const struct call_name {
	int number;
	const char *name;
} names[] = {
	{ SYS_socket, "socket" },
	{ SYS_openat, "openat" },
	{ SYS_clone, "clone" },
	{ SYS_clone3, "clone3" },
	{ SYS_execve, "execve" },
	{ SYS_tgkill, "tgkill, as abort does" },
	{ SYS_kill, "kill" },
	{ SYS_read, "read" },
	{ SYS_clock_nanosleep, "sleep" },
	{ SYS_bpf, "bpf" },
	{ SYS_ptrace, "ptrace" },
	{ SYS_rt_sigprocmask, "rt_sigprocmask, as abort and fork do" },
	{ SYS_rt_sigaction, "rt_sigaction" },
};

static int end_with(const char *words)
{
	fprintf(stderr, "%s\n", words);
	fflush(stderr);
	_exit(RUNNER_USAGE);
}

static const char *who(char *text, size_t size)
{
	if (!doing.entry)
		snprintf(text, size, "function: while it is loaded it");
	else
		snprintf(text, size, "entry=%s: on frame %u (%u bytes) it", doing.entry,
			 doing.number, doing.packet_bytes);
	return text;
}

static int is_in(const uint8_t *address, const uint8_t *page)
{
	return page && address >= page && address < page + PAGE_BYTES;
}

static void on_crash(int number, siginfo_t *info, void *context)
{
	const uint8_t *at = info->si_addr;
	const uint8_t *end = doing.frame + doing.packet_bytes;
	char begin[160], words[400];

	(void)context;
	who(begin, sizeof(begin));
	if (doing.entry && is_in(at, doing.guard_behind))
		snprintf(words, sizeof(words),
			 "%s reads or writes byte %td behind the frame's end; allowed: the "
			 "frame's length; compare with it first",
			 begin, at - end + 1);
	else if (doing.entry && is_in(at, doing.guard_before))
		snprintf(words, sizeof(words),
			 "%s reads or writes byte %td before the frame; allowed: the frame; "
			 "correct it",
			 begin, doing.frame - at);
	else
		snprintf(words, sizeof(words), "%s ended by %s%s at address %p; correct it", begin,
			 number == SIGSEGV ? "a segmentation fault" : "signal ",
			 number == SIGSEGV ? "" : sigabbrev_np(number), info->si_addr);
	end_with(words);
}

static void on_call(int number, siginfo_t *info, void *context)
{
	char begin[160], words[400], numbered[32];
	const char *name = numbered;
	size_t i;

	(void)number;
	(void)context;
	snprintf(numbered, sizeof(numbered), "number %d", info->si_syscall);
	for (i = 0; i < ARRAY_COUNT(names); i++)
		if (names[i].number == info->si_syscall)
			name = names[i].name;
	snprintf(words, sizeof(words),
		 "%s makes a system call (%s); allowed: memory and the clock; leave it out",
		 who(begin, sizeof(begin)), name);
	end_with(words);
}

static void on_tick(int number)
{
	static uint64_t before;
	static int ticks;
	char begin[160], words[400];

	(void)number;
	ticks = doing.steps == before ? ticks + 1 : 0;
	before = doing.steps;
	if (ticks < TICKS_MAX)
		return;
	snprintf(
		words, sizeof(words),
		"%s has not returned after %d s of CPU time; allowed: less; look for a loop without end",
		who(begin, sizeof(begin)), TICK_MS * TICKS_MAX / 1000);
	end_with(words);
}

static int handle_signals(void)
{
	static char stack[STACK_BYTES];
	static const int crashes[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP };
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const struct timeval tick = { .tv_usec = TICK_MS * 1000 };
	const struct itimerval ticks = { .it_interval = tick, .it_value = tick };
	struct sigaction action = { .sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	size_t i;
	int failed = sigaltstack(&alternate, NULL);

	for (i = 0; !failed && i < ARRAY_COUNT(crashes); i++)
		failed = sigaction(crashes[i], &action, NULL);
	action.sa_sigaction = on_call;
	if (!failed)
		failed = sigaction(SIGSYS, &action, NULL);
	action = (struct sigaction){ .sa_handler = on_tick, .sa_flags = SA_RESTART | SA_ONSTACK };
	if (!failed)
		failed = sigaction(SIGPROF, &action, NULL);
	return failed || setitimer(ITIMER_PROF, &ticks, NULL) ? -errno : 0;
}

/* Of the caller's process: it had these before, and no more of them. */
static int limit(void)
{
	static const struct limited {
		int what;
		rlim_t most;
	} limits[] = {
		{ RLIMIT_NPROC, 0 },	  { RLIMIT_CORE, 0 },	 { RLIMIT_NOFILE, 64 },
		{ RLIMIT_AS, 4UL << 30 }, { RLIMIT_MEMLOCK, 0 },
	};
	size_t i;

	for (i = 0; i < ARRAY_COUNT(limits); i++) {
		const struct rlimit both = { limits[i].most, limits[i].most };

		if (setrlimit(limits[i].what, &both))
			return -errno;
	}
	return 0;
}

static int be_nobody(void)
{
	if (!geteuid() && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			   setresuid(NOBODY, NOBODY, NOBODY)))
		return -errno;
	/* Both went with the user. The copy is opened by way of /proc, which asks for the first. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) || prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0))
		return -errno;
	return privileges_drop_of_thread();
}

static unsigned int allow(struct sock_filter *filter, const int *calls, unsigned int count)
{
	unsigned int i;

	for (i = 0; i < count; i++) {
		filter[2 * i] =
			(struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, calls[i], 0, 1);
		filter[2 * i + 1] =
			(struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
	}
	return 2 * count;
}

/* To read, not to write or to create. */
static unsigned int allow_opening(struct sock_filter *filter)
{
	const struct sock_filter opening[] = {
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
	};

	memcpy(filter, opening, sizeof(opening));
	return ARRAY_COUNT(opening);
}

/* All other system calls raise a signal. */
static int allow_calls(int loads)
{
	struct sock_filter filter[2 * CALLS_MAX] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	};
	struct sock_fprog program = { .filter = filter };
	unsigned int at = 4;

	at += allow(filter + at, running, ARRAY_COUNT(running));
	if (loads)
		at += allow(filter + at, loading, ARRAY_COUNT(loading));
	if (loads)
		at += allow_opening(filter + at);
	filter[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP);
	program.len = at;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

int confined_to_load(void)
{
	int error = handle_signals();

	if (!error)
		error = limit();
	if (!error)
		error = be_nobody();
	if (!error)
		error = allow_calls(1);
	if (error)
		runner_complain("function: its process cannot be confined", error);
	return error;
}

int confined_to_run(void)
{
	int error = allow_calls(0);

	if (error)
		runner_complain("function: its process cannot be confined", error);
	return error;
}
