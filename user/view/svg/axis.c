// SPDX-License-Identifier: GPL-2.0-or-later
#include "view/svg/axis.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>

#include "text/units.h"

double flt_axis_end(double largest, bool bytes)
{
	double step = 1;

	if (largest <= 0)
		return 1;
	if (bytes) {
		while (step < largest)
			step *= 2;
		return step;
	}
	step = pow(10, floor(log10(largest)));
	if (step >= largest)
		return step;
	if (2 * step >= largest)
		return 2 * step;
	return 5 * step >= largest ? 5 * step : 10 * step;
}

double flt_axis_time_step(double seconds)
{
	static const double steps[] = { 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 21600,
					43200, 86400 };
	size_t i;

	if (seconds < 30)
		return flt_axis_end(seconds / 6, false);
	for (i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		if (steps[i] * 6 >= seconds)
			return steps[i];
	return ceil(seconds / 6 / 86400) * 86400;	/* whole days */
}

void flt_axis_label(char *text, size_t size, double value, bool bytes)
{
	char unit[FLT_UNITS_TEXT];

	if (bytes)
		snprintf(text, size, "%s", flt_units_write_size(unit, (uint64_t)value));
	else if (value >= 1e6)
		snprintf(text, size, "%.3g M", value / 1e6);
	else if (value >= 1e3)
		snprintf(text, size, "%.3g k", value / 1e3);
	else
		snprintf(text, size, "%.3g", value);
}
