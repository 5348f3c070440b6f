// SPDX-License-Identifier: GPL-2.0-or-later
#include "observe/job.h"

#include <errno.h>
#include <string.h>

void flt_job_signals(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	sigaddset(signals, SIGINT);
	sigaddset(signals, SIGTERM);
	sigaddset(signals, SIGHUP);
	sigaddset(signals, SIGQUIT);
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct flt_job *job = arg;
	int ret;

	if (info->ssi_signo != SIGCHLD) {
		if (!job->child.pid)
			flt_loop_stop(job->loop);
		/* What a terminal sends, it sends to the command too. */
		else if (job->child.pid > 0 && info->ssi_code != SI_KERNEL)
			kill(job->child.pid, (int)info->ssi_signo);
		return 0;
	}
	if (job->child.pid <= 0)
		return 0;
	ret = flt_child_poll(&job->child, &job->wait_status, &job->usage);
	if (ret == -EAGAIN)
		return 0;
	flt_loop_stop(job->loop);
	return ret;
}

int flt_job_start(struct flt_job *job, struct flt_loop *loop, char **command,
		  struct flt_errmsg *e)
{
	struct flt_child_setup setup = { .argv = command };
	sigset_t signals, before;
	int ret;

	memset(job, 0, sizeof(*job));
	job->loop = loop;
	/* A parent that ignores SIGCHLD would have our child reaped for us. */
	signal(SIGCHLD, SIG_DFL);
	flt_job_signals(&signals);
	ret = flt_loop_signals(loop, &signals, &before, on_signal, job);
	if (ret || !command)
		return ret;
	setup.mask = &before;
	ret = flt_child_fork(&job->child, &setup, e);
	if (ret)
		job->child.pid = 0;
	return ret;
}

int flt_job_release(struct flt_job *job)
{
	return job->child.pid ? flt_child_release(&job->child) : 0;
}

void flt_job_cancel(struct flt_job *job)
{
	if (job->child.pid > 0)
		flt_child_cancel(&job->child);
}

void flt_job_wait(struct flt_job *job)
{
	if (job->child.pid > 0)
		flt_child_wait(&job->child, &job->wait_status, &job->usage);
}
