// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <microhttpd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cmd/export/export.h"
#include "text/clock.h"
#include "text/units.h"

#define DEFAULT_LISTEN "127.0.0.1:9886"

/*
 * Bounds for hostile clients. A connection serves one request and is closed after DEADLINE, however
 * slowly its client reads or writes. At most TEXTS answers are in memory.
 */
#define CONNECTIONS 32
#define CONNECTION_BYTES (8 << 10)
#define DEADLINE (20 * FLT_NSEC_PER_SEC)
#define IDLE_SECONDS 10u
#define TEXTS 3
/* Answers of the same format that are younger are sent again. */
#define FRESH (50 * FLT_NSEC_PER_MSEC)
/* Runs of the server per event, so that signals and deadlines are not delayed. */
#define RUNS 256

static const char *const content_types[] = {
	[FLT_METRICS_TEXT] = "text/plain; version=0.0.4; charset=utf-8",
	[FLT_METRICS_OPENMETRICS] = "application/openmetrics-text; version=1.0.0; charset=utf-8",
	[FLT_METRICS_PROTOBUF] = "application/vnd.google.protobuf; "
				 "proto=io.prometheus.client.MetricFamily; encoding=delimited",
};

struct connection {
	int fd;			/* -1: free */
	uint64_t began;		/* CLOCK_MONOTONIC ns */
};

struct answer {
	struct MHD_Response *response;	/* NULL: none yet */
	uint64_t made;			/* CLOCK_MONOTONIC ns */
};

struct server {
	struct export *x;
	struct flt_loop *loop;
	struct MHD_Daemon *daemon;
	struct connection connection[CONNECTIONS];
	struct answer last[FLT_METRICS_FORMATS];
	uint32_t texts;			/* answers that are not freed */
	int error;
};

/* The text of an answer, which MHD frees after the last reader. */
struct text {
	struct server *s;
	char *text;
};

static void free_text(void *arg)
{
	struct text *t = arg;

	t->s->texts--;
	free(t->text);
	free(t);
}

static ssize_t read_text(void *arg, uint64_t at, char *to, size_t size)
{
	const struct text *t = arg;

	memcpy(to, t->text + at, size);
	return (ssize_t)size;
}

static struct MHD_Response *new_response(struct server *s, enum flt_metrics_format format)
{
	struct text *t = malloc(sizeof(*t));
	struct MHD_Response *response;
	struct flt_metrics m;
	int ret;

	if (!t)
		return NULL;
	ret = export_collect(s->x);
	if (!ret)
		ret = export_write(s->x, &m, format);
	else
		m.text = (struct flt_buffer){ 0 };
	if (ret) {
		flt_buffer_free(&m.text);
		free(t);
		return NULL;
	}
	*t = (struct text){ .s = s, .text = m.text.text };
	response = MHD_create_response_from_callback(m.text.used, 32 << 10, read_text, t,
						     free_text);
	if (!response) {
		flt_buffer_free(&m.text);
		free(t);
		return NULL;
	}
	s->texts++;
	MHD_add_response_header(response, "Content-Type", content_types[format]);
	MHD_add_response_header(response, "Connection", "close");
	return response;
}

/* Return an answer, or NULL if there is no room for one. */
static struct MHD_Response *get_response(struct server *s, enum flt_metrics_format format)
{
	struct answer *a = &s->last[format];
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	int i;

	if (a->response && now - a->made < FRESH)
		return a->response;
	for (i = 0; i < FLT_METRICS_FORMATS; i++) {
		if (s->last[i].response)
			MHD_destroy_response(s->last[i].response);
		s->last[i].response = NULL;
	}
	if (s->texts >= TEXTS)
		return NULL;
	a->response = new_response(s, format);
	a->made = now;
	return a->response;
}

static enum MHD_Result send_message(struct MHD_Connection *connection, unsigned int status,
				    const char *text)
{
	struct MHD_Response *response;
	enum MHD_Result ret;

	response = MHD_create_response_from_buffer(strlen(text), (void *)text,
						   MHD_RESPMEM_PERSISTENT);
	if (!response)
		return MHD_NO;
	MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
	MHD_add_response_header(response, "Connection", "close");
	if (status == MHD_HTTP_METHOD_NOT_ALLOWED)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	ret = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return ret;
}

static enum MHD_Result handle(void *arg, struct MHD_Connection *connection, const char *url,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_size, void **state)
{
	struct MHD_Response *response;
	struct server *s = arg;
	const char *accept;

	(void)version;
	(void)upload;
	(void)state;
	/* A body is never read: the connection is closed after the answer. */
	*upload_size = 0;
	if (strcmp(method, MHD_HTTP_METHOD_GET) && strcmp(method, MHD_HTTP_METHOD_HEAD))
		return send_message(connection, MHD_HTTP_METHOD_NOT_ALLOWED,
				    "invalid method (use GET)\n");
	if (!strcmp(url, "/"))
		return send_message(connection, MHD_HTTP_OK, "fltctl export: see /metrics\n");
	if (strcmp(url, "/metrics"))
		return send_message(connection, MHD_HTTP_NOT_FOUND,
				    "invalid path (use /metrics)\n");
	accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept");
	response = get_response(s, export_accept_format(accept));
	if (!response)
		return send_message(connection, MHD_HTTP_SERVICE_UNAVAILABLE, s->texts >= TEXTS ?
				    "cannot answer: other clients still read (try again)\n" :
				    "cannot answer: out of memory (try again)\n");
	return MHD_queue_response(connection, MHD_HTTP_OK, response);
}

static void on_connection(void *arg, struct MHD_Connection *connection, void **state,
			  enum MHD_ConnectionNotificationCode code)
{
	const union MHD_ConnectionInfo *info;
	struct server *s = arg;
	struct connection *c = *state;
	int i;

	if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
		if (c)
			c->fd = -1;
		return;
	}
	info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	for (i = 0; i < CONNECTIONS && s->connection[i].fd >= 0; i++)
		;
	if (i == CONNECTIONS || !info)
		return;
	c = &s->connection[i];
	*c = (struct connection){ info->connect_fd, flt_clock_ns(CLOCK_MONOTONIC) };
	*state = c;
}

/* Run the server until nothing can be done without waiting. */
static void run_server(struct server *s)
{
	MHD_UNSIGNED_LONG_LONG wait;
	int i;

	for (i = 0; i < RUNS; i++) {
		MHD_run(s->daemon);
		if (MHD_get_timeout(s->daemon, &wait) != MHD_YES || wait)
			return;
	}
}

static int on_ready(void *arg, int fd, short events)
{
	(void)fd;
	(void)events;
	run_server(arg);
	return 0;
}

/* End connections at their deadline. MHD knows only how long a connection was idle. */
static int on_tick(void *arg)
{
	const uint64_t now = flt_clock_ns(CLOCK_MONOTONIC);
	struct server *s = arg;
	int i;

	for (i = 0; i < CONNECTIONS; i++)
		if (s->connection[i].fd >= 0 && now - s->connection[i].began > DEADLINE)
			shutdown(s->connection[i].fd, SHUT_RDWR);
	run_server(s);
	return 0;
}

static int on_signal(void *arg, const struct signalfd_siginfo *info)
{
	struct server *s = arg;

	(void)info;
	flt_loop_stop(s->loop);
	return 0;
}

/* The address of a client or a bad request is no message for the log. */
static void say_nothing(void *arg, const char *fmt, va_list ap)
{
	(void)arg;
	(void)fmt;
	(void)ap;
}

static int start(struct server *s, int listener)
{
	s->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_USE_ERROR_LOG, 0, NULL, NULL, handle, s,
				     MHD_OPTION_EXTERNAL_LOGGER, say_nothing, NULL,
				     MHD_OPTION_LISTEN_SOCKET, listener,
				     MHD_OPTION_CONNECTION_LIMIT, (unsigned int)CONNECTIONS,
				     MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_BYTES,
				     MHD_OPTION_CONNECTION_TIMEOUT, IDLE_SECONDS,
				     MHD_OPTION_NOTIFY_CONNECTION, on_connection, s,
				     MHD_OPTION_END);
	return s->daemon ? 0 : -ENOMEM;
}

static int serve(struct server *s)
{
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(s->daemon,
							       MHD_DAEMON_INFO_EPOLL_FD);
	sigset_t signals;
	int ret = flt_loop_new(&s->loop);

	sigemptyset(&signals);
	sigaddset(&signals, SIGINT);
	sigaddset(&signals, SIGTERM);
	if (!ret)
		ret = flt_loop_signals(s->loop, &signals, NULL, on_signal, s);
	if (!ret)
		ret = flt_loop_add(s->loop, info->epoll_fd, POLLIN, on_ready, s);
	if (!ret)
		ret = flt_loop_every(s->loop, FLT_NSEC_PER_SEC, on_tick, s);
	if (!ret)
		ret = flt_loop_run(s->loop);
	return ret;
}

int export_serve(struct export *x)
{
	const char *where = x->args->listen ? x->args->listen : DEFAULT_LISTEN;
	struct server s = { .x = x };
	struct flt_errmsg e = { "" };
	bool loopback;
	int ret, i, listener = export_listen(where, &loopback, &e);

	if (listener == -EINVAL)
		return flt_command_misuse(x->command, "%s", e.text);
	if (listener < 0)
		return flt_command_fail(x->command, &e, listener);
	if (!loopback)
		flt_command_say(x->command, "everybody who can reach %s can read all metrics, "
				"without a password", where);
	for (i = 0; i < CONNECTIONS; i++)
		s.connection[i].fd = -1;
	ret = start(&s, listener);
	if (!ret)
		ret = serve(&s);
	for (i = 0; i < FLT_METRICS_FORMATS; i++)
		if (s.last[i].response)
			MHD_destroy_response(s.last[i].response);
	if (s.daemon)
		MHD_stop_daemon(s.daemon);
	else
		close(listener);
	flt_loop_free(s.loop);
	return ret ? flt_command_fail(x->command, &e, ret) : FLT_EXIT_DONE;
}
