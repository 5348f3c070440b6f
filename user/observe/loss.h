/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loss.h - report why a result is incomplete, and the exit status for that. */
#ifndef FLT_OBSERVE_LOSS_H
#define FLT_OBSERVE_LOSS_H

#include "account/loss.h"
#include "cli/command.h"

#define FLT_LOSS_TEXT 256

/* Return true if anything was lost. */
bool flt_loss_any(const struct flt_loss *loss);
/* Write the first cause of a loss, as one line. Return false if nothing was lost. */
bool flt_loss_write(char text[FLT_LOSS_TEXT], const struct flt_loss *loss);

/*
 * Both return FLT_EXIT_DONE or FLT_EXIT_INCOMPLETE. flt_loss_print() writes the last line
 * of a report in text, also if nothing was lost. flt_loss_say() writes a line per cause to
 * standard error.
 */
int flt_loss_print(const struct flt_loss *loss, FILE *out);
int flt_loss_say(const struct flt_loss *loss, const struct flt_command *command);

/* Say what is unknown, because this kernel has no usable symbol for a hook of the module. */
void flt_loss_say_absent(const struct flt_command *command, const char *unknown,
			 const char *symbol, const char *hook);

#endif
