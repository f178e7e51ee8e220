/* arcd bench QUESTION: measures how punctual arcd is on this machine, beside what others do. */
#include "driver/bench/questions.h"

#include <string.h>

static const struct question {
    const char *name, *summary;
    int (*run)(int argc, char **argv);
} questions[] = {
    {"timers", "how late the cycles of one interval begin, at each level and rate",
     bench_question_timers},
    {"fair", "how late many automations on few cores are, and how alike", bench_question_fair},
    {"latency", "the timers question at 20 kHz with every core under stress",
     bench_question_latency},
    {"sleep", "how long a sleep of 2 ms takes, by usleep, clock_nanosleep and arcd",
     bench_question_sleep},
    {"wait", "how long a sequence's time.wait holds, by the timestamps", bench_question_wait},
};

static void print_overview(FILE *out)
{
    fprintf(out, "Usage: arcd bench QUESTION [OPTION...]\n"
                 "Measure how punctual arcd is on this machine.\n\n");
    for (size_t i = 0; i < ARCD_COUNT_OF(questions); i++)
        fprintf(out, "  %-10s %s\n", questions[i].name, questions[i].summary);
    fprintf(out, "\n'arcd bench QUESTION --help' tells more. A figure of a machine that others use "
                 "means little\nby itself: look at the ratio to what ran beside it.\n");
}

static const struct question *find(const char *name)
{
    for (size_t i = 0; i < ARCD_COUNT_OF(questions); i++)
        if (strcmp(questions[i].name, name) == 0)
            return &questions[i];
    return NULL;
}

int cli_verb_bench(int argc, char **argv)
{
    char name[64];
    const char *first = argc >= 2 ? argv[1] : "";
    if (strcmp(first, "--help") == 0 || strcmp(first, "-?") == 0) {
        print_overview(stdout);
        return 0;
    }
    const struct question *question = find(first);
    if (question == NULL) {
        if (first[0] != '\0')
            cli_error("there is no question '%s'\n", first);
        print_overview(stderr);
        return EX_USAGE;
    }
    snprintf(name, sizeof name, "arcd bench %s", question->name);
    argv[1] = name;
    return question->run(argc - 1, argv + 1);
}
