#include "config/reference.h"

#include "config/automation.h"
#include "config/driver.h"

static const char intro[] =
    "# Configuration\n"
    "\n"
    "A configuration is a folder:\n"
    "\n"
    "| file | what it holds |\n"
    "| --- | --- |\n"
    "| `driver.json` | what is said once: channels, devices, the Driver itself |\n"
    "| `tasks/*.json` | one task a file: what is read or written, how fast, on which device |\n"
    "| `automations/*.json` | one Arc program a file, with its `.arc` source beside it |\n"
    "\n"
    "Files are read in byte order of their names; names that start with `.` or end in `~`, `.bak` "
    "or `.tmp` are left out. They are strict JSON in UTF-8. `arcd check DIR` reads all of it, says "
    "everything that is wrong, and starts nothing.\n"
    "\n"
    "- **duration**: a number of seconds, or a text with a unit: `\"250ms\"`, `\"2s\"`, `\"5min\"` "
    "(`ns` `us` `ms` `s` `min` `h`).\n"
    "- A field that no table here has is an error. Fields whose names start with `x_` are yours: "
    "notes, for example.\n"
    "- A key that stands twice in one object is an error.\n"
    "- What a task leaves out comes from `defaults` of `driver.json`, then from the default given "
    "here. A default that does not fit a task bends to it (a `stream_rate` above its "
    "`sample_rate`, a safe action without a `safe_value`); one that the task itself gives is an "
    "error.\n"
    "\n";

static const char device_intro[] =
    "Each member of `devices` in `driver.json` is a device, called by its name in tasks. These "
    "fields are common to all backends.\n\n";

static const char channel_intro[] =
    "Each member of `channels` in `driver.json` declares a channel. Its name has letters, digits "
    "and `_`, does not start with a digit, and is at most 64 long; names that start with `arcd_` "
    "are the Driver's own. An index serves the channels of one task.\n\n";

static void print_section(FILE *out, const struct config_table *table, const char *text)
{
    fprintf(out, "## %s\n\n%s", table->title, text);
    config_print_table(out, table, 0);
}

void config_print_reference(FILE *out)
{
    fputs(intro, out);
    print_section(out, &config_driver_table, "");
    print_section(out, &config_channel_table, channel_intro);
    print_section(out, &config_device_table, device_intro);
    print_section(out, &config_task_table, "");
    print_section(out, &config_rates_table, "Beside the fields of every task.\n\n");
    print_section(out, &config_read_channel_table, "Beside the fields of the channel's type.\n\n");
    print_section(out, &config_write_table, "Beside the fields of every task.\n\n");
    print_section(out, &config_write_channel_table, "Beside the fields of the channel's type.\n\n");
    config_print_variants(out, &config_scale_variants, 2);
    print_section(out, &config_automation_table, "");
}
